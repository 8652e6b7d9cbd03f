/** What is known of one subagent, and what it means: its status, the reason for it, and what it has used. */
import type { Amounts, Usage } from '../../contract/budget.ts';
import type { ApprovalOutcome } from '../../contract/control.ts';
import type { OutcomeReason, SubagentOutcome } from '../../contract/outcome.ts';
import type { SubagentSummary } from '../../contract/result.ts';
import type { SubagentStatus, ToolCallView } from '../../contract/run-view.ts';
import type { StoppedUsage } from '../../contract/stopped-usage.ts';
import type { TranscriptHead } from '../../contract/transcript.ts';
import { addAmounts, noAmounts } from '../amounts.ts';
import { addUsage, noUsage } from '../usage.ts';
import { chargeReservation } from '../charge.ts';
import type { CancelTrace } from './cancel-proof.ts';
import type { OpenActivity } from './open-activity.ts';
import { noResumePoint, type ResumePoint } from './resume-point.ts';

/** How a workflow closed that handed back no outcome. */
export type ClosedHow = 'failed' | 'timed-out' | 'cancelled' | 'terminated' | 'start-failed';
export type Closing = { readonly how: ClosedHow; readonly at: string; readonly message: string };

/** A call that waits, or waited, for a person. */
export type ApprovalFold = {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly at: string;
};

/** The newest attempt; `earlier` holds those before it. */
export type SubagentFold = {
  readonly id: string;
  readonly goal: string;
  /** 1 = the first. */
  readonly attempt: number;
  /** Attempts before this one, oldest first; of a subagent that was tried again. */
  readonly earlier: readonly SubagentFold[];
  /** How often whoever started it has done so, as far as that history was read. */
  readonly starts: number;
  /** It is to be started again after so many starts. */
  readonly requeuedAfter: number | null;
  /** Its work was taken up where another attempt, or another run, had left it. */
  readonly isTakenUp: boolean;
  /** Subtasks of its own that earlier attempts gave ids: those are not its own. */
  readonly delegatedBefore: number;
  /** The run that did its work, where that was taken over. */
  readonly reusedFrom?: string;
  /** Why a run that takes over another one does it again, or goes on with it. */
  readonly again?: string;
  /** As it was started with. */
  readonly allotment: Amounts | null;
  /** What came on top: from the run's pool, or from people. */
  readonly more: Amounts;
  /** Calls that people were asked to decide on, and what became of each, by call id. */
  readonly asks: Readonly<Record<string, ApprovalFold>>;
  readonly answers: Readonly<Record<string, ApprovalOutcome>>;
  /** Ordinals of the last top-up that it asked for, and of the last that was answered. */
  readonly topUpsAsked: number;
  readonly topUpsAnswered: number;
  readonly startedAt?: string;
  readonly cancelRequested?: { readonly at: string; readonly byRun: boolean };
  /** From its own history, once it was asked to stop. */
  readonly cancelTrace?: CancelTrace;
  /** From its own history: settled calls alone. */
  readonly usage: Usage;
  readonly turns: number;
  /** Calls that the model asked for, and replies with at least one. */
  readonly toolCalls: number;
  readonly toolCallMessages: number;
  readonly head: TranscriptHead | null;
  readonly open: Readonly<Record<number, OpenActivity>>;
  readonly resumePoint: ResumePoint;
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
    attempt: 1,
    earlier: [],
    starts: 0,
    requeuedAfter: null,
    isTakenUp: false,
    delegatedBefore: 0,
    allotment: null,
    more: noAmounts,
    asks: {},
    answers: {},
    topUpsAsked: 0,
    topUpsAnswered: 0,
    usage: noUsage,
    turns: 0,
    toolCalls: 0,
    toolCallMessages: 0,
    head: null,
    open: {},
    resumePoint: noResumePoint,
    previews: {},
    sourceIds: {},
    outcome: null,
    closedItself: null,
    closedByRun: null,
    stopped: null,
    recorded: null,
  };
}

/** All that it may use; `null` before it has started. */
export function limitOf({ allotment, more }: SubagentFold): Amounts | null {
  return allotment && addAmounts(allotment, more);
}

/** It has ended, and is to be started once more. */
export function isRequeued({ attempt, requeuedAfter }: SubagentFold): boolean {
  return requeuedAfter === attempt;
}

/** The attempt that its status is the status of. */
export function shownAttemptOf(subagent: SubagentFold): number {
  return isRequeued(subagent) && !subagent.recorded ? subagent.attempt + 1 : subagent.attempt;
}

export function closingOf(subagent: SubagentFold): Closing | null {
  return subagent.closedItself ?? subagent.closedByRun;
}

export function closedAtOf(subagent: SubagentFold): string | undefined {
  return subagent.outcomeAt ?? closingOf(subagent)?.at;
}

export function statusOf(subagent: SubagentFold): SubagentStatus {
  if (subagent.recorded) return subagent.recorded.status;
  if (isRequeued(subagent)) return 'queued';
  if (subagent.outcome) return subagent.outcome.status;
  const how = closingOf(subagent)?.how;
  if (how === 'timed-out' || how === 'cancelled') return how;
  if (how) return 'failed';
  if (subagent.startedAt === undefined) return 'queued';
  if (subagent.cancelRequested) return 'cancelling';
  if (Object.keys(subagent.asks).some((callId) => !Object.hasOwn(subagent.answers, callId))) return 'awaiting-approval';
  return subagent.topUpsAsked > subagent.topUpsAnswered ? 'paused-budget' : 'running';
}

/** `runCancelled`: an operator's cancel of the whole run explains the cancel of each subagent. */
export function reasonOf(subagent: SubagentFold, runCancelled: boolean): OutcomeReason | undefined {
  if (subagent.recorded) return subagent.recorded.reason;
  if (isRequeued(subagent)) return undefined;
  if (subagent.outcome) return subagent.outcome.reason;
  const closing = closingOf(subagent);
  if (closing?.how === 'terminated') return 'terminated';
  if (closing?.how === 'timed-out') return 'wall-clock';
  if (closing?.how === 'cancelled' || statusOf(subagent) === 'cancelling') {
    return runCancelled || subagent.cancelRequested?.byRun === false ? 'operator' : 'join';
  }
  return undefined;
}

/** What this attempt has used so far. Calls that were in flight when it closed without a word are charged at their reservation. */
export function usageOf(subagent: SubagentFold): Usage {
  if (subagent.recorded) return subagent.recorded.usage;
  if (subagent.outcome) return subagent.outcome.usage;
  if (subagent.stopped) return subagent.stopped.usage;
  return closingOf(subagent) ? usageWithFlight(subagent) : subagent.usage;
}

/** Settled calls, and those that were never settled, as an estimate. */
export function usageWithFlight(subagent: SubagentFold): Usage {
  return Object.values(subagent.open).reduce(
    (sum, activity) => (activity.held.tokens > 0 ? addUsage(sum, chargeReservation(activity.held)) : sum),
    subagent.usage,
  );
}
