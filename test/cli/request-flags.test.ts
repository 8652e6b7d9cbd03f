import { describe, expect, test } from '@jest/globals';
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
    ...[
      '--max-subagents',
      '3',
      '--max-depth',
      '2',
      '--concurrency',
      '2',
      '--join',
      'first',
      '--min-success',
      '50%',
      '--deadline',
      '90s',
    ],
    ...['--budget-tokens', '50000', '--budget-calls', '7', '--budget-time', '2h', '--subagent-tokens', '15000'],
    ...['--max-turns', '5', '--tool-policy', 'bounded', '--tool-concurrency', '2', '--tenant', 'team-7'],
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
    tenant: 'team-7',
    corpus: folder,
    models: { planner: model, subagent: model, synthesis: model },
    subtasks: [{ goal: 'one' }, { goal: 'two' }],
    maxSubagents: 3,
    maxDepth: 2,
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
    // A language model without a corpus has the web.
    web: { sites: [], blockedSites: [] },
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

describe('models', () => {
  const inputOf = async (...argv: string[]) => (await callCli(['start', 'q', ...argv])).research.runs[0]!.input;

  test('may differ by role', async () => {
    expect(await inputOf('--model', 'openai/a', '--planner-model', 'google/b', '--corpus', 'docs')).toMatchObject({
      models: { planner: 'google/b', subagent: 'openai/a', synthesis: 'openai/a' },
    });
    expect(
      await inputOf('--subagent-model', 'anthropic/c', '--synthesis-model', 'openai-chat/d', '--corpus', 'docs'),
    ).toMatchObject({ models: { planner: 'extractive', subagent: 'anthropic/c', synthesis: 'openai-chat/d' } });
  });

  test('have their switches and bounds as flags', async () => {
    const input = await inputOf(
      ...['--model', 'openai/a', '--attempts', '2', '--max-output-tokens', '900', '--parallel-tool-calls', 'off'],
      ...['--batching-prompt', 'off', '--tool-output-chars', '40000', '--budget-usd', '0.50', '--corpus', 'docs'],
    );
    expect(input).toMatchObject({
      modelAttempts: 2,
      maxOutputTokens: 900,
      tools: { parallelToolCalls: false, encourageBatching: false, maxOutputChars: 40_000 },
      budget: { usd: 0.5 },
    });
  });

  test('of a compatible server take the address of the flag, else the configured one', async () => {
    expect(await inputOf('--model', 'compatible/m', '--base-url', 'http://127.0.0.1:1/v1')).toMatchObject({
      baseUrl: 'http://127.0.0.1:1/v1',
    });
    const { research } = await callCli(['start', 'q', '--model', 'compatible/m'], {
      installation: { baseUrl: 'http://127.0.0.1:2/v1' },
    });
    expect(research.runs[0]!.input).toMatchObject({ baseUrl: 'http://127.0.0.1:2/v1' });
  });

  test.each([
    [['--model', 'compatible/m'], '--base-url: wanted the address of the server of compatible/m'],
    [['--base-url', 'http://key@host/v1'], '--base-url: wanted an address without user'],
    [['--budget-usd', '$5'], '--budget-usd: wanted an amount in USD'],
    [['--budget-usd', '0'], '--budget-usd: wanted an amount in USD'],
    [['--budget-usd', '1e3'], '--budget-usd: wanted an amount in USD'],
    [['--parallel-tool-calls', 'maybe'], '--parallel-tool-calls: wanted one of on, off'],
    [['--attempts', '0'], '--attempts: wanted a whole number'],
    [['--site', 'http://example.org/'], '--site'],
  ])('%j is refused, and nothing is started', async (argv, problem) => {
    const { exitCode, stderr, research } = await callCli(['start', 'q', ...argv]);
    expect(exitCode).toBe(2);
    expect(stderr.text).toContain(problem);
    expect(research.runs).toEqual([]);
  });

  test('without a known price refuse a limit in USD, and say how to give one', async () => {
    const { exitCode, stderr, research } = await callCli(['start', 'q', '--model', 'openai/new', '--budget-usd', '5'], {
      installation: { ratesOf: ({ price }) => price ?? null },
    });
    expect(exitCode).toBe(2);
    expect(stderr.text).toMatch(/--budget-usd: the price of openai\/new is not known; give it in a file with --prices/);
    expect(research.runs).toEqual([]);
  });

  test('have the user’s prices in the run, those of its models alone', async () => {
    const price = { input: 1, output: 2 };
    const { research } = await callCli(['start', 'q', '--model', 'openai/new', '--budget-usd', '5'], {
      installation: {
        readPrices: async () => ({ 'openai/new': price, 'openai/other': price }),
        ratesOf: ({ price }) => price ?? null,
      },
    });
    expect(research.runs[0]!.input).toMatchObject({ prices: { 'openai/new': price } });
    expect(research.runs[0]!.input!.prices).not.toHaveProperty('openai/other');
  });
});

describe('the web', () => {
  const webOf = async (...argv: string[]) => (await callCli(['start', 'q', ...argv])).research.runs[0]!.input!.web;

  test('is offered to a language model that has no corpus, and to no run over a corpus by itself', async () => {
    expect(await webOf('--model', 'openai/a')).toEqual({ sites: [], blockedSites: [] });
    expect(await webOf('--model', 'openai/a', '--corpus', 'docs')).toBeUndefined();
    expect(await webOf()).toBeUndefined();
  });

  test('is offered where a site or a web tool is named', async () => {
    expect(await webOf('--corpus', 'docs', '--site', 'Example.org', '--block-site', 'a.example.org')).toEqual({
      sites: ['example.org'],
      blockedSites: ['a.example.org'],
    });
    expect(await webOf('--corpus', 'docs', '--tool', 'web_fetch')).toEqual({ sites: [], blockedSites: [] });
  });
});
