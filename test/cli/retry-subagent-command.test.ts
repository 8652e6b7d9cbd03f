import { expect, test } from '@jest/globals';
import { callCli } from '../support/cli-harness.ts';
import { createFakeResearch, description, subagent } from '../support/fake-research-api.ts';

function withRun() {
  const research = createFakeResearch();
  const tree = [subagent('s1', { status: 'running' }), subagent('s2', { status: 'failed', attempt: 2 })];
  const run = research.place(description('run_1', { tree }));
  return { research, run };
}

test('asks the run to start the subagent again, and says that the run waits for it', async () => {
  const { research, run } = withRun();
  const argv = ['retry-subagent', 'run_1', 's2', '--budget-tokens', '60000', '--request-id', 'k'];
  const { stdout, exitCode } = await callCli(argv, { research });
  expect(exitCode).toBe(0);
  expect(stdout.text).toBe('run_1: s2 is started again; the run waits for it\n');
  expect(run.steers).toEqual([
    { action: 'retrySubagent', input: { id: 's2', budget: { tokens: 60_000 } }, requestId: 'k' },
  ]);
});

test('answers one document with --json', async () => {
  const { research } = withRun();
  const { stdout } = await callCli(['retry-subagent', 'run_1', 's2', '--json'], { research });
  expect(JSON.parse(stdout.text)).toMatchObject({ type: 'retry-subagent', runId: 'run_1', subagentId: 's2' });
});

test.each([
  [['retry-subagent', 'run_1', 'two'], 2],
  [['retry-subagent', 'run_1'], 2],
  [['retry-subagent', 'run_1', 's2', '--budget-tokens', '0'], 2],
  [['retry-subagent', 'run_9', 's2'], 9],
])('%j leaves with %d, and nothing is asked for', async (argv, code) => {
  const { research, run } = withRun();
  expect((await callCli(argv, { research })).exitCode).toBe(code);
  expect(run.steers).toEqual([]);
});

test('of a run that has ended it leaves with 10', async () => {
  const { research, run } = withRun();
  run.end('partial');
  expect((await callCli(['retry-subagent', 'run_1', 's2'], { research })).exitCode).toBe(10);
});

test('show says which attempt a subagent is at', async () => {
  const { research } = withRun();
  const { stdout } = await callCli(['show', 'run_1'], { research });
  expect(stdout.text).toContain('attempt 2, failed');
});
