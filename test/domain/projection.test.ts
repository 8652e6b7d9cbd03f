import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { HistoryFact } from '../../src/contract/history-fact.ts';
import { budgetOf } from '../../src/domain/projection/run-budget.ts';
import { runStatusOf, subagentOf } from '../../src/domain/projection/run-state.ts';
import { statusOf } from '../../src/domain/projection/subagent-state.ts';
import { toRunDescription } from '../../src/domain/projection/describe-run.ts';
import {
  callUsage,
  createFactBuilder,
  foldAll,
  openStory,
  tellWholeRun,
  toOutcome,
  toRecorded,
  toRequest,
  usage,
} from '../support/fact-builder.ts';

const describeView = (facts: readonly HistoryFact[]) =>
  toRunDescription(foldAll(facts).view, { cursor: 'c', workflowId: 'run_1', atIso: '2026-01-01T12:10:00.000Z' });

describe('the status of a run', () => {
  test('goes from queued over planning, running and synthesizing to its end', () => {
    const { facts } = tellWholeRun();
    const seen = facts.map((_, index) => runStatusOf(foldAll(facts.slice(0, index + 1)).view));
    expect([...new Set(seen)]).toEqual(['queued', 'planning', 'running', 'synthesizing']);
  });

  test('is partial when the recorded result says so', () => {
    const story = tellWholeRun();
    createFactBuilder(story, null).completed(toRecorded({ status: 'partial' }));
    expect(runStatusOf(foldAll(story.facts).view)).toBe('partial');
  });

  test('is cancelling from the request on, and cancelled only at the end', () => {
    const story = openStory();
    const run = createFactBuilder(story, null);
    run.started(toRequest());
    run.add({ kind: 'workflow-cancel-requested', reason: 'too slow' });
    expect(describeView(story.facts)).toMatchObject({ status: 'cancelling', cancelReason: 'too slow' });
    run.add({ kind: 'workflow-cancelled' });
    expect(describeView(story.facts).status).toBe('cancelled');
  });

  test.each([
    ['workflow-terminated', 'terminated'],
    ['workflow-timed-out', 'timed-out'],
    ['workflow-failed', 'failed'],
  ] as const)('of a %s is %s', (kind, status) => {
    const story = openStory();
    const run = createFactBuilder(story, null);
    run.started(toRequest());
    run.add({ kind, reason: 'r', code: 'JOIN_UNMET', message: 'm', details: null });
    expect(describeView(story.facts).status).toBe(status);
  });

  test('survives a run that was started by hand with nonsense', () => {
    const story = openStory();
    const run = createFactBuilder(story, null);
    run.started({ question: 7 });
    run.add({ kind: 'workflow-failed', code: 'INVALID_REQUEST', message: 'no question', details: ['?'] });
    expect(describeView(story.facts)).toMatchObject({
      status: 'failed',
      request: null,
      failure: { code: 'INVALID_REQUEST', message: 'no question' },
    });
  });
});

describe('the subagents of a run', () => {
  test('are queued in plan order once the plan is there', () => {
    const { facts } = tellWholeRun();
    const planned = facts.findIndex((fact) => fact.kind === 'child-started');
    expect(describeView(facts.slice(0, planned)).tree.map(({ id, status, goal }) => [id, status, goal])).toEqual([
      ['s1', 'queued', 'goal of s1'],
      ['s2', 'queued', 'goal of s2'],
    ]);
  });

  test('are queued from the start when the caller gave the subtasks', () => {
    const story = openStory();
    createFactBuilder(story, null).started(toRequest({ subtasks: [{ goal: 'a' }, { goal: 'b' }] }));
    const { events } = foldAll(story.facts);
    expect(describeView(story.facts).subagents).toEqual({ queued: 2 });
    expect(events.filter((event) => event.type === 'plan-approved')).toHaveLength(1);
  });

  test('show what they spent, call and found, from their own histories', () => {
    const { facts } = tellWholeRun();
    const upToTool = facts.findIndex(
      (fact) => fact.kind === 'activity-completed' && fact.subagentId === 's1' && fact.eventId === 5,
    );
    expect(describeView(facts.slice(0, upToTool + 1)).tree[0]).toMatchObject({
      status: 'running',
      turns: 1,
      toolCalls: 1,
      limitTokens: 20_000,
      usage: { tokens: 600, toolCalls: 1, estimated: false },
      lastCall: { tool: 'corpus_read', input: '{"query":"1"}', ok: true, preview: 'read doc' },
    });
    expect(describeView(facts).tree[0]).toMatchObject({ status: 'done', findings: 1, turns: 2 });
  });

  test('that failed keep the outcome that their failure carries', () => {
    const story = openStory();
    const run = createFactBuilder(story, null);
    run.started(toRequest());
    run.childStarted('s1', 9_000);
    const outcome = toOutcome('s1', { status: 'failed', reason: 'rate-limit', message: 'limited', report: null });
    run.childFailed('s1', 'failed', [outcome]);
    expect(describeView(story.facts).tree[0]).toMatchObject({
      status: 'failed',
      reason: 'rate-limit',
      message: 'limited',
      usage: { tokens: 1_500 },
    });
  });

  test.each([
    ['terminated', 'failed', 'terminated'],
    ['timed-out', 'timed-out', 'wall-clock'],
    ['cancelled', 'cancelled', 'join'],
  ] as const)('that were %s without a word are %s (%s)', (how, status, reason) => {
    const story = openStory();
    const run = createFactBuilder(story, null);
    run.started(toRequest());
    run.childStarted('s1', 9_000);
    run.childFailed('s1', how);
    expect(describeView(story.facts).tree[0]).toMatchObject({ status, reason });
  });

  test('that an operator cancels alone say so, and those that the join cancels say that', () => {
    const reasonWhen = (byRun: boolean) => {
      const story = openStory();
      createFactBuilder(story, null).started(toRequest());
      const s1 = createFactBuilder(story, 's1');
      s1.started({});
      s1.add({ kind: 'workflow-cancel-requested', reason: '', byRun });
      return describeView(story.facts).tree[0];
    };
    expect(reasonWhen(false)).toMatchObject({ status: 'cancelling', reason: 'operator' });
    expect(reasonWhen(true)).toMatchObject({ status: 'cancelling', reason: 'join' });
  });

  test('take their last word from the result of the run', () => {
    const story = tellWholeRun();
    const summary = {
      id: 's2',
      goal: 'goal of s2',
      status: 'timed-out' as const,
      reason: 'join' as const,
      usage: usage(444),
      turns: 1,
      toolCalls: 0,
    };
    createFactBuilder(story, null).completed(toRecorded({ subagents: [summary] }));
    expect(describeView(story.facts).tree[1]).toMatchObject({
      status: 'timed-out',
      reason: 'join',
      usage: { tokens: 444 },
    });
  });
});

describe('the budget of a run', () => {
  test('adds up at every step: spent, reserved and remaining are the limit', () => {
    const { facts } = tellWholeRun();
    for (let count = 1; count <= facts.length; count += 1) {
      const budget = budgetOf(foldAll(facts.slice(0, count)).view, facts[count - 1]!.at);
      for (const meter of Object.values(budget)) {
        expect(meter.spent + meter.reserved + meter.remaining).toBe(meter.limit);
      }
    }
  });

  test('holds the allotments of open subagents and the reserve of the report', () => {
    const { facts } = tellWholeRun();
    const started = facts.findIndex((fact) => fact.kind === 'workflow-started' && fact.subagentId === 's2');
    const { view } = foldAll(facts.slice(0, started + 1));
    expect(budgetOf(view, facts[started]!.at).tokens).toEqual({
      spent: 500,
      reserved: 20_000 + 20_000 + 10_000,
      remaining: 49_500,
      limit: 100_000,
    });
  });

  test('holds nothing of a subagent that has ended, and spends what it used', () => {
    const { facts } = tellWholeRun();
    expect(budgetOf(foldAll(facts).view, facts.at(-1)!.at).tokens).toEqual({
      spent: 500 + 1_500 + 500 + 1_000,
      reserved: 0,
      remaining: 96_500,
      limit: 100_000,
    });
  });

  test('charges a failed model call by its own word, and at its reservation where it left none', () => {
    const story = openStory();
    const s1 = createFactBuilder(story, 's1');
    s1.started({});
    const spoken = s1.scheduled('callModelActivity', { maxSpendTokens: 5_000 });
    s1.activityFailed(spoken, 'failed', [callUsage(70, 30)]);
    expect(describeView(story.facts).tree[0]!.usage).toMatchObject({ tokens: 100, estimated: false });
    const silent = s1.scheduled('callModelActivity', { maxSpendTokens: 5_000 });
    s1.activityFailed(silent, 'cancelled', ['ACTIVITY_ID_NOT_STARTED']);
    expect(describeView(story.facts).tree[0]!.usage).toMatchObject({ tokens: 5_100, estimated: true, usd: null });
  });

  test('does not believe the heartbeat of a call that timed out', () => {
    const story = openStory();
    const s1 = createFactBuilder(story, 's1');
    const id = s1.scheduled('callModelActivity', { maxSpendTokens: 5_000 });
    s1.activityFailed(id, 'timed-out', [callUsage(1, 1)]);
    expect(describeView(story.facts).tree[0]!.usage.tokens).toBe(5_000);
  });

  test('counts a subagent once, whether its own history or its run tells of the end first', () => {
    const { facts } = tellWholeRun();
    const late = facts.filter((fact) => fact.subagentId === 's1' && fact.kind === 'workflow-completed');
    const others = facts.filter((fact) => !late.includes(fact));
    expect(budgetOf(foldAll([...others, ...late]).view, facts.at(-1)!.at)).toEqual(
      budgetOf(foldAll(facts).view, facts.at(-1)!.at),
    );
  });
});

describe('the events of the fold', () => {
  test('tell of each tool call, source and finding once', () => {
    const { events } = foldAll(tellWholeRun().facts);
    const count = (type: string) => events.filter((event) => event.type === type).length;
    expect(count('tool-call-started')).toBe(1);
    expect(count('tool-call-finished')).toBe(1);
    expect(count('source-found')).toBe(1);
    expect(count('finding-added')).toBe(2);
    expect(count('plan-approved')).toBe(1);
    expect(
      events.filter((event) => event.type === 'subagent-status').map((event) => `${event.subagentId} ${event.status}`),
    ).toEqual(['s1 queued', 's2 queued', 's1 running', 's2 running', 's1 done', 's2 done']);
  });

  test('name the parent of a nested subagent', () => {
    const story = openStory();
    createFactBuilder(story, 's2.1').started({});
    expect(foldAll(story.facts).events[0]).toMatchObject({ subagentId: 's2.1', parentId: 's2' });
  });

  test('are the same once each, and the view the same, in every interleaving of the histories', () => {
    const story = tellWholeRun();
    createFactBuilder(story, null).completed(toRecorded());
    const whole = foldAll(story.facts);
    const histories = [null, 's1', 's2'].map((id) => story.facts.filter((fact) => fact.subagentId === id));
    const tally = (events: readonly { type: string }[]) =>
      events
        .filter((event) => event.type !== 'budget-updated')
        .map((event) => JSON.stringify({ ...event, at: '' }))
        .sort();
    fc.assert(
      fc.property(fc.array(fc.nat(2), { minLength: 60, maxLength: 60 }), (choices) => {
        const left = histories.map((facts) => [...facts]);
        const order: HistoryFact[] = [];
        for (const choice of choices) {
          const next = left[choice]!.shift();
          if (next) order.push(next);
        }
        order.push(...left.flat());
        const folded = foldAll(order);
        expect({ ...folded.view, subagents: folded.view.subagents.map(statusOf) }).toMatchObject({
          end: whole.view.end,
          shares: whole.view.shares,
          closedAt: whole.view.closedAt,
        });
        // A child that is seen before its run's plan is told as running at once; everything else is the same.
        const known = order.findIndex((fact) => fact.subagentId !== null);
        const planned = order.findIndex(
          (fact) => fact.kind === 'activity-completed' && fact.subagentId === null && fact.eventId === 5,
        );
        if (planned < known) expect(tally(folded.events)).toEqual(tally(whole.events));
        for (const id of ['s1', 's2'])
          expect(subagentOf(folded.view, id)!.outcome).toEqual(subagentOf(whole.view, id)!.outcome);
      }),
      { numRuns: 200 },
    );
  });
});

test('a fold of 5,000 tool calls takes well under a second', () => {
  const story = openStory();
  const run = createFactBuilder(story, null);
  run.started(toRequest({ budget: { tokens: 10_000_000, toolCalls: 10_000 } }));
  for (let each = 1; each <= 50; each += 1) {
    run.childStarted(`s${each}`, 100_000);
    const subagent = createFactBuilder(story, `s${each}`);
    subagent.started({});
    for (let turn = 1; turn <= 25; turn += 1) {
      subagent.modelCall(callUsage(10, 10), ['read', 'read', 'read', 'read'], turn);
      for (let call = 1; call <= 4; call += 1)
        subagent.toolCall(`t${turn}c${call}`, 'read', `doc${each}-${turn}-${call}`);
    }
  }
  const { view, events } = foldAll(story.facts);
  expect(view.shares.spent).toEqual({ tokens: 25_000, toolCalls: 5_000, microUsd: 0 });
  expect(events.filter((event) => event.type === 'tool-call-finished')).toHaveLength(5_000);
});
