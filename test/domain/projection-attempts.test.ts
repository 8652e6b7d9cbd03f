import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { HistoryFact } from '../../src/contract/history-fact.ts';
import { toRunDescription } from '../../src/domain/projection/describe-run.ts';
import { leftWorkOf } from '../../src/domain/projection/left-work.ts';
import { toRecordedResult } from '../../src/domain/projection/recorded-result.ts';
import { toRunRecord } from '../../src/domain/projection/run-record.ts';
import {
  callUsage,
  createFactBuilder,
  foldAll,
  openStory,
  type Story,
  toOutcome,
  toRequest,
  usage,
} from '../support/fact-builder.ts';

const describeView = (facts: readonly HistoryFact[]) =>
  toRunDescription(foldAll(facts).view, { cursor: 'c', workflowId: 'run_1', atIso: '2026-01-01T12:10:00.000Z' });
const rowOf = (facts: readonly HistoryFact[], id: string) => describeView(facts).tree.find((each) => each.id === id)!;

/** A run of two; s2 has failed after a turn and a read, and s1 goes on. */
function openFailed() {
  const story = openStory();
  const run = createFactBuilder(story, null);
  run.started(toRequest({ subtasks: [{ goal: 'one' }, { goal: 'two' }] }));
  run.childStarted('s1', 10_000);
  run.childStarted('s2', 10_000);
  createFactBuilder(story, 's1').started({});
  const first = createFactBuilder(story, 's2');
  first.started({ allotment: { tokens: 10_000, toolCalls: 10 } });
  first.modelCall(callUsage(100, 20), ['read']);
  first.toolCall('t1c1', 'read', 'doc');
  const failed = toOutcome('s2', {
    status: 'failed',
    reason: 'provider',
    report: null,
    usage: usage(120, 1),
    turns: 1,
    toolCalls: 1,
  });
  first.add({ kind: 'workflow-failed', code: 'SUBAGENT_FAILED', message: 'failed', details: [failed] });
  run.childFailed('s2', 'failed', [failed]);
  return { story, run };
}

const retried = { kind: 'updated', update: 'retrySubagent', input: { id: 's2', by: 'me' } } as const;

/** … and its second attempt goes on there, reads again and is done. */
function tellRetried() {
  const { story, run } = openFailed();
  run.add(retried);
  run.childStarted('s2', 8_000);
  const second = createFactBuilder(story, 's2', 2);
  second.started({ allotment: { tokens: 8_000, toolCalls: 10 } });
  const load = second.scheduled('loadResumeActivity', {});
  second.activityCompleted(load, { head: null, turns: 1, calls: [], results: [], begun: [], sources: [], below: [] });
  second.modelCall(callUsage(200, 50), ['read'], 2);
  second.toolCall('t2c1', 'read', 'doc');
  second.completed(toOutcome('s2', { usage: usage(250, 1), turns: 2, toolCalls: 1 }));
  run.childCompleted('s2', toOutcome('s2', { usage: usage(250, 1), turns: 2, toolCalls: 1 }));
  return { story, run };
}

/** Status and attempt of s2 as each further fact makes them. */
function stagesOf({ facts }: Story): string[] {
  const stages = facts.flatMap((_, index) => {
    const row = describeView(facts.slice(0, index + 1)).tree.find(({ id }) => id === 's2');
    return row ? [`${row.status} ${row.attempt ?? 1}`] : [];
  });
  return stages.filter((stage, index) => stage !== stages[index - 1]);
}

describe('a subagent that is started again', () => {
  test('goes from failed over queued and running to its new end, with the number of the attempt', () => {
    expect(stagesOf(tellRetried().story)).toEqual([
      'queued 1',
      'running 1',
      'failed 1',
      'queued 2',
      'running 2',
      'done 2',
    ]);
  });

  test('is told so by events, each once', () => {
    const { events } = foldAll(tellRetried().story.facts);
    const told = events.flatMap((event) =>
      event.type === 'subagent-status' && event.subagentId === 's2' ? [`${event.status} ${event.attempt}`] : [],
    );
    expect(told).toEqual(['queued 1', 'running 1', 'failed 1', 'queued 2', 'running 2', 'done 2']);
    // It was found by the first attempt.
    expect(events.filter(({ type }) => type === 'source-found')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'finding-added')).toHaveLength(1);
  });

  test('waits without the reason, the clock and the words of how it had ended', () => {
    const { story, run } = openFailed();
    run.add(retried);
    const row = rowOf(story.facts, 's2');
    expect(row).toMatchObject({ status: 'queued', attempt: 2, usage: { tokens: 120, wallClockMs: 0 } });
    for (const key of ['reason', 'message', 'startedAt', 'closedAt']) expect(row).not.toHaveProperty(key);
  });

  test('has used what all of its attempts have used, and no turn is counted twice', () => {
    const row = rowOf(tellRetried().story.facts, 's2');
    expect(row).toMatchObject({ usage: { tokens: 370, toolCalls: 2 }, turns: 2, toolCalls: 2 });
  });

  test('holds no more of the budget than its newest attempt has left of its allotment', () => {
    const { story, run } = openFailed();
    const held = (facts: readonly HistoryFact[]) => describeView(facts).budget.tokens;
    const before = held(story.facts);
    run.add(retried);
    run.childStarted('s2', 8_000);
    const second = createFactBuilder(story, 's2', 2);
    second.started({ allotment: { tokens: 8_000, toolCalls: 10 } });
    expect(held(story.facts).reserved - before.reserved).toBe(8_000);
    second.modelCall(callUsage(200, 50), [], 1);
    const after = held(story.facts);
    expect(after.reserved - before.reserved).toBe(7_750);
    expect(after.spent - before.spent).toBe(250);
  });

  test('counts what a first attempt had in flight, and those below that one alone', () => {
    const { story, run } = openFailed();
    run.add(retried);
    run.childStarted('s2', 8_000);
    const second = createFactBuilder(story, 's2', 2);
    second.started({ allotment: { tokens: 8_000, toolCalls: 10 }, delegatedBefore: 1 });
    // Below the first attempt, whose own word counts it already; below the second, which has not ended.
    const [old, own] = ['s2.1', 's2.2'].map((id) => createFactBuilder(story, id));
    old!.started({});
    old!.modelCall(callUsage(1_000, 0));
    own!.started({});
    own!.modelCall(callUsage(30, 3));
    expect(rowOf(story.facts, 's2').usage.tokens).toBe(120 + 33);
  });

  test('that never came to it again stays what it was, in what is kept of a run that ended without a result', () => {
    const { story, run } = openFailed();
    run.add(retried);
    run.add({ kind: 'workflow-terminated', reason: 'enough' });
    const { view } = foldAll(story.facts);
    expect(toRecordedResult(view).subagents[1]).toMatchObject({
      status: 'failed',
      reason: 'provider',
      usage: { tokens: 120 },
    });
    expect(toRunRecord(view).subagents[1]).toMatchObject({ outcome: { status: 'failed' }, resume: { turns: 1 } });
  });

  test('leads to the same view in every order between the histories', () => {
    const { story, run } = tellRetried();
    createFactBuilder(story, 's1').completed(toOutcome('s1'));
    run.childCompleted('s1', toOutcome('s1'));
    const whole = describeView(story.facts);
    const histories = [null, 's1', 's2'].map((id) => story.facts.filter((fact) => fact.subagentId === id));
    fc.assert(
      fc.property(fc.array(fc.nat(2), { minLength: 60, maxLength: 60 }), (choices) => {
        const left = histories.map((facts) => [...facts]);
        const order: HistoryFact[] = [];
        for (const choice of choices) {
          const next = left[choice]!.shift();
          if (next) order.push(next);
        }
        order.push(...left.flat());
        const view = describeView(order);
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        expect({ ...view, tree: view.tree.toSorted(byId) }).toEqual({ ...whole, tree: whole.tree.toSorted(byId) });
      }),
      { numRuns: 300 },
    );
  });
});

describe('what a subagent left to go on with', () => {
  const ofS2 = ({ facts }: Story, attempt = 1) =>
    facts.filter((fact) => fact.subagentId === 's2' && (fact.ofAttempt ?? 1) === attempt);

  test('is its last complete turn, with the answers that came', () => {
    const { resume, delegated } = leftWorkOf('s2', ofS2(openFailed().story));
    expect(resume).toMatchObject({ turns: 1, calls: [{ callId: 't1c1' }], results: [{ callId: 't1c1' }], begun: [] });
    expect(delegated).toBe(0);
  });

  test('counts the subtasks that it, and those before it, gave ids', () => {
    const story = openStory();
    const second = createFactBuilder(story, 's2', 2);
    second.started({ delegatedBefore: 2 });
    expect(leftWorkOf('s2', story.facts).delegated).toBe(2);
    second.childStarted('s2.3', 100);
    second.childCompleted('s2.3', toOutcome('s2.3', { reportRef: { hash: 'c'.repeat(64), bytes: 9 } }));
    second.modelCall(callUsage(10, 1), ['read']);
    const { resume, delegated } = leftWorkOf('s2', story.facts);
    expect(delegated).toBe(3);
    expect(resume!.below).toEqual([{ hash: 'c'.repeat(64), bytes: 9 }]);
  });

  test('is nothing where it never answered', () => {
    expect(leftWorkOf('s2', [])).toEqual({ resume: null, delegated: 0 });
  });
});
