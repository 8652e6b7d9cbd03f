import { expect, test } from '@jest/globals';
import { Gate } from '../support/gate.ts';
import { childrenOf } from '../support/read-history.ts';
import { answers, endsOf, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('join all');
const broken = [{ fail: { code: 'MODEL_AUTH', message: 'no such key' } }];
const all = { join: { kind: 'all' as const } };

test('all answered: the run completes, its outcomes in the order of the plan whatever order they came in', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(3), ...all }, { model });
  await gate.hold(3);
  for (const [left, place] of ['s3 turn 1', 's1 turn 1', 's2 turn 1'].entries()) {
    gate.open(place);
    await gate.hold(2 - left);
  }
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(endsOf(result)).toEqual(['s1 done', 's2 done', 's3 done']);
});

test('B27 · the first failure cancels the siblings, waits for them, and fails the run with every outcome', async () => {
  const gate = new Gate();
  const subagents = { s2: broken, s4: broken, '*': answers('found') };
  const model = scriptedModel({ subagents }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(5), ...all }, { model });
  await gate.hold(5);
  gate.open('s2 turn 1');
  const result = await run.result();
  expect(result.status).toBe('failed');
  expect(result.failure?.code).toBe('JOIN_UNMET');
  expect(result.failure?.message).toContain('s2 failed (provider)');
  const loser = (id: string) => `${id} cancelled (join)`;
  expect(endsOf(result)).toEqual([loser('s1'), 's2 failed (provider)', loser('s3'), loser('s4'), loser('s5')]);
  expect(result.subagents[1]!.message).toContain('no such key');
  for (const { id, usage } of result.subagents.filter(({ status }) => status === 'cancelled')) {
    // What was in flight is paid as an estimate, and never as nothing.
    expect({ id, ...usage }).toMatchObject({ id, estimated: true });
    expect(usage.tokens).toBeGreaterThan(0);
  }
  const ends = childrenOf(await run.history()).map(({ end }) => end);
  expect(ends.sort()).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled', 'failed']);
  expect(model.requests.filter(({ aborted }) => aborted)).toHaveLength(4);
});

test('siblings that wait for their turn are never started after a failure', async () => {
  const model = scriptedModel({ subagents: { s1: broken, '*': answers('found') } });
  const run = await start({ question: 'Q', subtasks: subtasks(4), maxConcurrency: 1, ...all }, { model });
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 failed (provider)', ...[2, 3, 4].map((id) => `s${id} skipped (join)`)]);
  expect(await run.family()).toHaveLength(2);
});

test.each(['cancel', 'terminate'] as const)(
  'B29 · a child that an operator stops (%s) ends all or nothing: the run fails',
  async (how) => {
    const gate = new Gate();
    const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
    const run = await start({ question: 'Q', subtasks: subtasks(3), ...all }, { model });
    await gate.hold(3);
    await world().client.workflow.getHandle(`${run.runId}/s2`)[how]();
    const result = await run.result();
    expect(result.status).toBe('failed');
    const stopped = how === 'cancel' ? 's2 cancelled (operator)' : 's2 failed (terminated)';
    expect(endsOf(result)).toEqual(['s1 cancelled (join)', stopped, 's3 cancelled (join)']);
    expect(result.failure?.message).toContain(stopped);
  },
);

test('one that hands back a part makes the run partial, with that part as a gap', async () => {
  const partial = { turns: [{ calls: [{ tool: 'nothing' }] }], handBack: { report: { summary: 'half' } } };
  const model = scriptedModel({ subagents: { s2: partial, '*': answers('found') } });
  const run = await start({ question: 'Q', subtasks: subtasks(2), maxTurns: 2, ...all }, { model });
  const result = await run.result();
  expect(result.status).toBe('partial');
  expect(endsOf(result)).toEqual(['s1 done', 's2 partial (max-turns)']);
  expect(result.gaps).toMatchObject([{ subagentId: 's2', status: 'partial', reason: 'max-turns' }]);
});
