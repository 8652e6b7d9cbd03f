import { expect, test } from '@jest/globals';
import { endsOf, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('stop states');
const text = 'Something that reads like an answer.';

test('a model that refuses, is filtered, fails, stops for an unknown reason or says nothing is never done', async () => {
  const model = scriptedModel({
    subagents: {
      s1: [{ finish: 'refusal', text }],
      s2: [{ finish: 'content-filter', text }],
      s3: [{ finish: 'context-exceeded', text }],
      s4: [{ finish: 'error', text }],
      s5: [{ finish: 'unknown', text }],
      s6: [{ finish: 'stop', text: '' }],
      s7: [{ finish: 'stop', text: '  \n ' }],
      s8: [{ finish: 'stop', text }],
      s9: [{ finish: 'pause', text: 'thinking' }, { report: { summary: 'found' } }],
    },
  });
  const result = await (await start({ question: 'Q', subtasks: subtasks(9) }, { model })).result();
  expect(endsOf(result)).toEqual([
    's1 failed (refusal)',
    's2 failed (content-filter)',
    's3 failed (context-exceeded)',
    's4 failed (provider)',
    's5 failed (provider)',
    's6 failed (provider)',
    's7 failed (provider)',
    's8 done',
    's9 done',
  ]);
  expect(result.status).toBe('partial');
  for (const { id, status, message, usage } of result.subagents) {
    expect({ id, charged: usage.tokens > 0 }).toEqual({ id, charged: true });
    if (status === 'failed') expect(message).toMatch(/^the (model|provider|conversation) /);
  }
  expect(model.requests.filter(({ place }) => place.startsWith('s1 '))).toHaveLength(1); // a refusal is not asked again
});
