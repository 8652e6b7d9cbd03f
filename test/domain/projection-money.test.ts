/** Money as watchers see it, from the histories alone: the same numbers as the ledgers of the workflows hold. */
import { describe, expect, test } from '@jest/globals';
import type { HistoryFact } from '../../src/contract/history-fact.ts';
import { toRunDescription } from '../../src/domain/projection/describe-run.ts';
import { toRecordedResult } from '../../src/domain/projection/recorded-result.ts';
import { usageOfStopped } from '../../src/domain/projection/stopped-usage.ts';
import {
  callUsage,
  createFactBuilder,
  foldAll,
  openStory,
  tellWholeRun,
  toOutcome,
  toReply,
  toRequest,
  usage,
} from '../support/fact-builder.ts';

const describeView = (facts: readonly HistoryFact[]) =>
  toRunDescription(foldAll(facts).view, { cursor: 'c', workflowId: 'run_1', atIso: '2026-01-01T12:10:00.000Z' });

const rates = { input: 1, output: 10 };
/** A call that may cost at most 10,000 + 9 × 1,000 millionths. */
const step = { maxSpendTokens: 10_000, maxOutputTokens: 1_000, rates };
const child = (id: string) => ({
  childId: id,
  workflowRunId: `first-${id}`,
  input: { id, goal: id, allotment: { tokens: 20_000, toolCalls: 10, microUsd: 400_000 } },
});

function tellPaidRun() {
  const story = openStory();
  const run = createFactBuilder(story, null);
  run.started(toRequest({ budget: { usd: 2 }, subtasks: [{ goal: 'a' }, { goal: 'b' }] }));
  run.add({ kind: 'child-started', ...child('s1') });
  run.add({ kind: 'child-started', ...child('s2') });
  return { story, run, s1: createFactBuilder(story, 's1'), s2: createFactBuilder(story, 's2') };
}

describe('the money of a run with a limit', () => {
  test('is spent by settled calls, held for allotments and the report, and adds up', () => {
    const { story, s1 } = tellPaidRun();
    const id = s1.scheduled('callModelActivity', step);
    s1.activityCompleted(id, toReply(callUsage(3_000, 700, 0.01), [], 1));
    const { budget, usage: used, spentUsd, limitUsd, tree } = describeView(story.facts);
    expect(budget.usd).toEqual({ spent: 0.01, reserved: 0.39 + 0.4 + 0.2, remaining: 1, limit: 2 });
    expect({ used: used.usd, spentUsd, limitUsd }).toEqual({ used: 0.01, spentUsd: 0.01, limitUsd: 2 });
    expect(tree[0]!.usage).toMatchObject({ usd: 0.01, estimated: false });
  });

  test('returns to the pool when a subagent ends', () => {
    const { story, run } = tellPaidRun();
    run.childCompleted('s1', toOutcome('s1', { usage: { ...usage(1_500, 1), usd: 0.125 } }));
    expect(describeView(story.facts).budget.usd).toEqual({ spent: 0.125, reserved: 0.6, remaining: 1.275, limit: 2 });
  });

  test('that a call in flight may cost is charged when its workflow is gone, as an estimate', () => {
    const { story, run, s1 } = tellPaidRun();
    s1.started({ goal: 'a' });
    s1.scheduled('callModelActivity', step);
    expect(describeView(story.facts).usage).toMatchObject({ usd: 0, estimated: false });
    run.add({ kind: 'workflow-terminated', reason: 'stuck' });
    const result = toRecordedResult(foldAll(story.facts).view);
    expect(result.usage).toMatchObject({ usd: 0.019, estimated: true });
    expect(result.budget.usd).toEqual({ spent: 0.019, reserved: 0, remaining: 1.981, limit: 2 });
    const own = story.facts.filter(({ subagentId }) => subagentId === 's1');
    expect(usageOfStopped('s1', own).usage).toMatchObject({ usd: 0.019, tokens: 10_000, estimated: true });
  });

  test('of the planner and of the report are held while they are asked', () => {
    const story = openStory();
    const run = createFactBuilder(story, null);
    run.started(toRequest({ budget: { usd: 1 } }));
    const plan = run.scheduled('planActivity', step);
    expect(describeView(story.facts).budget.usd).toMatchObject({ spent: 0, reserved: 0.119 });
    run.activityFailed(plan, 'timed-out', null);
    expect(describeView(story.facts)).toMatchObject({
      budget: { usd: { spent: 0.019, reserved: 0.1, remaining: 0.881 } },
      usage: { usd: 0.019, estimated: true },
    });
    run.scheduled('synthesizeActivity', { ...step, withoutModel: false });
    expect(describeView(story.facts).budget.usd).toMatchObject({ reserved: 0.019 });
  });
});

describe('a history from before there was money in it', () => {
  test('has no meter of it, and an unknown price where a call was not settled', () => {
    const { facts } = tellWholeRun();
    const { budget, spentUsd, limitUsd } = describeView(facts);
    expect({ budget: budget.usd, spentUsd, limitUsd }).toEqual({ budget: undefined, spentUsd: 0, limitUsd: null });
    const story = openStory();
    createFactBuilder(story, 's1').scheduled('callModelActivity', { maxSpendTokens: 4_000 });
    expect(usageOfStopped('s1', story.facts).usage).toMatchObject({ tokens: 4_000, usd: null });
  });

  test('says nothing of the price of lost requests, and so their sum is not known', () => {
    const story = openStory();
    const s1 = createFactBuilder(story, 's1');
    const before = { ...callUsage(100, 20, 0.5), lost: 1, requests: 2, requestUsd: undefined };
    const id = s1.scheduled('callModelActivity', { maxSpendTokens: 4_000 });
    s1.activityCompleted(id, toReply(before as never, [], 1));
    expect(usageOfStopped('s1', story.facts).usage).toMatchObject({ usd: null, estimated: true });
  });
});
