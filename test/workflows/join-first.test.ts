import { expect, test } from '@jest/globals';
import { Gate, waitUntil } from '../support/gate.ts';
import { childrenOf } from '../support/read-history.ts';
import { answers, endsOf, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('join first');
const broken = [{ fail: { code: 'MODEL_AUTH', message: 'no such key' } }];
const first = (minSuccess: number) => ({ join: { kind: 'first' as const, minSuccess } });

test('B28 · the race ends when enough have succeeded: the losers are cancelled, paid for, and no gaps', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(5), ...first(2) }, { model });
  await gate.hold(5);
  gate.open('s4 turn 1');
  gate.open('s2 turn 1');
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(endsOf(result)).toEqual([
    's1 cancelled (join)',
    's2 done',
    's3 cancelled (join)',
    's4 done',
    's5 cancelled (join)',
  ]);
  expect(result.gaps).toEqual([]);
  expect(result.subagents.filter(({ notNeeded }) => notNeeded).map(({ id }) => id)).toEqual(['s1', 's3', 's5']);
  for (const { id, usage } of result.subagents) expect({ id, paid: usage.tokens > 0 }).toEqual({ id, paid: true });
  expect(childrenOf(await run.history())).toHaveLength(5);
  expect(result.document?.report).not.toContain('## Gaps');
});

test('a failed, a cancelled and a terminated child do not end the race while enough can still succeed', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { s1: broken, '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(4), ...first(1) }, { model });
  await gate.hold(4);
  const { workflow } = world().client;
  await workflow.getHandle(`${run.runId}/s2`).cancel();
  await workflow.getHandle(`${run.runId}/s3`).terminate();
  gate.open('s1 turn 1');
  // The run has seen all three ends: one that came after the last answer would be a loser.
  await waitUntil(async () => childrenOf(await run.history()).filter(({ end }) => end !== 'open').length === 3);
  gate.open('s4 turn 1');
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(endsOf(result)).toEqual([
    's1 failed (provider)',
    's2 cancelled (operator)',
    's3 failed (terminated)',
    's4 done',
  ]);
  // They failed by themselves, so their answers are missing; only what the join stopped was not needed.
  expect(result.gaps.map(({ subagentId }) => subagentId)).toEqual(['s1', 's2', 's3']);
});

test('ends as soon as enough can no longer succeed, and fails', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { s1: broken, s2: broken, '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(4), ...first(3) }, { model });
  await gate.hold(4);
  gate.open('s1 turn 1');
  gate.open('s2 turn 1');
  const result = await run.result(); // s3 and s4 are still held
  expect(result.status).toBe('failed');
  expect(endsOf(result)).toEqual([
    's1 failed (provider)',
    's2 failed (provider)',
    's3 cancelled (join)',
    's4 cancelled (join)',
  ]);
});

test('B28 · a loser that fails while it is being stopped changes nothing', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, async (place, signal) => {
    if (!place.includes(' turn ')) return;
    await gate.pass(place, signal).catch((error: unknown) => {
      throw place.startsWith('s3') ? new Error('broken while it stopped') : error;
    });
  });
  const run = await start({ question: 'Q', subtasks: subtasks(3), ...first(1) }, { model });
  await gate.hold(3);
  gate.open('s1 turn 1');
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(endsOf(result)).toEqual(['s1 done', 's2 cancelled (join)', 's3 cancelled (join)']);
});
