/** The result of a run from its fold, for every way in which it can end. */
import type { Gap, RecordedResult, SubagentSummary, TerminalRunStatus } from '../../contract/result.ts';
import type { OutcomeReason, OutcomeStatus } from '../../contract/outcome.ts';
import { chargeFlight } from './cancel-proof.ts';
import { budgetOf, usageOfRun } from './run-budget.ts';
import { changeSubagent, type RunView } from './run-state.ts';
import { closedAtOf, reasonOf, type SubagentFold, statusOf, usageWithFlight } from './subagent-state.ts';
import { elapsedMs } from './epoch-ms.ts';
import { toLineage } from '../adoption/to-lineage.ts';
import { ofRun } from '../subagent-tree.ts';
import { wholeUsageOf } from './whole-usage.ts';
import { messageOf, toolCallsOf, toolCallsPerMessageOf, turnsOf, cancelOf } from './describe-run.ts';

/**
 * What the run recorded itself, or else, for one that returned nothing (cancelled, terminated, timed out), the same
 * document from the histories: no report, every unfinished subagent a gap, and what was in flight charged at its
 * reservation. Throws for a run that is still open.
 */
export function toRecordedResult(view: RunView): RecordedResult {
  if (view.recorded) return view.recorded;
  const status = view.end;
  if (status === null) throw new Error(`run ${view.runId} is still open: it has no result yet`);
  const closed = closeSubagents(view);
  const subagents = ofRun(closed.subagents).map((subagent) => toSummary(closed, subagent, status));
  const failure = failureOf(closed, status);
  const cancel = cancelOf(closed);
  return {
    runId: closed.runId,
    status,
    question: closed.question,
    gaps: subagents.filter(isGap).map(toGap),
    notes: [...closed.notes],
    usage: usageOfRun(closed, closed.lastEventAt),
    ...(closed.request?.origin && { origin: { ...toLineage(closed.request.origin), spent: closed.earlier } }),
    budget: budgetOf(closed, closed.lastEventAt),
    toolCallsPerMessage: toolCallsPerMessageOf(closed),
    subagents,
    ...(failure && { failure }),
    ...(closed.drafts.length > 0 && { drafts: [...closed.drafts] }),
    ...(cancel && { cancel }),
    document: null,
    // The last draft outlives a cancel and a failure.
    documentRef: closed.drafts.at(-1)?.documentRef ?? null,
  };
}

/** Subagents that were still open when the run closed will not report any more: their open calls are charged now. */
function closeSubagents(view: RunView): RunView {
  return view.subagents.reduce<RunView>(
    (state, { id }) =>
      changeSubagent(state, id, (known) => {
        // One that was to be started again, and was not, stays what it was.
        const subagent = known.requeuedAfter === null ? known : { ...known, requeuedAfter: null };
        if (closedAtOf(subagent) !== undefined || subagent.stopped) return subagent;
        const { cancelTrace, open } = subagent;
        return {
          ...{ ...subagent, usage: usageWithFlight(subagent), open: {} },
          ...(cancelTrace && { cancelTrace: chargeFlight(cancelTrace, open) }),
        };
      }),
    view,
  );
}

function toSummary(view: RunView, subagent: SubagentFold, end: TerminalRunStatus): SubagentSummary {
  const { status, reason } = endOf(view, subagent, end);
  const message = messageOf(subagent);
  const closedAt = closedAtOf(subagent) ?? view.closedAt;
  return {
    id: subagent.id,
    goal: subagent.goal,
    status,
    ...(reason && { reason }),
    ...(message && { message }),
    ...(subagent.reusedFrom !== undefined && { reusedFrom: subagent.reusedFrom }),
    ...(subagent.again !== undefined && { again: subagent.again }),
    usage: { ...wholeUsageOf(view, subagent), wallClockMs: elapsedMs(subagent.startedAt, closedAt) },
    turns: turnsOf(subagent),
    toolCalls: toolCallsOf(subagent),
  };
}

/** How a subagent ended; one that had not ended by then ended with its run, and one that never started was skipped. */
function endOf(
  view: RunView,
  subagent: SubagentFold,
  end: TerminalRunStatus,
): { status: OutcomeStatus; reason?: OutcomeReason } {
  const status = statusOf(subagent);
  const withRun: OutcomeReason | undefined =
    end === 'cancelled'
      ? 'operator'
      : end === 'terminated'
        ? 'terminated'
        : end === 'timed-out'
          ? 'wall-clock'
          : undefined;
  switch (status) {
    case 'queued':
      return { status: 'skipped', reason: withRun };
    case 'running':
    case 'retrying':
    case 'awaiting-approval':
    case 'paused-budget':
    case 'cancelling':
      return { status: end === 'timed-out' ? 'timed-out' : 'cancelled', reason: withRun };
    case 'cancelled':
      return { status, reason: end === 'cancelled' ? 'operator' : (withRun ?? reasonOf(subagent, false)) };
    case 'done':
    case 'partial':
    case 'failed':
    case 'skipped':
    case 'timed-out':
    case 'reused':
      return { status, reason: reasonOf(subagent, view.cancelRequested !== undefined) };
    default:
      status satisfies never;
      return { status: 'failed' };
  }
}

function isGap(subagent: SubagentSummary): boolean {
  return subagent.status !== 'done' && subagent.status !== 'reused';
}

function toGap({ id, goal, status, reason }: SubagentSummary): Gap {
  return { subagentId: id, goal, status, ...(reason && { reason }) };
}

function failureOf(view: RunView, status: TerminalRunStatus): RecordedResult['failure'] {
  if (view.failure) return view.failure;
  if (status !== 'cancelled') return undefined;
  const reason = view.cancelRequested?.reason ?? '';
  return {
    code: 'CANCELLED',
    message: reason === '' ? 'cancelled by an operator' : `cancelled by an operator: ${reason}`,
  };
}
