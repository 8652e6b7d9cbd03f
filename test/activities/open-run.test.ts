import { promptVersion } from '../../src/activities/prompts.ts';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { TributaryError } from '../../src/contract/failure.ts';
import { openRunResultSchema } from '../../src/contract/steps.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { createWorld, modelOf, runOnce, storeId } from './activity-world.ts';

const definition = {
  name: 'search',
  description: 'A long text that no history needs.',
  effect: 'read' as const,
  input: z.object({ query: z.string() }),
  run: async () => ({ text: 'hits' }),
};
const tool = defineTool(definition);
const step = { runId: 'run-1', corpus: '/srv/docs', models: [{ model: 'a' }, { model: 'b' }], needsPrices: false };

test('a run learns its store, its tools without their texts, and what people should know of the corpus', async () => {
  const opened: unknown[] = [];
  const { activities } = createWorld({
    openModel: async ({ model }) => {
      opened.push(model);
      return modelOf([]);
    },
    openToolbox: async ({ corpus }, options) => {
      opened.push([corpus, options]);
      return { tools: [tool], outline: () => [], notes: ['not read: a.pdf (encrypted)'] };
    },
  });
  const result = await runOnce(activities.openRunActivity, step);
  expect(openRunResultSchema.parse(result)).toEqual(result);
  expect(result).toEqual({
    storeId,
    tools: [{ name: 'search', effect: 'read', session: false, idempotent: false }],
    rates: { a: { input: 1, output: 10 }, b: { input: 1, output: 10 } },
    notes: ['not read: a.pdf (encrypted)'],
    promptVersion,
  });
  // Each model once, and the folder is looked at again: it may have changed since another run.
  expect(opened).toEqual(['a', 'b', ['/srv/docs', { refresh: true }]]);
});

test('a run learns the queues of its models, and the calls at once that a known limit pays for', async () => {
  const { activities } = createWorld({
    trafficOf: ({ model }) => ({
      taskQueue: model === 'a' ? 'queue-a' : null,
      limit: { a: { rpm: 600 }, b: { rpm: 600, tenantRpm: 60 }, c: { tpm: 5 } }[model] ?? null,
    }),
  });
  const models = ['a', 'b', 'c', 'd'].map((model) => ({ model }));
  const result = await runOnce(activities.openRunActivity, { ...step, models });
  expect(openRunResultSchema.parse(result)).toEqual(result);
  expect(result.queues).toEqual({ a: 'queue-a' });
  // A tenant meets its own limit first.
  expect(result.bounds).toEqual({ a: { rpm: 600, maxConcurrency: 88 }, b: { rpm: 60, maxConcurrency: 9 } });
});

describe('what cannot work is said before anything is spent', () => {
  test.each([
    ['openModel', new TributaryError('MODEL_UNKNOWN', 'model "a": wanted …')],
    ['openModel', new TributaryError('MODEL_SCRIPT_INVALID', 'scripted model a.yaml: …')],
    ['openToolbox', new TributaryError('CORPUS_UNREADABLE', 'corpus "/srv/docs": wanted …')],
  ] as const)('%s: %s', async (part, error) => {
    const { activities } = createWorld({ [part]: () => Promise.reject(error) });
    await expect(runOnce(activities.openRunActivity, step)).rejects.toMatchObject({
      type: error.code,
      message: error.message,
      nonRetryable: true,
    });
  });

  test('a store that is away for a moment is asked again', async () => {
    const { store } = createWorld();
    const { activities } = createWorld({
      store: { ...store, id: () => Promise.reject(new TributaryError('STORE_UNAVAILABLE', 'the disk is away')) },
    });
    await expect(runOnce(activities.openRunActivity, step)).rejects.toMatchObject({
      type: 'STORE_UNAVAILABLE',
      nonRetryable: false,
    });
  });
});

describe('a price that nobody knows', () => {
  const ratesOf = ({ model }: { model: string }) => (model === 'b' ? null : { input: 1, output: 10 });

  test('refuses a run with a limit in USD, and says how to give one', async () => {
    const { activities } = createWorld({ ratesOf });
    await expect(runOnce(activities.openRunActivity, { ...step, needsPrices: true })).rejects.toMatchObject({
      type: 'MODEL_PRICE_UNKNOWN',
      nonRetryable: true,
      message: expect.stringMatching(/price of b is not known.*--prices FILE/),
    });
  });

  test('is no obstacle without such a limit', async () => {
    const { activities } = createWorld({ ratesOf });
    expect((await runOnce(activities.openRunActivity, step)).rates).toEqual({ a: { input: 1, output: 10 } });
  });
});

describe('tools that the run names', () => {
  const other = defineTool({ ...definition, name: 'read' });
  const openToolbox = async () => ({ tools: [tool, other], outline: () => [], notes: [] });

  test('are the only ones that are offered', async () => {
    const { activities } = createWorld({ openToolbox });
    const { tools } = await runOnce(activities.openRunActivity, { ...step, offeredTools: ['read'] });
    expect(tools.map(({ name }) => name)).toEqual(['read']);
  });

  test('and that it does not have refuse it, naming those that it has', async () => {
    const { activities } = createWorld({ openToolbox });
    await expect(runOnce(activities.openRunActivity, { ...step, offeredTools: ['web_search'] })).rejects.toMatchObject({
      type: 'INVALID_REQUEST',
      message: expect.stringMatching(/no tool web_search; it has search, read/),
    });
  });
});

test('what stopped subagents used is read for each of them, in the order asked', async () => {
  const { activities } = createWorld({
    readStoppedUsage: async (runId, id) => ({ runId, id }) as never,
  });
  const settled = await runOnce(activities.settleStoppedActivity, { runId: 'run-1', subagentIds: ['s2', 's1'] });
  expect(settled).toEqual([
    { runId: 'run-1', id: 's2' },
    { runId: 'run-1', id: 's1' },
  ]);
});
