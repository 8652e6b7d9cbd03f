import { expect, test } from '@jest/globals';
import { Gate } from '../support/gate.ts';
import { answers, endsOf, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('join deadline');
const broken = [{ fail: { code: 'MODEL_AUTH' } }];
/** Far enough for those that are not held to answer on a slow machine. */
const deadline = '5s';

test('what still runs at the deadline is cancelled, paid for, and timed out; the join decides what that makes of the run', async () => {
  const gate = new Gate();
  const late = { subagents: { s2: broken, '*': answers('found') } };
  const startWith = async (
    join: { kind: 'all' | 'partial' | 'first'; minSuccess?: number },
    held: string[],
    script: unknown = late,
  ) => {
    const model = scriptedModel(script, holdTurns(gate, held));
    const run = await start({ question: 'Q', subtasks: subtasks(3), join: { ...join, deadline } }, { model });
    return { run, model };
  };
  const whole = { subagents: { '*': answers('found') } };
  const runs = await Promise.all([
    startWith({ kind: 'partial' }, ['s3 turn 1']),
    startWith({ kind: 'partial', minSuccess: 2 }, ['s3 turn 1']),
    startWith({ kind: 'first', minSuccess: 2 }, ['s3 turn 1']),
    startWith({ kind: 'all' }, ['s3 turn 1'], whole),
    startWith({ kind: 'first' }, ['s1 turn 1', 's2 turn 1', 's3 turn 1']),
  ]);
  const [partial, unmet, first, all, none] = await Promise.all(runs.map(({ run }) => run.result()));
  const ends = ['s1 done', 's2 failed (provider)', 's3 timed-out (join)'];
  expect(endsOf(partial!)).toEqual(ends);
  expect(partial!.status).toBe('partial');
  expect(partial!.gaps.map(({ subagentId, status }) => `${subagentId} ${status}`)).toEqual([
    's2 failed',
    's3 timed-out',
  ]);
  expect(partial!.subagents[2]!.usage.tokens).toBeGreaterThan(0);
  expect(endsOf(unmet!)).toEqual(ends);
  expect(unmet!.status).toBe('failed');
  expect(unmet!.failure?.message).toContain('the deadline passed');
  expect(endsOf(first!)).toEqual(ends);
  expect(first!.status).toBe('partial');
  expect(endsOf(all!)).toEqual(['s1 done', 's2 done', 's3 timed-out (join)']);
  expect(all!.status).toBe('failed');
  expect(endsOf(none!)).toEqual(['s1 timed-out (join)', 's2 timed-out (join)', 's3 timed-out (join)']);
  expect(none!.status).toBe('failed');
  expect(runs.flatMap(({ model }) => model.requests).filter(({ aborted }) => aborted)).toHaveLength(7);
});

test('nothing starts after the deadline, and all that ended before it completes the run', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate, ['s2 turn 1']));
  const quick = scriptedModel({ subagents: { '*': answers('found') } });
  const join = { kind: 'partial' as const, deadline };
  const [held, free] = await Promise.all([
    start({ question: 'Q', subtasks: subtasks(3), maxConcurrency: 1, join }, { model }),
    start({ question: 'Q', subtasks: subtasks(2), join: { kind: 'partial', deadline: '1h' } }, { model: quick }),
  ]);
  expect((await free.result()).status).toBe('completed');
  const result = await held.result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 timed-out (join)', 's3 skipped (join)']);
  expect(await held.family()).toHaveLength(3);
});
