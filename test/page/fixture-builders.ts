/** Parts of runs as the page gets them, with what a fixture does not care about filled in. */
import type { Usage } from '../../src/contract/budget.ts';
import { researchRequestSchema } from '../../src/contract/request.ts';
import type { RunResult, TerminalRunStatus } from '../../src/contract/result.ts';
import type { RunDescription, RunEvent, SubagentView } from '../../src/contract/run-view.ts';

/** An event without the fields that the fixture fills in. */
export type FixtureEvent = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, 'cursor' | 'runId'>
    : never
  : never;

export type FixtureRun = {
  description: RunDescription;
  /** `null` until the run has ended. */
  result: RunResult | null;
  readonly past: readonly FixtureEvent[];
};

export const usage = (tokens: number, usd: number | null = 0, toolCalls = 0): Usage => ({
  inputTokens: tokens,
  outputTokens: 0,
  tokens,
  usd,
  toolCalls,
  wallClockMs: 60_000,
  estimated: false,
});

export const meter = (spent: number, limit: number, reserved = 0) => ({
  spent,
  reserved,
  remaining: Math.max(0, limit - spent - reserved),
  limit,
});

export const isoAt = (ms: number) => new Date(ms).toISOString();

export function toSubagent(id: string, goal: string, overrides: Partial<SubagentView> = {}): SubagentView {
  const dot = id.lastIndexOf('.');
  return {
    id,
    parentId: dot < 0 ? null : id.slice(0, dot),
    goal,
    status: 'running',
    usage: usage(41_200, 0.28, 17),
    limitTokens: 150_000,
    turns: 4,
    toolCalls: 17,
    findings: 0,
    ...overrides,
  };
}

export function toDescription(
  runId: string,
  title: string,
  startedMs: number,
  overrides: Partial<RunDescription> = {},
): RunDescription {
  const counts: Record<string, number> = {};
  for (const { status } of overrides.tree ?? []) counts[status] = (counts[status] ?? 0) + 1;
  return {
    runId,
    title,
    status: 'running',
    startedAt: isoAt(startedMs),
    spentTokens: overrides.budget?.tokens.spent ?? 121_000,
    limitTokens: 1_000_000,
    spentUsd: overrides.budget?.usd?.spent ?? 0,
    limitUsd: overrides.budget?.usd?.limit ?? null,
    estimated: false,
    subagents: counts,
    tags: [],
    cursor: 'c0',
    request: researchRequestSchema.parse({ runId, question: title, budget: { onExhausted: 'pause' } }),
    budget: {
      tokens: meter(612_000, 1_000_000, 40_000),
      toolCalls: meter(183, 200),
      wallClockMs: meter(0, 1_200_000),
      usd: meter(3.82, 5, 0.4),
    },
    usage: usage(612_000, 3.82, 183),
    toolCallsPerMessage: 2.3,
    tree: [],
    notes: [],
    approvals: [],
    drafts: [],
    lastEventAt: isoAt(startedMs),
    temporal: {
      workflowId: runId,
      firstRunId: 'f',
      url: `http://127.0.0.1:8233/namespaces/tributary/workflows/${runId}`,
    },
    ...overrides,
  };
}

export function toResult(
  { runId, title, tree, budget, usage: used }: RunDescription,
  status: TerminalRunStatus,
  overrides: Partial<RunResult> = {},
): RunResult {
  return {
    type: 'result',
    runId,
    status,
    exitCode: 0,
    question: title,
    report: null,
    citations: [],
    sources: [],
    gaps: [],
    notes: [],
    usage: used,
    budget,
    toolCallsPerMessage: 2.3,
    subagents: tree.map((view) => ({
      id: view.id,
      goal: view.goal,
      status: 'done',
      usage: view.usage,
      turns: view.turns,
      toolCalls: view.toolCalls,
    })),
    ...overrides,
  };
}
