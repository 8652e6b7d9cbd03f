import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { TributaryError } from '../../src/contract/failure.ts';
import { openRunResultSchema } from '../../src/contract/steps.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { createWorld, modelOf, runOnce, storeId } from './activity-world.ts';

const tool = defineTool({
  name: 'search',
  description: 'A long text that no history needs.',
  effect: 'read',
  input: z.object({ query: z.string() }),
  run: async () => ({ text: 'hits' }),
});
const step = { runId: 'run-1', corpus: '/srv/docs', models: ['a', 'b', 'a'] };

test('a run learns its store, its tools without their texts, and what people should know of the corpus', async () => {
  const opened: unknown[] = [];
  const { activities } = createWorld({
    openModel: async (name) => {
      opened.push(name);
      return modelOf([]);
    },
    openToolbox: async (...args) => {
      opened.push(args);
      return { tools: [tool], outline: () => [], notes: ['not read: a.pdf (encrypted)'] };
    },
  });
  const result = await runOnce(activities.openRunActivity, step);
  expect(openRunResultSchema.parse(result)).toEqual(result);
  expect(result).toEqual({
    storeId,
    tools: [{ name: 'search', effect: 'read', session: false, idempotent: false }],
    notes: ['not read: a.pdf (encrypted)'],
  });
  // Each model once, and the folder is looked at again: it may have changed since another run.
  expect(opened).toEqual(['a', 'b', ['/srv/docs', { refresh: true }]]);
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
