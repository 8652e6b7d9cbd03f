/** The fold of one subagent: its own history, and what its run's history says of it. Pure; the order between the two does not matter. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { SubagentOutcome } from '../../contract/outcome.ts';
import type { Amounts } from '../../contract/budget.ts';
import { addAmounts } from '../amounts.ts';
import { chargeCall } from '../charge.ts';
import { addUsage } from '../usage.ts';
import { traceCancel } from './cancel-proof.ts';
import { type OpenActivity, toOpenActivity, usageInFailure } from './open-activity.ts';
import {
  readAmounts,
  readApprovalOutcome,
  readCount,
  readHead,
  readList,
  readOutcome,
  readText,
  toRecord,
} from './read-payload.ts';
import { foldAnswered, foldAsked } from './resume-point.ts';
import type { SubagentFold } from './subagent-state.ts';

/** A fact of the subagent's own history. */
export function foldSubagentFact(before: SubagentFold, fact: HistoryFact): SubagentFold {
  const after = foldOwnFact(before, fact);
  const cancelTrace = traceCancel(before.cancelTrace, before.open, fact);
  return cancelTrace === before.cancelTrace ? after : { ...after, cancelTrace };
}

function foldOwnFact(before: SubagentFold, fact: HistoryFact): SubagentFold {
  switch (fact.kind) {
    case 'workflow-started':
      return withStart(before, fact.input, fact.at);
    case 'workflow-completed': {
      const outcome = readOutcome(fact.result);
      return outcome
        ? withOutcome(before, outcome, fact.at)
        : { ...before, closedItself: { how: 'failed', at: fact.at, message: 'it handed back no outcome' } };
    }
    case 'workflow-failed': {
      const outcome = outcomeInFailure(fact.details);
      return outcome
        ? withOutcome(before, outcome, fact.at)
        : { ...before, closedItself: { how: 'failed', at: fact.at, message: fact.message } };
    }
    case 'workflow-cancel-requested':
      return before.cancelRequested
        ? before
        : { ...before, cancelRequested: { at: fact.at, byRun: fact.byRun ?? false } };
    case 'workflow-cancelled':
      return { ...before, closedItself: { how: 'cancelled', at: fact.at, message: '' } };
    case 'workflow-terminated':
      return { ...before, closedItself: { how: 'terminated', at: fact.at, message: fact.reason } };
    case 'workflow-timed-out':
      return { ...before, closedItself: { how: 'timed-out', at: fact.at, message: '' } };
    case 'workflow-continued':
      return { ...before, open: {} };
    case 'activity-scheduled':
      return foldScheduled(before, fact);
    case 'activity-completed': {
      const activity = before.open[fact.scheduledEventId];
      if (!activity) return before;
      const named = { activityType: activity.activityType, name: activity.tool };
      const resumePoint = foldAnswered(before.resumePoint, named, fact);
      return foldCompleted({ ...withoutOpen(before, fact.scheduledEventId), resumePoint }, activity, fact);
    }
    case 'activity-failed': {
      const activity = before.open[fact.scheduledEventId];
      return activity ? foldFailed(withoutOpen(before, fact.scheduledEventId), activity, fact) : before;
    }
    case 'signalled':
      return foldSignal(before, fact);
    case 'child-started':
    case 'child-completed':
    case 'child-failed':
    case 'updated':
    case 'memo':
      return before;
    default:
      fact satisfies never;
      return before;
  }
}

/** What its run told it: answers to what it asked for. */
function foldSignal(before: SubagentFold, fact: Extract<HistoryFact, { kind: 'signalled' }>): SubagentFold {
  switch (fact.signal) {
    case 'topUpAnswered':
      return withMore(
        { ...before, topUpsAnswered: Math.max(before.topUpsAnswered, readCount(fact.input, 'ordinal')) },
        readAmounts(fact.input, 'granted'),
      );
    case 'allotmentRaised':
      return withMore(before, readAmounts(fact.input, 'added'));
    case 'approvalAnswered': {
      const outcome = readApprovalOutcome(fact.input);
      const callId = readText(fact.input, 'callId');
      return outcome && !Object.hasOwn(before.answers, callId)
        ? { ...before, answers: { ...before.answers, [callId]: outcome } }
        : before;
    }
    default:
      return before;
  }
}

function withMore(before: SubagentFold, added: Amounts | null): SubagentFold {
  return added ? { ...before, more: addAmounts(before.more, added) } : before;
}

/** The first of two starts counts: its own history and its run's tell of the same one. */
export function withStart(before: SubagentFold, task: unknown, at: string): SubagentFold {
  return {
    ...before,
    startedAt: before.startedAt !== undefined && before.startedAt < at ? before.startedAt : at,
    goal: readText(task, 'goal') || before.goal,
    allotment: before.allotment ?? readAmounts(task, 'allotment'),
    delegatedBefore: readCount(task, 'delegatedBefore'),
  };
}

/** A failed subagent's workflow fails, with the outcome as first detail. */
export function outcomeInFailure(details: unknown): SubagentOutcome | null {
  return Array.isArray(details) ? readOutcome(details[0]) : null;
}

/** What it handed its run: its usage replaces what was counted on the way. Its own history says so first. */
export function withOutcome(before: SubagentFold, outcome: SubagentOutcome, at: string): SubagentFold {
  const outcomeAt = before.outcomeAt !== undefined && before.outcomeAt < at ? before.outcomeAt : at;
  return { ...before, outcome: before.outcome ?? outcome, outcomeAt };
}

function foldScheduled(before: SubagentFold, fact: Extract<HistoryFact, { kind: 'activity-scheduled' }>): SubagentFold {
  const activity = toOpenActivity(fact);
  const resumePoint = foldAsked(before.resumePoint, fact);
  const next = { ...before, resumePoint, open: { ...before.open, [fact.eventId]: activity } };
  if (fact.activityType !== 'callToolActivity') return next;
  return {
    ...next,
    usage: { ...next.usage, toolCalls: next.usage.toolCalls + 1 },
    lastCall: {
      callId: activity.callId,
      tool: activity.tool,
      input: before.previews[activity.callId] ?? '',
      startedAt: fact.at,
    },
  };
}

function foldCompleted(
  before: SubagentFold,
  activity: OpenActivity,
  fact: Extract<HistoryFact, { kind: 'activity-completed' }>,
): SubagentFold {
  const result = toRecord(fact.result);
  if (activity.activityType === 'callModelActivity') {
    const usage = addUsage(before.usage, chargeCall(result.usage, activity.held));
    if (result.kind !== 'reply') return { ...before, usage };
    const calls = readList(result, 'calls');
    return {
      ...before,
      usage,
      turns: before.turns + 1,
      toolCalls: before.toolCalls + calls.length,
      toolCallMessages: before.toolCallMessages + (calls.length > 0 ? 1 : 0),
      head: readHead(result, 'head') ?? before.head,
      previews: Object.fromEntries(calls.map((call) => [readText(call, 'callId'), readText(call, 'argumentsPreview')])),
    };
  }
  // From then on it counts the turns that it goes on from.
  if (activity.activityType === 'loadResumeActivity')
    return { ...before, isTakenUp: true, turns: before.turns + readCount(result, 'turns') };
  if (activity.activityType !== 'callToolActivity') return before;
  const ids = readList(result, 'sources').map((source) => readText(source, 'id'));
  const fresh = ids.filter((id) => id !== '' && !Object.hasOwn(before.sourceIds, id));
  const sourceIds =
    fresh.length === 0
      ? before.sourceIds
      : { ...before.sourceIds, ...Object.fromEntries(fresh.map((id) => [id, true as const])) };
  return withFinishedCall({ ...before, sourceIds }, activity, fact.at, {
    ok: result.isError !== true,
    preview: readText(result, 'preview'),
  });
}

function foldFailed(
  before: SubagentFold,
  activity: OpenActivity,
  fact: Extract<HistoryFact, { kind: 'activity-failed' }>,
): SubagentFold {
  if (activity.activityType === 'callModelActivity') {
    return { ...before, usage: addUsage(before.usage, chargeCall(usageInFailure(fact), activity.held)) };
  }
  return withFinishedCall(before, activity, fact.at, { ok: false, preview: fact.message });
}

function withFinishedCall(
  before: SubagentFold,
  activity: OpenActivity,
  finishedAt: string,
  end: { readonly ok: boolean; readonly preview: string },
): SubagentFold {
  return before.lastCall?.callId === activity.callId
    ? { ...before, lastCall: { ...before.lastCall, finishedAt, ...end } }
    : before;
}

function withoutOpen(before: SubagentFold, scheduledEventId: number): SubagentFold {
  const open = { ...before.open };
  delete open[scheduledEventId];
  return { ...before, open };
}
