import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { HistoryFact } from '../../src/contract/history-fact.ts';
import { toRunDescription } from '../../src/domain/projection/describe-run.ts';
import { toRecordedResult } from '../../src/domain/projection/recorded-result.ts';
import { usageOfStopped } from '../../src/domain/projection/stopped-usage.ts';
import {
  callUsage,
  createFactBuilder,
  foldAll,
  openStory,
  toOutcome,
  toRequest,
  usage,
  type Story,
} from '../support/fact-builder.ts';

const describeView = (facts: readonly HistoryFact[]) =>
  toRunDescription(foldAll(facts).view, { cursor: 'c', workflowId: 'run_1', atIso: '2026-01-01T12:10:00.000Z' });
const tokensOf = (facts: readonly HistoryFact[]) =>
  Object.fromEntries(describeView(facts).tree.map(({ id, usage: { tokens } }) => [id, tokens]));

/** `s1` hands two parts on: `s1.1` ends, `s1.2` is at work with a call out. */
function tellNested() {
  const story: Story = openStory();
  const run = createFactBuilder(story, null);
  const [s1, s11, s12] = ['s1', 's1.1', 's1.2'].map((id) => createFactBuilder(story, id)) as [
    ReturnType<typeof createFactBuilder>,
    ReturnType<typeof createFactBuilder>,
    ReturnType<typeof createFactBuilder>,
  ];
  run.started(
    toRequest({ budget: { tokens: 100_000 }, subtasks: [{ goal: 'goal of s1' }, { goal: 'b' }], maxDepth: 2 }),
  );
  run.childStarted('s1', 40_000);
  s1.started({ goal: 'goal of s1', allotment: { tokens: 40_000, toolCalls: 10 } });
  s1.modelCall(callUsage(900, 100), ['delegate']);
  s1.childStarted('s1.1', 8_000);
  s1.childStarted('s1.2', 8_000);
  s11.started({ goal: 'goal of s1.1', allotment: { tokens: 8_000, toolCalls: 2 } });
  s12.started({ goal: 'goal of s1.2', allotment: { tokens: 8_000, toolCalls: 2 } });
  s11.modelCall(callUsage(300, 100));
  s12.modelCall(callUsage(200, 50), ['look']);
  const first = toOutcome('s1.1', { usage: usage(400) });
  s11.completed(first);
  s1.childCompleted('s1.1', first);
  s12.scheduled('callModelActivity', { maxSpendTokens: 3_000 });
  return { story, run, s1, s12 };
}

describe('subagents of subagents', () => {
  test('stand in the tree behind the one that started them, with their goals', () => {
    const { facts } = tellNested().story;
    expect(describeView(facts).tree.map(({ id, parentId, goal, status }) => [id, parentId, goal, status])).toEqual([
      ['s1', null, 'goal of s1', 'running'],
      ['s1.1', 's1', 'goal of s1.1', 'done'],
      ['s1.2', 's1', 'goal of s1.2', 'running'],
      ['s2', null, 'b', 'queued'],
    ]);
    expect(describeView(facts).subagents).toEqual({ running: 1, queued: 1 });
  });

  test('use what the one above them uses: it is counted once', () => {
    const { story, run, s1, s12 } = tellNested();
    expect(tokensOf(story.facts)).toEqual({ s1: 1_650, 's1.1': 400, 's1.2': 250, s2: 0 });
    const open = describeView(story.facts);
    expect(open.usage.tokens).toBe(1_650);
    // The allotments of those below are inside that of the one above.
    expect(open.budget.tokens).toMatchObject({ spent: 1_650, reserved: 38_350 + 10_000 });
    const second = toOutcome('s1.2', { usage: usage(700) });
    s12.completed(second);
    s1.childCompleted('s1.2', second);
    const whole = toOutcome('s1', { usage: usage(2_500) });
    s1.completed(whole);
    run.childCompleted('s1', whole);
    expect(tokensOf(story.facts)).toEqual({ s1: 2_500, 's1.1': 400, 's1.2': 700, s2: 0 });
    expect(describeView(story.facts)).toMatchObject({ usage: { tokens: 2_500 }, budget: { tokens: { spent: 2_500 } } });
  });

  test('are told of with their goal, and what they spend is told of those above too', () => {
    const { events } = foldAll(tellNested().story.facts);
    const goals = events.flatMap((event) => (event.type === 'subagent-status' && event.goal ? [event.goal] : []));
    expect([...new Set(goals)]).toEqual(['goal of s1.1', 'goal of s1.2']);
    const last = events.filter((event) => event.type === 'budget-updated').slice(-2);
    expect(last.map(({ subagentId, usage: { tokens } = { tokens: 0 } }) => [subagentId, tokens])).toEqual([
      ['s1.2', 250],
      ['s1', 1_650],
    ]);
  });

  test('whose run was cancelled are charged for what was out, once, and stand in no result of their own', () => {
    const { story, run } = tellNested();
    run.add({ kind: 'workflow-cancelled' });
    const result = toRecordedResult(foldAll(story.facts).view);
    expect(result.subagents.map(({ id, usage: { tokens } }) => [id, tokens])).toEqual([
      ['s1', 4_650],
      ['s2', 0],
    ]);
    expect(result.usage).toMatchObject({ tokens: 4_650, estimated: true });
    expect(result.budget.tokens).toMatchObject({ spent: 4_650, reserved: 0 });
  });

  test('say what they used to the one that started them', () => {
    const { story, s1 } = tellNested();
    s1.childFailed('s1.2', 'cancelled');
    const stopped = { id: 's1.2', usage: usage(900), turns: 1, toolCalls: 1, toolCallMessages: 1, transcript: null };
    s1.add({ kind: 'signalled', signal: 'subagentStopped', input: stopped });
    expect(tokensOf(story.facts)).toMatchObject({ s1: 2_300, 's1.2': 900 });
  });

  test('lead to the same view in every order between their histories', () => {
    const { facts } = tellNested().story;
    const wanted = describeView(facts);
    const queues = () => [null, 's1', 's1.1', 's1.2'].map((id) => facts.filter((fact) => fact.subagentId === id));
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { minLength: 60, maxLength: 60 }), (picks) => {
        const waiting = queues();
        const mixed = picks.flatMap((pick) => waiting[pick]!.splice(0, 1));
        const seen = describeView([...mixed, ...waiting.flat()]);
        expect({ tree: seen.tree, budget: seen.budget, usage: seen.usage }).toEqual({
          tree: wanted.tree,
          budget: wanted.budget,
          usage: wanted.usage,
        });
      }),
      { numRuns: 60 },
    );
  });
});

test('what was used below one that closed without a word is part of what it used', () => {
  const { facts } = tellNested().story;
  const of = (id: string) => facts.filter((fact) => fact.subagentId === id);
  const below = ['s1.1', 's1.2'].map((id) => usageOfStopped(id, of(id)));
  expect(below.map((each) => each.usage.tokens)).toEqual([400, 3_250]);
  expect(usageOfStopped('s1', of('s1'), below).usage).toMatchObject({ tokens: 4_650, estimated: true });
});
