/** The description of a run from what was kept of it: without times of subagents, calls and approvals. */
import type { RunRecord, SubagentRecord } from '../../contract/run-record.ts';
import type { SubagentSummary } from '../../contract/result.ts';
import type { RunDescription, SubagentView } from '../../contract/run-view.ts';
import { toLineage } from '../adoption/to-lineage.ts';

export function toDescriptionOfRecord(record: RunRecord, cursor: string): RunDescription {
  const { runId, firstRunId, request, result, closedAt } = record;
  const { usage, budget, failure, cancel } = result;
  const tree = toTree(record);
  const counts: Record<string, number> = {};
  for (const { status } of tree) counts[status] = (counts[status] ?? 0) + 1;
  return {
    isKept: true,
    runId,
    title: record.title,
    status: result.status,
    startedAt: record.startedAt,
    closedAt,
    spentTokens: budget.tokens.spent,
    limitTokens: budget.tokens.limit,
    spentUsd: usage.usd,
    estimated: usage.estimated,
    limitUsd: budget.usd?.limit ?? null,
    subagents: counts,
    tags: record.tags,
    ...(request?.origin && { origin: toLineage(request.origin) }),
    cursor,
    request,
    budget,
    usage,
    ...(result.origin && { earlier: result.origin.spent }),
    toolCallsPerMessage: result.toolCallsPerMessage,
    tree,
    notes: result.notes,
    ...(failure && { failure }),
    ...(cancel && { cancelRequestedAt: cancel.requestedAt, cancel }),
    approvals: [],
    drafts: result.drafts ?? [],
    lastEventAt: closedAt,
    temporal: { workflowId: runId, firstRunId },
  };
}

/** What the result says of each, and the goals of those that it does not name. */
function toTree({ result, subagents }: RunRecord): SubagentView[] {
  const kept = new Map(subagents.map((each) => [each.id, each]));
  const named = new Set(result.subagents.map(({ id }) => id));
  return [
    ...result.subagents.map((summary) => toView(summary, kept.get(summary.id))),
    ...subagents.filter(({ id }) => !named.has(id)).map((each) => toView({ ...each.outcome, goal: each.goal }, each)),
  ];
}

function toView(summary: SubagentSummary, kept: SubagentRecord | undefined): SubagentView {
  const { id, goal, status, reason, message, usage, turns, toolCalls, reusedFrom, again } = summary;
  return {
    id,
    parentId: null,
    goal,
    status,
    ...(reason && { reason }),
    ...(message !== undefined && { message }),
    ...(reusedFrom !== undefined && { reusedFrom }),
    ...(again !== undefined && { again }),
    usage,
    limitTokens: 0,
    turns,
    toolCalls,
    findings: kept?.outcome.report?.claims.length ?? 0,
  };
}
