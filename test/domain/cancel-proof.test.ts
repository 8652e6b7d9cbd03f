import { describe, expect, test } from '@jest/globals';
import { runCancelSchema, subagentCancelSchema } from '../../src/contract/cancel-proof.ts';
import { recordedResultSchema } from '../../src/contract/result.ts';
import { toRunDescription } from '../../src/domain/projection/describe-run.ts';
import { toRecordedResult } from '../../src/domain/projection/recorded-result.ts';
import { callUsage, createFactBuilder, foldAll, openStory, toRequest } from '../support/fact-builder.ts';

const start = Date.UTC(2026, 0, 1, 12);
const at = (ms: number) => new Date(start + ms).toISOString();
const proof = (abortedAt: number, lastSocketClosedAt: number | null, socketsOpen = 0) => ({
  abortedAt: at(abortedAt),
  socketsClosed: lastSocketClosedAt === null ? 0 : 1,
  socketsOpen,
  lastSocketClosedAt: lastSocketClosedAt === null ? null : at(lastSocketClosedAt),
});
const lost = { ...callUsage(0, 0), lost: 1, requestTokens: 700 };

/** A run whose subagents are started; every fact is added at a time of the test's choice. */
function openRun(ids: readonly string[]) {
  const story = openStory();
  const moveTo = (ms: number) => (story.ms = start + ms);
  const run = createFactBuilder(story, null);
  moveTo(-1_000);
  run.started(toRequest({ subtasks: ids.map((id) => ({ goal: id })) }));
  const subagents = ids.map((id) => {
    run.childStarted(id, 20_000);
    const subagent = createFactBuilder(story, id);
    subagent.started({});
    return subagent;
  });
  const describe = () => {
    const { view } = foldAll(story.facts);
    return toRunDescription(view, { cursor: 'c', workflowId: 'w', atIso: at(60_000) });
  };
  return {
    ...{ story, run, subagents, describe },
    /** Adds `fact` at `ms` after the twelfth hour. */
    when: (ms: number, add: () => unknown) => {
      moveTo(ms - 100);
      add();
    },
  };
}

const ask = { kind: 'workflow-cancel-requested', reason: '' } as const;
const modelInput = { maxSpendTokens: 5_000 };

describe('a cancelled subagent', () => {
  test('has the times of the request, of the abort and of the last socket, and what was paid after the request', () => {
    const { subagents, when, describe } = openRun(['s1']);
    const [s1] = subagents as [ReturnType<typeof createFactBuilder>];
    s1.modelCall(callUsage(400, 100));
    const call = s1.scheduled('callModelActivity', modelInput);
    when(1_000, () => s1.add(ask));
    when(1_300, () => s1.activityFailed(call, 'cancelled', [lost, proof(1_050, 1_200)]));
    when(1_400, () => s1.add({ kind: 'workflow-cancelled' }));
    const { cancel } = describe().tree[0]!;
    expect(subagentCancelSchema.parse(cancel)).toEqual({
      requestedAt: at(1_000),
      acknowledgedAt: at(1_050),
      lastSocketClosedAt: at(1_200),
      openSockets: 0,
      tokensAfter: 700,
      estimated: true,
      mayStillRun: [],
    });
  });

  test('waits for all that was in flight: the last of them counts, and until then nothing is acknowledged', () => {
    const { subagents, when, describe } = openRun(['s1']);
    const [s1] = subagents as [ReturnType<typeof createFactBuilder>];
    const first = s1.scheduled('callToolActivity', { callId: 't1c1', name: 'web_fetch' });
    const second = s1.scheduled('callToolActivity', { callId: 't1c2', name: 'deaf' });
    when(1_000, () => s1.add(ask));
    when(2_000, () => s1.activityFailed(first, 'cancelled', [{ mayStillRun: false }, proof(1_100, 1_900)]));
    expect(describe().tree[0]!.cancel).toMatchObject({ acknowledgedAt: null, lastSocketClosedAt: at(1_900) });
    when(7_000, () => s1.activityFailed(second, 'cancelled', [{ mayStillRun: true }, proof(1_200, null, 1)]));
    expect(describe().tree[0]!.cancel).toEqual({
      requestedAt: at(1_000),
      acknowledgedAt: at(1_200),
      lastSocketClosedAt: at(1_900),
      openSockets: 1,
      tokensAfter: 0,
      estimated: false,
      mayStillRun: [{ callId: 't1c2', tool: 'deaf' }],
    });
  });

  test('with nothing in flight acknowledges by its end', () => {
    const { subagents, when, describe } = openRun(['s1']);
    const [s1] = subagents as [ReturnType<typeof createFactBuilder>];
    when(1_000, () => s1.add(ask));
    expect(describe().tree[0]!.cancel!.acknowledgedAt).toBe(null);
    when(1_200, () => s1.add({ kind: 'workflow-cancelled' }));
    expect(describe().tree[0]!.cancel).toMatchObject({ acknowledgedAt: at(1_200), lastSocketClosedAt: null });
  });

  test('a call that was answered all the same is paid exactly, and has stopped by its end', () => {
    const { subagents, when, describe } = openRun(['s1']);
    const [s1] = subagents as [ReturnType<typeof createFactBuilder>];
    const call = s1.scheduled('callModelActivity', modelInput);
    when(1_000, () => s1.add(ask));
    when(1_100, () => s1.activityCompleted(call, { kind: 'reply', usage: callUsage(300, 45), calls: [] }));
    expect(describe().tree[0]!.cancel).toMatchObject({
      acknowledgedAt: at(1_100),
      tokensAfter: 345,
      estimated: false,
    });
  });

  test.each([
    ['details of an earlier version', 'cancelled', [lost], 700],
    ['a call that no worker had', 'cancelled', ['ACTIVITY_ID_NOT_STARTED'], 5_000],
    ['a worker that went silent', 'timed-out', [{ known: 1 }], 5_000],
  ] as const)('%s: known by the end of the call, no socket, charged by what is known', (_, how, details, tokens) => {
    const { subagents, when, describe } = openRun(['s1']);
    const [s1] = subagents as [ReturnType<typeof createFactBuilder>];
    const call = s1.scheduled('callModelActivity', modelInput);
    when(1_000, () => s1.add(ask));
    when(1_500, () => s1.activityFailed(call, how, details));
    expect(describe().tree[0]!.cancel).toMatchObject({
      acknowledgedAt: at(1_500),
      lastSocketClosedAt: null,
      tokensAfter: tokens,
      estimated: true,
    });
  });

  test('a worker with another clock cannot say more than the events around its times', () => {
    const { subagents, when, describe } = openRun(['s1']);
    const [s1] = subagents as [ReturnType<typeof createFactBuilder>];
    const call = s1.scheduled('callModelActivity', modelInput);
    when(1_000, () => s1.add(ask));
    when(1_500, () => s1.activityFailed(call, 'cancelled', [lost, proof(-90_000, 90_000)]));
    expect(describe().tree[0]!.cancel).toMatchObject({
      acknowledgedAt: at(1_000),
      lastSocketClosedAt: at(1_500),
    });
  });

  test('terminated before it answered: never acknowledged, and what was in flight is charged', () => {
    const { subagents, when, describe } = openRun(['s1']);
    const [s1] = subagents as [ReturnType<typeof createFactBuilder>];
    s1.scheduled('callModelActivity', modelInput);
    when(1_000, () => s1.add(ask));
    when(2_000, () => s1.add({ kind: 'workflow-terminated', reason: '' }));
    expect(describe().tree[0]!.cancel).toMatchObject({ acknowledgedAt: null, tokensAfter: 5_000, estimated: true });
  });

  test('one that nobody cancelled says nothing of it', () => {
    const { subagents, describe } = openRun(['s1']);
    subagents[0]!.modelCall(callUsage(1, 1));
    const description = describe();
    expect('cancel' in description).toBe(false);
    expect('cancel' in description.tree[0]!).toBe(false);
  });
});

describe('a cancelled run', () => {
  /** `s1` has a request in flight, `s2` a deaf tool; `s3` has finished before. */
  function tell() {
    const told = openRun(['s1', 's2', 's3']);
    const { run, subagents, when } = told;
    const [s1, s2, s3] = subagents as [typeof run, typeof run, typeof run];
    s3.add({ kind: 'workflow-cancelled' });
    const plan = run.scheduled('planActivity', modelInput);
    const model = s1.scheduled('callModelActivity', modelInput);
    const tool = s2.scheduled('callToolActivity', { callId: 't1c1', name: 'deaf' });
    when(1_000, () => run.add({ ...ask, reason: 'wrong' }));
    when(1_010, () => s1.add(ask));
    when(1_020, () => s2.add(ask));
    when(1_100, () => run.activityFailed(plan, 'cancelled', [{ ...lost, requestTokens: 50 }, proof(1_060, 1_090)]));
    when(1_300, () => s1.activityFailed(model, 'cancelled', [lost, proof(1_100, 1_250)]));
    when(1_400, () => s1.add({ kind: 'workflow-cancelled' }));
    const finish = () => {
      when(6_300, () => s2.activityFailed(tool, 'cancelled', [{ mayStillRun: true }, proof(1_150, null)]));
      when(6_400, () => s2.add({ kind: 'workflow-cancelled' }));
      when(6_500, () => run.add({ kind: 'workflow-cancelled' }));
    };
    return { ...told, finish };
  }

  test('adds up its subagents and its own calls, and names the calls that may still run', () => {
    const { describe, finish, story } = tell();
    expect(describe().cancel).toMatchObject({ acknowledgedAt: null, subagents: 2, stopped: 1, stoppedAt: null });
    finish();
    const { cancel } = describe();
    expect(runCancelSchema.parse(cancel)).toEqual({
      requestedAt: at(1_000),
      acknowledgedAt: at(1_150),
      lastSocketClosedAt: at(1_250),
      openSockets: 0,
      tokensAfter: 750,
      estimated: true,
      subagents: 2,
      stopped: 2,
      stoppedAt: at(6_500),
      mayStillRun: [{ subagentId: 's2', callId: 't1c1', tool: 'deaf' }],
    });
    const result = toRecordedResult(foldAll(story.facts).view);
    expect(recordedResultSchema.parse(result).cancel).toEqual(cancel);
  });

  test('is told the same in whatever order its histories are read', () => {
    const { story, finish } = tell();
    finish();
    const byWorkflow = (id: string | null) => story.facts.filter(({ subagentId }) => subagentId === id);
    const describeFacts = (facts: typeof story.facts) =>
      toRunDescription(foldAll(facts).view, { cursor: 'c', workflowId: 'w', atIso: at(60_000) }).cancel;
    const orders = [
      [null, 's1', 's2', 's3'],
      ['s3', 's2', 's1', null],
      ['s2', null, 's3', 's1'],
    ];
    for (const order of orders) {
      expect(describeFacts(order.flatMap(byWorkflow))).toEqual(describeFacts(story.facts));
    }
  });

  test('terminated while a subagent is open charges what that one has in flight', () => {
    const { story, run, subagents, when } = tell();
    subagents[1]!.scheduled('callModelActivity', modelInput);
    when(9_000, () => run.add({ kind: 'workflow-terminated', reason: '' }));
    const { cancel } = toRecordedResult(foldAll(story.facts).view);
    expect(cancel).toMatchObject({ acknowledgedAt: null, subagents: 2, stopped: 1, tokensAfter: 5_750 });
  });
});
