/** What a run returns, or carries in its failure: everything but the report itself. */
import type { Adoption } from '../contract/adopt.ts';
import type { SubagentOutcome } from '../contract/outcome.ts';
import type { RecordedResult, ReportDocument, SubagentSummary } from '../contract/result.ts';
import type { BlobRef } from '../contract/transcript.ts';
import { toLineage } from '../domain/adoption/to-lineage.ts';
import { toGaps } from '../domain/join.ts';
import type { RunState } from './run-state.ts';

/** Everything about the run but the report's bulk. */
export function recordResult(
  run: RunState,
  status: RecordedResult['status'],
  end: {
    readonly notNeeded?: readonly string[];
    readonly document?: ReportDocument | null;
    readonly documentRef?: BlobRef | null;
    readonly failure?: RecordedResult['failure'];
  },
): RecordedResult {
  const ordered = run.ordered();
  const notNeeded = end.notNeeded ?? [];
  const { origin } = run.request;
  const messages = ordered.reduce((sum, outcome) => sum + outcome.toolCallMessages, 0);
  const calls = ordered.reduce((sum, outcome) => sum + outcome.toolCalls, 0);
  return {
    runId: run.request.runId,
    status,
    question: run.request.question,
    gaps: toGaps(ordered, notNeeded),
    notes: run.notes,
    usage: run.totalUsage(),
    ...(origin && { origin: { ...toLineage(origin), spent: run.earlier } }),
    budget: run.budget(),
    toolCallsPerMessage: messages === 0 ? null : calls / messages,
    subagents: ordered.map((outcome) => ({
      ...toSummary(outcome, notNeeded.includes(outcome.id)),
      ...toTaken(run.adoptions.get(outcome.id)),
    })),
    ...(run.drafts.length > 0 && { drafts: run.drafts }),
    ...(end.failure && { failure: end.failure }),
    document: end.document ?? null,
    documentRef: end.documentRef ?? null,
  };
}

function toTaken(adoption: Adoption | undefined): Pick<SubagentSummary, 'reusedFrom' | 'again'> {
  if (!adoption) return {};
  return adoption.kind === 'reuse' ? { reusedFrom: adoption.reusedFrom } : { again: adoption.why };
}

function toSummary(outcome: SubagentOutcome & { readonly goal: string }, notNeeded: boolean): SubagentSummary {
  const { id, goal, status, reason, message, usage, turns, toolCalls } = outcome;
  return {
    id,
    goal,
    status,
    ...(reason && { reason }),
    ...(message && { message }),
    ...(notNeeded && { notNeeded }),
    usage,
    turns,
    toolCalls,
  };
}
