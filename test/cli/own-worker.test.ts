import { expect, test } from '@jest/globals';
import { callCli, startCli, until } from '../support/cli-harness.ts';
import { createFakeResearch, description } from '../support/fake-research-api.ts';

function idle() {
  const research = createFakeResearch();
  research.hasWorker = false;
  return research;
}

test('run works on the run itself when no worker polls, says so, and stops the worker at the end', async () => {
  const research = idle();
  const call = startCli(['run', 'q'], { research });
  await until(() => call.counts.workersStarted === 1);
  research.runs[0]!.end('completed');
  expect(await call.exit).toBe(0);
  expect(call.stderr.text).toContain('no worker polls task queue "tributary": this command works on it itself');
  expect(call.counts).toMatchObject({ workersStarted: 1, workersStopped: 1, closed: 1 });
});

test('run leaves the work to a worker that polls', async () => {
  const research = createFakeResearch();
  research.onStart = (run) => run.end('completed');
  const { counts } = await callCli(['run', 'q'], { research });
  expect(counts.workersStarted).toBe(0);
});

test('--no-worker forbids it, and says what is missing', async () => {
  const research = idle();
  const call = startCli(['run', 'q', '--no-worker'], { research });
  await until(() => call.stderr.text.includes('no worker polls'));
  expect(call.stderr.text).toContain('start one:  ');
  call.kill('SIGINT');
  expect(await call.exit).toBe(130);
  expect(call.stderr.text).toContain('the run rests');
  expect(call.counts.workersStarted).toBe(0);
});

test('watch carries a resting run on', async () => {
  const research = idle();
  const run = research.place(description('run_1'));
  const call = startCli(['watch', 'run_1'], { research });
  await until(() => call.counts.workersStarted === 1);
  run.end('completed');
  expect(await call.exit).toBe(0);
  expect(call.counts.workersStopped).toBe(1);
});

test('watch of an ended run needs no worker and starts none', async () => {
  const research = idle();
  const run = research.place(description('run_1', { status: 'completed' }));
  run.end('completed');
  const { exitCode, counts, stdout } = await callCli(['watch', 'run_1'], { research });
  expect(exitCode).toBe(0);
  expect(stdout.text).toContain('# Report');
  expect(counts.workersStarted).toBe(0);
});

test('start never starts a worker, and says on stderr what will pick the run up', async () => {
  const { exitCode, stdout, stderr, counts } = await callCli(['start', 'q'], { research: idle() });
  expect(exitCode).toBe(0);
  expect(stdout.text).toBe('run_1\n');
  expect(stderr.text).toContain('start one:  ');
  expect(counts.workersStarted).toBe(0);
});
