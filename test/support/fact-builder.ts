/** Histories of a run, made by hand: one builder per workflow, which numbers the events and moves a clock. */
import { defaults } from '../../src/contract/defaults.ts';
import type { HistoryFact } from '../../src/contract/history-fact.ts';
import { researchRequestSchema, type ResearchRequest, type ResearchRequestInput } from '../../src/contract/request.ts';
import type { SubagentOutcome } from '../../src/contract/outcome.ts';
import type { RecordedResult } from '../../src/contract/result.ts';
import type { CallUsage, Usage } from '../../src/contract/budget.ts';
import type { ProjectedEvent } from '../../src/domain/projection/fold-fact.ts';
import { foldFact } from '../../src/domain/projection/fold-fact.ts';
import { openRunView, type RunView } from '../../src/domain/projection/run-state.ts';

export const runId = 'run_1';

type FactBody = HistoryFact extends infer Fact
  ? Fact extends HistoryFact
    ? Omit<Fact, 'subagentId' | 'ofAttempt' | 'eventId' | 'at'>
    : never
  : never;

/** All facts so far, in the order in which they were added, whichever workflow they are of. */
export type Story = { readonly facts: HistoryFact[]; ms: number };

export function openStory(): Story {
  return { facts: [], ms: Date.UTC(2026, 0, 1, 12) };
}

export function createFactBuilder(story: Story, subagentId: string | null, ofAttempt = 1) {
  let eventId = 0;
  const add = (body: FactBody, afterMs = 100): number => {
    eventId += 1;
    story.ms += afterMs;
    const attempt = ofAttempt > 1 ? { ofAttempt } : {};
    story.facts.push({ subagentId, ...attempt, eventId, at: new Date(story.ms).toISOString(), ...body });
    return eventId;
  };
  return {
    add,
    started: (input: unknown) => add({ kind: 'workflow-started', input, firstRunId: 'first' }),
    completed: (result: unknown) => add({ kind: 'workflow-completed', result }),
    scheduled: (activityType: string, input: unknown) => add({ kind: 'activity-scheduled', activityType, input }),
    activityCompleted: (scheduledEventId: number, result: unknown, afterMs = 100) =>
      add({ kind: 'activity-completed', scheduledEventId, attempt: 1, result }, afterMs),
    activityFailed: (scheduledEventId: number, how: 'failed' | 'timed-out' | 'cancelled', details: unknown) =>
      add({
        kind: 'activity-failed',
        scheduledEventId,
        how,
        attempt: 1,
        code: 'MODEL_SERVER',
        message: 'away',
        details,
      }),
    /** One answered model call; `calls` are the names of the tools that it asks for. */
    modelCall(spend: CallUsage, calls: readonly string[] = [], turn = 1): void {
      const id = this.scheduled('callModelActivity', { maxSpendTokens: 5_000, turn });
      this.activityCompleted(id, toReply(spend, calls, turn));
    },
    toolCall(callId: string, name: string, sourceId: string): void {
      const id = this.scheduled('callToolActivity', { callId, name });
      this.activityCompleted(id, toToolResult(callId, sourceId));
    },
    childStarted: (childId: string, tokens: number) =>
      add({
        kind: 'child-started',
        childId,
        workflowRunId: `first-${childId}`,
        input: { id: childId, goal: `goal of ${childId}`, allotment: { tokens, toolCalls: 10 } },
      }),
    childCompleted: (childId: string, result: unknown) => add({ kind: 'child-completed', childId, result }),
    childFailed: (childId: string, how: 'failed' | 'timed-out' | 'cancelled' | 'terminated', details: unknown = null) =>
      add({ kind: 'child-failed', childId, how, message: how, details }),
  };
}

export function toReply(spend: CallUsage, calls: readonly string[], turn: number) {
  return {
    kind: 'reply',
    head: { hash: 'a'.repeat(64), messages: turn * 2, bytes: 10, knownTokens: 10 },
    calls: calls.map((name, index) => ({
      callId: `t${turn}c${index + 1}`,
      name,
      argumentsPreview: `{"query":"${index + 1}"}`,
      argumentsHash: 'h',
    })),
    finish: calls.length > 0 ? 'tool-calls' : 'stop',
    report: null,
    usage: spend,
  };
}

export function toToolResult(callId: string, sourceId: string) {
  return {
    callId,
    isError: false,
    ref: { hash: 'b'.repeat(64), bytes: 3 },
    preview: `read ${sourceId}`,
    sources: [{ id: sourceId, url: `file:${sourceId}`, title: sourceId.toUpperCase() }],
    durationMs: 40,
  };
}

export function callUsage(inputTokens: number, outputTokens: number, usd: number | null = 0): CallUsage {
  return { requests: 1, inputTokens, outputTokens, usd, lost: 0, requestTokens: 1_000, requestUsd: usd };
}

export function usage(tokens: number, toolCalls = 0): Usage {
  return { inputTokens: tokens, outputTokens: 0, tokens, usd: 0, toolCalls, wallClockMs: 100, estimated: false };
}

export function toRequest(input: Partial<ResearchRequestInput> = {}): ResearchRequest {
  return researchRequestSchema.parse({ runId, question: 'Why is the sky blue?', ...input });
}

export function toOutcome(id: string, over: Partial<SubagentOutcome> = {}): SubagentOutcome {
  return {
    id,
    status: 'done',
    report: {
      summary: 'found',
      claims: [{ text: `claim of ${id}`, sourceId: 'doc', quote: 'words' }],
      tried: [],
      failed: [],
    },
    reportRef: null,
    usage: usage(1_500, 1),
    turns: 2,
    toolCalls: 1,
    toolCallMessages: 1,
    transcript: null,
    ...over,
  };
}

export function toRecorded(over: Partial<RecordedResult> = {}): RecordedResult {
  const meter = { spent: 2_000, reserved: 0, remaining: 8_000, limit: 10_000 };
  return {
    runId,
    status: 'completed',
    question: 'Why is the sky blue?',
    gaps: [],
    notes: ['a note'],
    usage: usage(2_000, 1),
    budget: { tokens: meter, toolCalls: meter, wallClockMs: meter },
    toolCallsPerMessage: 1,
    subagents: [],
    document: null,
    documentRef: null,
    ...over,
  };
}

export function foldAll(facts: readonly HistoryFact[]): { view: RunView; events: ProjectedEvent[] } {
  let view = openRunView(runId, defaults);
  const events: ProjectedEvent[] = [];
  for (const fact of facts) {
    const folded = foldFact(view, fact);
    view = folded.view;
    events.push(...folded.events);
  }
  return { view, events };
}

/** A whole run of two subagents, up to its end: `s1` reads a document, `s2` answers at once. */
export function tellWholeRun(): Story {
  const story = openStory();
  const run = createFactBuilder(story, null);
  run.started(toRequest({ budget: { tokens: 100_000 } }));
  const open = run.scheduled('openRunActivity', {});
  run.activityCompleted(open, { storeId: 'store', tools: [], notes: ['one file was skipped'] });
  const plan = run.scheduled('planActivity', { maxSpendTokens: 4_000 });
  run.activityCompleted(plan, {
    kind: 'plan',
    plan: { subtasks: ['s1', 's2'].map((id) => ({ id, goal: `goal of ${id}` })), notes: ['cut'] },
    usage: callUsage(300, 200),
  });
  run.childStarted('s1', 20_000);
  run.childStarted('s2', 20_000);
  const [s1, s2] = [createFactBuilder(story, 's1'), createFactBuilder(story, 's2')];
  s1.started({ goal: 'goal of s1', allotment: { tokens: 20_000, toolCalls: 10 } });
  s2.started({ goal: 'goal of s2', allotment: { tokens: 20_000, toolCalls: 10 } });
  s1.modelCall(callUsage(500, 100), ['corpus_read']);
  s2.modelCall(callUsage(400, 100));
  s1.toolCall('t1c1', 'corpus_read', 'doc');
  s1.modelCall(callUsage(800, 100), [], 2);
  const [first, second] = [
    toOutcome('s1'),
    toOutcome('s2', { usage: usage(500), toolCalls: 0, toolCallMessages: 0, turns: 1 }),
  ];
  s1.completed(first);
  run.childCompleted('s1', first);
  s2.completed(second);
  run.childCompleted('s2', second);
  const synthesis = run.scheduled('synthesizeActivity', { maxSpendTokens: 9_000, withoutModel: false });
  run.activityCompleted(synthesis, {
    documentRef: { hash: 'c'.repeat(64), bytes: 10 },
    document: null,
    notes: [],
    usage: callUsage(700, 300),
  });
  return story;
}
