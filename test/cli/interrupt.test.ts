import { expect, test } from '@jest/globals';
import { startCli, until } from '../support/cli-harness.ts';
import { createFakeResearch, description, subagent } from '../support/fake-research-api.ts';

async function follow(
  argv: string[],
  prepare: (research: ReturnType<typeof createFakeResearch>) => void = () => undefined,
) {
  const research = createFakeResearch();
  prepare(research);
  const call = startCli(argv, { research });
  await until(() => research.runs.length > 0);
  const run = research.runs[0]!;
  await run.watched;
  return { ...call, run };
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s while following detaches with %i, and the run is not touched', async (signal, exitCode) => {
  const call = await follow(['run', 'q']);
  call.kill(signal);
  expect(await call.exit).toBe(exitCode);
  expect(call.run.cancels).toEqual([]);
  expect(call.stdout.text).toBe('');
  expect(call.stderr.text).toContain('detached; the run goes on');
  expect(call.stderr.text).toContain('tributary watch run_1');
  expect(call.stderr.text).toContain('tributary cancel run_1');
  expect(call.counts.closed).toBe(1);
});

test('a detached jsonl stream ends in one result that says where the run was', async () => {
  const call = await follow(['run', 'q', '-o', 'jsonl']);
  call.kill('SIGINT');
  expect(await call.exit).toBe(130);
  const events = call.stdout.lines.map((line) => JSON.parse(line));
  expect(events.map((event) => event.type)).toEqual(['snapshot', 'result']);
  expect(events[1]).toMatchObject({ runId: 'run_1', status: 'running', cursor: 'c0', exitCode: 130 });
});

test('a detached --json call prints one document', async () => {
  const call = await follow(['run', 'q', '--json']);
  call.kill('SIGTERM');
  expect(await call.exit).toBe(143);
  expect(JSON.parse(call.stdout.text)).toMatchObject({ exitCode: 143, error: { code: 'INTERRUPTED', runId: 'run_1' } });
});

test('a run that carried its own worker says that it rests and how it goes on, and stops the worker', async () => {
  const call = await follow(['run', 'q', '--data-dir', 'other dir'], (research) => (research.hasWorker = false));
  await until(() => call.counts.workersStarted === 1);
  call.kill('SIGINT');
  expect(await call.exit).toBe(130);
  expect(call.stderr.text).toContain(
    "the run rests; `tributary worker --data-dir 'other dir'` or `tributary watch run_1 --data-dir 'other dir'` goes on with it",
  );
  expect(call.counts).toMatchObject({ workersStopped: 1, closed: 1 });
});

test('--cancel-on-interrupt cancels, waits for the end, and exits as the run did', async () => {
  const call = await follow(['run', 'q', '--cancel-on-interrupt', '-o', 'jsonl']);
  call.run.onCancel(() => call.run.end('cancelled'));
  call.kill('SIGTERM');
  expect(await call.exit).toBe(6);
  expect(call.run.cancels).toHaveLength(1);
  expect(call.run.cancels[0]!.options?.reason).toContain('SIGTERM');
  const events = call.stdout.lines.map((line) => JSON.parse(line));
  expect(events.filter((event) => event.type === 'result')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ status: 'cancelled', exitCode: 6 });
});

test('a second signal leaves at once, and a stream still ends in one result', async () => {
  const call = await follow(['run', 'q', '--cancel-on-interrupt', '-o', 'jsonl']);
  call.kill('SIGINT');
  await until(() => call.run.cancels.length === 1);
  call.kill('SIGINT');
  expect(await call.exit).toBe(130);
  const results = call.stdout.lines.map((line) => JSON.parse(line)).filter((event) => event.type === 'result');
  expect(results).toMatchObject([{ runId: 'run_1', exitCode: 130 }]);
});

test('--timeout ends the waiting with 8 and says that the run is still there', async () => {
  const call = await follow(['run', 'q', '--timeout', '30ms']);
  expect(await call.exit).toBe(8);
  expect(call.stderr.text).toContain('error: run_1 is still running');
  expect(call.stderr.text).toContain('tributary watch run_1');
  expect(call.run.cancels).toEqual([]);
});

test('watch detaches as run does', async () => {
  const research = createFakeResearch();
  const run = research.place(description('run_9', { tree: [subagent('s1')] }));
  const call = startCli(['watch', 'run_9'], { research });
  await run.watched;
  call.kill('SIGINT');
  expect(await call.exit).toBe(130);
  expect(run.cancels).toEqual([]);
});

test.each(['worker', 'dev'])('%s stops in good order at a signal, and leaves the server', async (command) => {
  const call = startCli([command]);
  await until(() => call.stderr.text.includes('Ctrl-C stops'));
  call.kill('SIGTERM');
  expect(await call.exit).toBe(0);
  expect(call.counts).toMatchObject({ workersStarted: 1, workersStopped: 1, closed: 1 });
});
