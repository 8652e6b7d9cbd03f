import { describe, expect, test } from '@jest/globals';
import { recordedResultSchema } from '../../src/contract/result.ts';
import { stoppedUsageSchema } from '../../src/contract/stopped-usage.ts';
import { elapsedMs, toEpochMs } from '../../src/domain/projection/epoch-ms.ts';
import { renderLive, toLiveTexts, withLive } from '../../src/domain/projection/live-text.ts';
import { toRecordedResult } from '../../src/domain/projection/recorded-result.ts';
import { usageOfStopped } from '../../src/domain/projection/stopped-usage.ts';
import { toRunDescription } from '../../src/domain/projection/describe-run.ts';
import {
  callUsage,
  createFactBuilder,
  foldAll,
  openStory,
  type Story,
  tellWholeRun,
  toOutcome,
  toRecorded,
  toRequest,
  usage,
} from '../support/fact-builder.ts';

/** `s1` is done, `s2` has a model call in flight, `s3` was never started. */
function tellHalfARun(): Story {
  const story = openStory();
  const run = createFactBuilder(story, null);
  run.started(toRequest({ subtasks: [{ goal: 'a' }, { goal: 'b' }, { goal: 'c' }] }));
  run.childStarted('s1', 20_000);
  run.childStarted('s2', 20_000);
  run.childCompleted('s1', toOutcome('s1'));
  const s2 = createFactBuilder(story, 's2');
  s2.started({});
  s2.modelCall(callUsage(100, 50), ['read'], 1);
  s2.scheduled('callModelActivity', { maxSpendTokens: 4_000 });
  return story;
}

describe('the result of a run that returned nothing', () => {
  test('cancelled: no report, and every unfinished subagent is a gap with the operator as its reason', () => {
    const story = tellHalfARun();
    const run = createFactBuilder(story, null);
    run.add({ kind: 'workflow-cancel-requested', reason: 'wrong question' });
    const s2 = createFactBuilder(story, 's2');
    s2.add({ kind: 'workflow-cancel-requested', reason: 'wrong question' });
    run.add({
      kind: 'signalled',
      signal: 'subagentStopped',
      input: { id: 's2', usage: usage(777), turns: 1, toolCalls: 1, toolCallMessages: 1, transcript: null },
    });
    run.childFailed('s2', 'cancelled');
    run.add({ kind: 'workflow-cancelled' });
    const result = toRecordedResult(foldAll(story.facts).view);
    expect(recordedResultSchema.safeParse(result).error).toBeUndefined();
    expect(result).toMatchObject({
      status: 'cancelled',
      question: 'Why is the sky blue?',
      document: null,
      failure: { code: 'CANCELLED', message: 'cancelled by an operator: wrong question' },
      usage: { tokens: 1_500 + 777, estimated: false },
      gaps: [
        { subagentId: 's2', goal: 'goal of s2', status: 'cancelled', reason: 'operator' },
        { subagentId: 's3', goal: 'c', status: 'skipped', reason: 'operator' },
      ],
    });
    expect(result.subagents.map(({ status }) => status)).toEqual(['done', 'cancelled', 'skipped']);
  });

  test('terminated: what was in flight is charged at its reservation, as an estimate', () => {
    const story = tellHalfARun();
    createFactBuilder(story, null).add({ kind: 'workflow-terminated', reason: 'stuck' });
    const result = toRecordedResult(foldAll(story.facts).view);
    expect(result).toMatchObject({
      status: 'terminated',
      failure: { code: 'TERMINATED', message: 'terminated: stuck' },
      usage: { tokens: 1_500 + 150 + 4_000, estimated: true, usd: null },
      gaps: [
        { status: 'cancelled', reason: 'terminated' },
        { status: 'skipped', reason: 'terminated' },
      ],
    });
    expect(result.budget.tokens.spent).toBe(result.usage.tokens);
  });

  test('timed out: its subagents ran out of time with it', () => {
    const story = tellHalfARun();
    createFactBuilder(story, null).add({ kind: 'workflow-timed-out' });
    expect(toRecordedResult(foldAll(story.facts).view)).toMatchObject({
      status: 'timed-out',
      failure: { code: 'TIMED_OUT' },
      gaps: [
        { status: 'timed-out', reason: 'wall-clock' },
        { status: 'skipped', reason: 'wall-clock' },
      ],
    });
  });

  test('is refused while the run is open', () => {
    expect(() => toRecordedResult(foldAll(tellHalfARun().facts).view)).toThrow('still open');
  });
});

describe('the result of a run that recorded one', () => {
  test('is that, and the view shows its numbers', () => {
    const story = tellWholeRun();
    const recorded = toRecorded();
    createFactBuilder(story, null).completed(recorded);
    const { view } = foldAll(story.facts);
    expect(toRecordedResult(view)).toEqual(recorded);
    const shown = toRunDescription(view, { cursor: '', workflowId: 'run_1', atIso: view.lastEventAt });
    expect(shown).toMatchObject({ usage: recorded.usage, budget: recorded.budget, notes: ['a note'] });
  });

  test('of a failed run comes from the first detail of its failure', () => {
    const story = tellHalfARun();
    const failure = { code: 'JOIN_UNMET', message: 's2 failed' };
    const recorded = toRecorded({ status: 'failed', failure });
    createFactBuilder(story, null).add({ kind: 'workflow-failed', ...failure, details: [recorded] });
    expect(toRecordedResult(foldAll(story.facts).view)).toEqual(recorded);
  });
});

describe('what a stopped subagent used', () => {
  test('is what was settled and what was in flight', () => {
    const story = tellHalfARun();
    const facts = story.facts.filter((fact) => fact.subagentId === 's2');
    const stopped = usageOfStopped('s2', facts);
    expect(stoppedUsageSchema.safeParse(stopped).error).toBeUndefined();
    expect(stopped).toMatchObject({
      usage: { tokens: 4_150, estimated: true },
      turns: 1,
      toolCalls: 1,
      toolCallMessages: 1,
      transcript: { messages: 2 },
    });
  });

  test('is nothing where there is no history', () => {
    expect(usageOfStopped('s9', [])).toMatchObject({
      usage: { tokens: 0, estimated: false },
      turns: 0,
      transcript: null,
    });
  });
});

describe('what is live', () => {
  const activity = {
    subagentId: 's1',
    activityType: 'callModelActivity',
    state: 'scheduled',
    attempt: 2,
    maxAttempts: 3,
    nextAttemptInMs: 7_400,
    lastFailure: 'timeout',
  } as const;

  test('says which attempt waits for how long, and why', () => {
    expect(renderLive(activity)).toBe('retry 2/3 in 8s (timeout)');
    expect(renderLive({ ...activity, maxAttempts: 0, state: 'started', lastFailure: null })).toBe('retry 2');
    expect(renderLive({ ...activity, attempt: 1, state: 'started' })).toBeNull();
    expect(renderLive({ ...activity, attempt: 1 })).toBe('waits for a worker');
    expect(renderLive({ ...activity, state: 'cancel-requested' })).toBe('stopping');
  });

  test('shows as retrying, and changes no count', () => {
    const { view } = foldAll(tellHalfARun().facts);
    const run = toRunDescription(view, { cursor: '', workflowId: 'run_1', atIso: view.lastEventAt });
    const shown = withLive(run, toLiveTexts([{ ...activity, subagentId: 's2' }, activity]));
    expect(shown.tree[1]).toMatchObject({ status: 'retrying', live: 'retry 2/3 in 8s (timeout)' });
    expect(shown.tree[0]).toEqual(run.tree[0]);
    expect(shown.subagents).toEqual(run.subagents);
  });
});

describe('times without a clock', () => {
  test('are what Date says of them', () => {
    for (const iso of [
      '1970-01-01T00:00:00.000Z',
      '2024-02-29T23:59:59.999Z',
      '2026-12-31T12:30:15Z',
      '2100-03-01T00:00:00.5Z',
    ]) {
      expect(toEpochMs(iso)).toBe(Date.parse(iso));
    }
    expect(toEpochMs('yesterday')).toBeNull();
    expect(elapsedMs('2026-01-01T00:00:01.000Z', '2026-01-01T00:00:00.000Z')).toBe(0);
  });
});
