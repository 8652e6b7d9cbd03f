/** The requests for approval of a run, from the fold: what was asked, and what became of it. */
import type { ApprovalView } from '../../contract/run-view.ts';
import { toEpochMs, toIsoTime } from './epoch-ms.ts';
import { attemptsOf } from './attempts.ts';
import type { RunView } from './run-state.ts';
import { closedAtOf, type SubagentFold } from './subagent-state.ts';

/** In the order in which they were asked. */
export function approvalsOf(view: RunView): readonly ApprovalView[] {
  return view.subagents
    .flatMap((subagent) => approvalsOfSubagent(view, subagent))
    .sort((a, b) => Number(a.id.slice(3)) - Number(b.id.slice(3)));
}

/** What a subagent asked for is withdrawn where it closed without an answer. */
export function approvalsOfSubagent(view: RunView, subagent: SubagentFold): readonly ApprovalView[] {
  return attemptsOf(subagent).flatMap((attempt) => approvalsOfAttempt(view, attempt));
}

function approvalsOfAttempt(view: RunView, subagent: SubagentFold): readonly ApprovalView[] {
  return Object.entries(subagent.asks).map(([callId, { id, tool, input, at }]) => {
    const closedAt = closedAtOf(subagent) ?? view.closedAt;
    const outcome =
      subagent.answers[callId] ??
      (closedAt === undefined ? undefined : { id, decision: 'withdrawn' as const, by: 'tributary', at: closedAt });
    const askedMs = toEpochMs(at);
    const timeoutMs = view.request?.personTimeout;
    const expiresAt = askedMs === null || timeoutMs === undefined ? null : toIsoTime(askedMs + timeoutMs);
    return { id, subagentId: subagent.id, tool, input, requestedAt: at, expiresAt, ...(outcome && { outcome }) };
  });
}
