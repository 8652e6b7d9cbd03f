/** The fold of one subagent: its own history, and what its run's history says of it. Pure; the order between the two does not matter. */
import type { Amounts, Usage } from '../../contract/budget.ts';
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { OutcomeReason, SubagentOutcome } from '../../contract/outcome.ts';
import type { SubagentSummary } from '../../contract/result.ts';
import type { SubagentStatus, ToolCallView } from '../../contract/run-view.ts';
import type { StoppedUsage } from '../../contract/steps.ts';
import type { TranscriptHead } from '../../contract/transcript.ts';
import {
  readAmounts,
  readCallUsage,
  readCount,
  readHead,
  readList,
  readOutcome,
  readText,
  toRecord,
} from './read-payload.ts';
import { addUsage, noUsage, settleCall } from '../usage.ts';

/** How a workflow closed that handed back no outcome. */
export type ClosedHow = 'failed' | 'timed-out' | 'cancelled' | 'terminated' | 'start-failed';
export type Closing = { readonly how: ClosedHow; readonly at: string; readonly message: string };

export type OpenActivity = {
  readonly activityType: string;
  readonly since: string;
  /** What a model call may cost; 0 for other activities. */
  readonly maxSpendTokens: number;
  readonly callId: string;
  readonly tool: string;
};

export type SubagentFold = {
  readonly id: string;
  readonly goal: string;
  readonly allotment: Amounts | null;
  readonly startedAt?: string;
  readonly cancelRequested?: { readonly at: string; readonly byRun: boolean };
  /** From its own history: settled calls alone. */
  readonly usage: Usage;
  readonly turns: number;
  /** Calls that the model asked for, and replies with at least one. */
  readonly toolCalls: number;
  readonly toolCallMessages: number;
  readonly head: TranscriptHead | null;
  readonly open: Readonly<Record<number, OpenActivity>>;
  /** Arguments of the calls of the last reply, by call id. */
  readonly previews: Readonly<Record<string, string>>;
  readonly lastCall?: ToolCallView;
  /** Ids of the documents that it read. */
  readonly sourceIds: Readonly<Record<string, true>>;
  readonly outcome: SubagentOutcome | null;
  readonly outcomeAt?: string;
  /** From its own history, and from its run's. */
  readonly closedItself: Closing | null;
  readonly closedByRun: Closing | null;
  readonly stopped: StoppedUsage | null;
  /** The last word: what the run's result says of it. */
  readonly recorded: SubagentSummary | null;
};

export function openSubagent(id: string, goal: string): SubagentFold {
  return {
    id,
    goal,
    allotment: null,
    usage: noUsage,
    turns: 0,
    toolCalls: 0,
    toolCallMessages: 0,
    head: null,
    open: {},
    previews: {},
    sourceIds: {},
    outcome: null,
    closedItself: null,
    closedByRun: null,
    stopped: null,
    recorded: null,
  };
}

/** A fact of the subagent's own history. */
export function foldSubagentFact(before: SubagentFold, fact: HistoryFact): SubagentFold {
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
      return activity ? foldCompleted(withoutOpen(before, fact.scheduledEventId), activity, fact) : before;
    }
    case 'activity-failed': {
      const activity = before.open[fact.scheduledEventId];
      return activity ? foldFailed(withoutOpen(before, fact.scheduledEventId), activity, fact) : before;
    }
    case 'child-started':
    case 'child-completed':
    case 'child-failed':
    case 'signalled':
    case 'memo':
      return before;
    default:
      fact satisfies never;
      return before;
  }
}

/** The first of two starts counts: its own history and its run's tell of the same one. */
export function withStart(before: SubagentFold, task: unknown, at: string): SubagentFold {
  return {
    ...before,
    startedAt: before.startedAt !== undefined && before.startedAt < at ? before.startedAt : at,
    goal: readText(task, 'goal') || before.goal,
    allotment: before.allotment ?? readAmounts(task, 'allotment'),
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

export function closingOf(subagent: SubagentFold): Closing | null {
  return subagent.closedItself ?? subagent.closedByRun;
}

export function closedAtOf(subagent: SubagentFold): string | undefined {
  return subagent.outcomeAt ?? closingOf(subagent)?.at;
}

export function statusOf(subagent: SubagentFold): SubagentStatus {
  if (subagent.recorded) return subagent.recorded.status;
  if (subagent.outcome) return subagent.outcome.status;
  const how = closingOf(subagent)?.how;
  if (how === 'timed-out' || how === 'cancelled') return how;
  if (how) return 'failed';
  return subagent.startedAt === undefined ? 'queued' : subagent.cancelRequested ? 'cancelling' : 'running';
}

/** `runCancelled`: an operator's cancel of the whole run explains the cancel of each subagent. */
export function reasonOf(subagent: SubagentFold, runCancelled: boolean): OutcomeReason | undefined {
  if (subagent.recorded) return subagent.recorded.reason;
  if (subagent.outcome) return subagent.outcome.reason;
  const closing = closingOf(subagent);
  if (closing?.how === 'terminated') return 'terminated';
  if (closing?.how === 'timed-out') return 'wall-clock';
  if (closing?.how === 'cancelled' || statusOf(subagent) === 'cancelling') {
    return runCancelled || subagent.cancelRequested?.byRun === false ? 'operator' : 'join';
  }
  return undefined;
}

/** What it has used so far. Calls that were in flight when it closed without a word are charged at their reservation. */
export function usageOf(subagent: SubagentFold): Usage {
  if (subagent.recorded) return subagent.recorded.usage;
  if (subagent.outcome) return subagent.outcome.usage;
  if (subagent.stopped) return subagent.stopped.usage;
  return closingOf(subagent) ? usageWithFlight(subagent) : subagent.usage;
}

/** Settled calls, and those that were never settled, as an estimate. */
export function usageWithFlight(subagent: SubagentFold): Usage {
  return Object.values(subagent.open).reduce(
    (sum, activity) => (activity.maxSpendTokens > 0 ? addUsage(sum, chargeReservation(activity.maxSpendTokens)) : sum),
    subagent.usage,
  );
}

/** The charge for a call whose usage is not known. */
export function chargeReservation(tokens: number): Usage {
  return { ...noUsage, inputTokens: tokens, tokens, usd: null, estimated: true };
}

/** What a closed model activity is charged: by its own word, or at its reservation where it left none. */
export function chargeOf(usage: unknown, activity: OpenActivity): Usage {
  const call = readCallUsage(usage);
  return call ? settleCall(call).usage : chargeReservation(activity.maxSpendTokens);
}

export function toOpenActivity(fact: Extract<HistoryFact, { kind: 'activity-scheduled' }>): OpenActivity {
  return {
    activityType: fact.activityType,
    since: fact.at,
    maxSpendTokens: toRecord(fact.input).withoutModel === true ? 0 : readCount(fact.input, 'maxSpendTokens'),
    callId: readText(fact.input, 'callId'),
    tool: readText(fact.input, 'name'),
  };
}

function foldScheduled(before: SubagentFold, fact: Extract<HistoryFact, { kind: 'activity-scheduled' }>): SubagentFold {
  const activity = toOpenActivity(fact);
  const next = { ...before, open: { ...before.open, [fact.eventId]: activity } };
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
    const usage = addUsage(before.usage, chargeOf(result.usage, activity));
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
    return { ...before, usage: addUsage(before.usage, chargeOf(usageInFailure(fact), activity)) };
  }
  return withFinishedCall(before, activity, fact.at, { ok: false, preview: fact.message });
}

/** A time-out's details are its last heartbeat, which does not know of the request that was in flight. */
export function usageInFailure(fact: Extract<HistoryFact, { kind: 'activity-failed' }>): unknown {
  return fact.how === 'timed-out' || !Array.isArray(fact.details) ? null : fact.details[0];
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
