import { expect, test } from '@jest/globals';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { researchRequestSchema } from '../../src/contract/request.ts';
import { callCli } from '../support/cli-harness.ts';

test('every flag arrives in the request that the client is given, paths made absolute', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cli-'));
  await writeFile(join(folder, 'script.yaml'), 'x');
  const here = relative(process.cwd(), folder);
  const { exitCode, stdout, research } = await callCli([
    ...['start', ' What? ', '--title', 'T', '--tag', 'a', '--tag', 'b', '--run-id', 'run_x'],
    ...['--corpus', here, '--model', `scripted:${join(here, 'script.yaml')}`, '--subtask', 'one', '--subtask', 'two'],
    ...['--max-subagents', '3', '--concurrency', '2', '--join', 'first', '--min-success', '50%', '--deadline', '90s'],
    ...['--budget-tokens', '50000', '--budget-calls', '7', '--budget-time', '2h', '--subagent-tokens', '15000'],
    ...['--max-turns', '5', '--tool-policy', 'bounded', '--tool-concurrency', '2'],
  ]);
  expect(exitCode).toBe(0);
  expect(stdout.text).toBe('run_x\n');
  const request = researchRequestSchema.parse(research.runs[0]!.input);
  const model = `scripted:${join(folder, 'script.yaml')}`;
  expect(request).toMatchObject({
    runId: 'run_x',
    question: 'What?',
    title: 'T',
    tags: ['a', 'b'],
    corpus: folder,
    models: { planner: model, subagent: model, synthesis: model },
    subtasks: [{ goal: 'one' }, { goal: 'two' }],
    maxSubagents: 3,
    maxConcurrency: 2,
    join: { kind: 'first', minSuccess: '50%', deadline: 90_000 },
    budget: { tokens: 50_000, toolCalls: 7, wallClock: 7_200_000 },
    subagentTokens: 15_000,
    maxTurns: 5,
    tools: { policy: 'bounded', maxConcurrency: 2 },
  });
});

test('without flags the model is the configured one and everything else is left to its default', async () => {
  const { research } = await callCli(['start', 'q'], { installation: { model: 'vendor/model-1' } });
  expect(research.runs[0]!.input).toEqual({
    question: 'q',
    models: { planner: 'vendor/model-1', subagent: 'vendor/model-1', synthesis: 'vendor/model-1' },
    join: {},
    budget: {},
    tools: {},
  });
});

test('a question may look like a flag after --', async () => {
  const { exitCode, research } = await callCli(['start', '--', '--json']);
  expect(exitCode).toBe(0);
  expect(research.runs[0]!.input).toMatchObject({ question: '--json' });
});

test('flags that every command takes may stand before the command', async () => {
  const { stdout } = await callCli(['--json', 'start', 'q']);
  expect(JSON.parse(stdout.text)).toEqual({ type: 'run', runId: 'run_1', status: 'queued' });
});
