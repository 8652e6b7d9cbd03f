/** The fold of the run's own workflow, and the way to those of its subagents. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { RecordedResult, TerminalRunStatus } from '../../contract/result.ts';
import type { BlockedStatus } from '../../contract/run-view.ts';
import type { PlanEdit } from '../../contract/control.ts';
import { addAmounts } from '../amounts.ts';
import { toMicroUsd } from '../money.ts';
import { editPlan } from '../plan-edits.ts';
import { traceCancel } from './cancel-proof.ts';
import { toOpenActivity } from './open-activity.ts';
import { attemptOf, changeAttempt } from './attempts.ts';
import { changeStarted, foldChildFact, foldStopped } from './child-fold.ts';
import { foldClosedActivity } from './closed-activity-fold.ts';
import { withGoals, withPlan } from './plan-fold.ts';
import { readBlobRef, readCount, readList, readRecorded, readRequest, readText, toRecord } from './read-payload.ts';
import { foldBelow } from './resume-point.ts';
import { changeSubagent, type RunView, subagentOf } from './run-state.ts';
import { foldSubagentFact } from './subagent-fold.ts';

/** Statuses that only the run itself knows: it writes them to its memo. */
const blockedStatuses: readonly BlockedStatus[] = ['awaiting-plan', 'awaiting-approval', 'paused-budget'];

/** The state after one more fact, of whichever workflow it is. */
export function advance(before: RunView, fact: HistoryFact): RunView {
  const view = fact.at > before.lastEventAt ? { ...before, lastEventAt: fact.at } : before;
  if (fact.subagentId === null) {
    const after = foldRunFact(view, fact);
    const cancelTrace = traceCancel(view.cancelTrace, view.open, fact);
    return cancelTrace === view.cancelTrace ? after : { ...after, cancelTrace };
  }
  if ('childId' in fact) {
    const found = fact.kind === 'child-completed' ? readBlobRef(fact.result, 'reportRef') : null;
    const told = changeSubagent(view, fact.subagentId, (subagent) =>
      changeAttempt(subagent, fact.ofAttempt ?? 1, (attempt) =>
        found ? { ...attempt, resumePoint: foldBelow(attempt.resumePoint, found) } : attempt,
      ),
    );
    return foldChildFact(told, fact);
  }
  const folded = changeSubagent(view, fact.subagentId, (subagent) =>
    changeAttempt(subagent, fact.ofAttempt ?? 1, (attempt) => foldSubagentFact(attempt, fact)),
  );
  return foldStopped(folded, stoppedBelow(view, fact));
}

/** What a subagent is told of those that it started itself. */
function stoppedBelow(view: RunView, fact: HistoryFact): readonly unknown[] {
  if (fact.kind === 'signalled') return fact.signal === 'subagentStopped' ? [fact.input] : [];
  if (fact.kind !== 'activity-completed' || fact.subagentId === null) return [];
  const attempt = attemptOf(subagentOf(view, fact.subagentId), fact.ofAttempt ?? 1);
  const activity = attempt?.open[fact.scheduledEventId];
  return activity?.activityType === 'settleStoppedActivity' && Array.isArray(fact.result) ? fact.result : [];
}

function foldRunFact(view: RunView, fact: HistoryFact): RunView {
  switch (fact.kind) {
    case 'workflow-started':
      return foldStarted(view, fact);
    case 'workflow-completed': {
      const recorded = readRecorded(fact.result);
      return close(view, fact.at, recorded?.status === 'partial' ? 'partial' : 'completed', { recorded });
    }
    case 'workflow-failed': {
      const failure = { code: fact.code, message: fact.message };
      const recorded = readRecorded(Array.isArray(fact.details) ? fact.details[0] : null);
      return close(view, fact.at, 'failed', { failure, recorded });
    }
    case 'workflow-cancelled':
      return close(view, fact.at, 'cancelled', {});
    case 'workflow-terminated':
      return close(view, fact.at, 'terminated', {
        failure: { code: 'TERMINATED', message: fact.reason === '' ? 'terminated' : `terminated: ${fact.reason}` },
      });
    case 'workflow-timed-out':
      return close(view, fact.at, 'timed-out', {
        failure: { code: 'TIMED_OUT', message: 'the run was stopped at its execution time-out' },
      });
    case 'workflow-cancel-requested':
      return view.cancelRequested ? view : { ...view, cancelRequested: { at: fact.at, reason: fact.reason } };
    case 'workflow-continued':
      return { ...view, open: {} };
    case 'activity-scheduled': {
      const open = { ...view.open, [fact.eventId]: toOpenActivity(fact) };
      // A draft is written beside the fan-out: the report is not begun by it.
      const isDraft = open[fact.eventId]!.draft !== undefined;
      const hasSynthesisBegun = view.hasSynthesisBegun || (fact.activityType === 'synthesizeActivity' && !isDraft);
      return {
        ...view,
        open,
        hasSynthesisBegun,
        phase: isDraft ? view.phase : phaseAfter(view.phase, fact.activityType),
      };
    }
    case 'activity-completed':
    case 'activity-failed': {
      const activity = view.open[fact.scheduledEventId];
      if (!activity) return view;
      const open = { ...view.open };
      delete open[fact.scheduledEventId];
      return foldClosedActivity({ ...view, open }, activity, fact);
    }
    case 'child-started': {
      const phase = view.phase === 'synthesizing' ? view.phase : 'running';
      return foldChildFact({ ...view, phase }, fact);
    }
    case 'child-completed':
    case 'child-failed':
      return foldChildFact(view, fact);
    case 'signalled':
      return foldSignal(view, fact);
    case 'updated':
      return foldUpdate(view, fact);
    case 'memo': {
      const status = readText(fact.memo, 'status');
      return { ...view, blocked: blockedStatuses.find((each) => each === status) ?? null };
    }
    default:
      fact satisfies never;
      return view;
  }
}

function foldSignal(view: RunView, fact: Extract<HistoryFact, { kind: 'signalled' }>): RunView {
  const subagentId = readText(fact.input, 'subagentId');
  switch (fact.signal) {
    case 'subagentStopped':
      return foldStopped(view, [fact.input]);
    case 'topUpAsked':
      return changeStarted(view, subagentId, (subagent) => ({
        ...subagent,
        topUpsAsked: Math.max(subagent.topUpsAsked, readCount(fact.input, 'ordinal')),
      }));
    case 'approvalAsked': {
      // The run numbers them in this order too.
      const approvalCount = view.approvalCount + 1;
      const ask = {
        id: `ap_${approvalCount}`,
        tool: readText(fact.input, 'tool'),
        input: readText(fact.input, 'input'),
        at: fact.at,
      };
      return changeStarted({ ...view, approvalCount }, subagentId, (subagent) => ({
        ...subagent,
        asks: { ...subagent.asks, [readText(fact.input, 'callId')]: ask },
      }));
    }
    default:
      return view;
  }
}

function foldUpdate(view: RunView, fact: Extract<HistoryFact, { kind: 'updated' }>): RunView {
  const input = toRecord(fact.input);
  switch (fact.update) {
    case 'addBudget': {
      const { usd } = toRecord(input.add);
      const isLimited = view.request?.budget.usd !== undefined;
      const raised = {
        ...addAmounts(view.raised, {
          tokens: readCount(input.add, 'tokens'),
          toolCalls: readCount(input.add, 'toolCalls'),
          microUsd: typeof usd === 'number' && isLimited ? toMicroUsd(usd) : 0,
        }),
        wallClockMs: view.raised.wallClockMs + readCount(input.add, 'wallClock'),
      };
      return { ...view, raised };
    }
    case 'finalize': {
      const reason = readText(input, 'reason');
      const finalizing = { at: fact.at, by: readText(input, 'by'), ...(reason !== '' && { reason }) };
      return view.finalizing ? view : { ...view, finalizing };
    }
    case 'retrySubagent':
      return changeSubagent(view, readText(input, 'id'), (subagent) => ({
        ...subagent,
        requeuedAfter: subagent.starts,
      }));
    case 'approvePlan': {
      const edited = editPlan(view.plan ?? [], readList(input, 'edits') as PlanEdit[], Number.MAX_SAFE_INTEGER);
      const approved = { ...view, isProposed: false };
      return edited.kind === 'edited' ? withPlan(approved, edited.subtasks) : approved;
    }
    case 'revisePlan':
      return { ...view, isProposed: false };
    default:
      return view;
  }
}

function foldStarted(view: RunView, fact: Extract<HistoryFact, { kind: 'workflow-started' }>): RunView {
  // After a continue-as-new the workflow starts again; the run does not.
  if (view.startedAt !== '') return view;
  const request = readRequest(fact.input);
  const started = {
    ...view,
    firstRunId: fact.firstRunId,
    startedAt: fact.at,
    request,
    question: readText(fact.input, 'question'),
  };
  // What is taken over of another run decides the plan.
  return request?.origin ? started : withGoals(started, readList(fact.input, 'subtasks'));
}

function phaseAfter(phase: RunView['phase'], activityType: string): RunView['phase'] {
  switch (activityType) {
    case 'openRunActivity':
    case 'adoptRunActivity':
    case 'planActivity':
      return phase === 'queued' ? 'planning' : phase;
    case 'synthesizeActivity':
      return 'synthesizing';
    default:
      return phase;
  }
}

function close(
  view: RunView,
  closedAt: string,
  end: TerminalRunStatus,
  last: { readonly failure?: RunView['failure']; readonly recorded?: RecordedResult | null },
): RunView {
  const recorded = last.recorded ?? null;
  const failure = recorded?.failure ?? last.failure;
  const closed: RunView = { ...view, closedAt, end, recorded, open: {}, ...(failure && { failure }) };
  if (!recorded) return closed;
  return recorded.subagents.reduce<RunView>(
    (state, summary) =>
      changeSubagent(state, summary.id, (subagent) => ({ ...subagent, goal: summary.goal, recorded: summary })),
    { ...closed, notes: recorded.notes },
  );
}
