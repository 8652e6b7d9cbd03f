import { expect, test } from '@jest/globals';
import { answers, endsOf, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('quota stops siblings');

test('a key without quota: the subagent that learns it fails, and no other one is started on it', async () => {
  const model = scriptedModel({
    subagents: { s1: { turns: [{ fail: { code: 'MODEL_QUOTA' } }] }, '*': { turns: answers('found') } },
  });
  const request = { question: 'Q', subtasks: subtasks(5), maxConcurrency: 1 };
  const result = await (await start(request, { model })).result();
  expect(endsOf(result)).toEqual([
    's1 failed (quota)',
    's2 skipped (quota)',
    's3 skipped (quota)',
    's4 skipped (quota)',
    's5 skipped (quota)',
  ]);
  expect(result.status).toBe('failed');
  // One request in all: the refused ones cost nothing.
  expect(model.requests.map(({ place }) => place)).toEqual(['s1 turn 1']);
});
