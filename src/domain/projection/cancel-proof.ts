/** The proof of a cancel, from the histories: who was told when, when the last socket closed, and what was paid after it. */
import type { Usage } from '../../contract/budget.ts';
import type { CancelProof, RunCancel, SubagentCancel } from '../../contract/cancel-proof.ts';
import type { HistoryFact } from '../../contract/history-fact.ts';
import { chargeCall, chargeReservation } from '../charge.ts';
import { addUsage, noUsage } from '../usage.ts';
import { type OpenActivity, usageInFailure } from './open-activity.ts';
import { readCancelProof, toRecord } from './read-payload.ts';

/** What one workflow's history says of its cancel so far. */
export type CancelTrace = {
  readonly requestedAt: string;
  /** Event ids of the activities that were open at the request and still are. */
  readonly waitsFor: readonly number[];
  readonly acknowledgedAt: string | null;
  readonly lastSocketClosedAt: string | null;
  readonly openSockets: number;
  readonly paid: Usage;
  readonly mayStillRun: SubagentCancel['mayStillRun'];
  readonly closedAt: string | null;
};

export type OpenActivities = Readonly<Record<number, OpenActivity>>;

/** The trace after one more fact of the workflow; `open`: its activities before the fact. Nothing before there is a request. */
export function traceCancel(
  trace: CancelTrace | undefined,
  open: OpenActivities,
  fact: HistoryFact,
): CancelTrace | undefined {
  if (fact.kind === 'workflow-cancel-requested') return trace ?? openTrace(fact.at, open);
  if (!trace) return undefined;
  switch (fact.kind) {
    case 'activity-completed':
    case 'activity-failed': {
      const activity = open[fact.scheduledEventId];
      return activity ? traceClosed(trace, activity, fact) : trace;
    }
    case 'workflow-completed':
    case 'workflow-failed':
    case 'workflow-cancelled':
    case 'workflow-terminated':
    case 'workflow-timed-out':
      return chargeFlight({ ...trace, closedAt: fact.at }, open);
    case 'workflow-started':
    case 'workflow-continued':
    case 'activity-scheduled':
    case 'child-started':
    case 'child-completed':
    case 'child-failed':
    case 'signalled':
    case 'updated':
    case 'memo':
      return trace;
    default:
      fact satisfies never;
      return trace;
  }
}

/** Calls that will not be settled any more are charged at their reservations. */
export function chargeFlight(trace: CancelTrace, open: OpenActivities): CancelTrace {
  const paid = Object.values(open).reduce(
    (sum, { held }) => (held.tokens > 0 ? addUsage(sum, chargeReservation(held)) : sum),
    trace.paid,
  );
  return { ...trace, paid };
}

export function toSubagentCancel(trace: CancelTrace): SubagentCancel {
  const { requestedAt, waitsFor, lastSocketClosedAt, openSockets, paid, mayStillRun, closedAt } = trace;
  return {
    requestedAt,
    acknowledgedAt: waitsFor.length > 0 ? null : (trace.acknowledgedAt ?? closedAt),
    lastSocketClosedAt,
    openSockets,
    tokensAfter: paid.tokens,
    estimated: paid.estimated,
    mayStillRun,
  };
}

/** `subagents`: those that a request reached. */
export function toRunCancel(
  run: CancelTrace,
  subagents: readonly { readonly id: string; readonly trace: CancelTrace; readonly isClosed: boolean }[],
): RunCancel {
  const own = toSubagentCancel(run);
  const parts = subagents.map(({ id, trace }) => ({ id, cancel: toSubagentCancel(trace) }));
  const all = [own, ...parts.map(({ cancel }) => cancel)];
  const isAcknowledged = all.every(({ acknowledgedAt }) => acknowledgedAt !== null);
  const { tokens, estimated } = subagents.reduce((sum, { trace }) => addUsage(sum, trace.paid), run.paid);
  return {
    requestedAt: run.requestedAt,
    acknowledgedAt: isAcknowledged ? all.map(({ acknowledgedAt }) => acknowledgedAt).reduce(later, null) : null,
    lastSocketClosedAt: all.map(({ lastSocketClosedAt }) => lastSocketClosedAt).reduce(later, null),
    openSockets: all.reduce((sum, { openSockets }) => sum + openSockets, 0),
    tokensAfter: tokens,
    estimated,
    subagents: subagents.length,
    stopped: subagents.filter(({ isClosed }) => isClosed).length,
    stoppedAt: run.closedAt,
    mayStillRun: [
      ...own.mayStillRun.map((call) => ({ ...call, subagentId: null })),
      ...parts.flatMap(({ id, cancel }) => cancel.mayStillRun.map((call) => ({ ...call, subagentId: id }))),
    ],
  };
}

function openTrace(requestedAt: string, open: OpenActivities): CancelTrace {
  return {
    requestedAt,
    waitsFor: Object.keys(open).map(Number),
    acknowledgedAt: null,
    lastSocketClosedAt: null,
    openSockets: 0,
    paid: noUsage,
    mayStillRun: [],
    closedAt: null,
  };
}

type Closed = Extract<HistoryFact, { kind: 'activity-completed' | 'activity-failed' }>;

function traceClosed(trace: CancelTrace, activity: OpenActivity, fact: Closed): CancelTrace {
  const details = fact.kind === 'activity-failed' && fact.how === 'cancelled' ? fact.details : null;
  const [first, second] = Array.isArray(details) ? (details as unknown[]) : [];
  const proof = readCancelProof(second);
  const usage = fact.kind === 'activity-completed' ? toRecord(fact.result).usage : usageInFailure(fact);
  const wasOpen = trace.waitsFor.includes(fact.scheduledEventId);
  const between = (at: string) => (at < trace.requestedAt ? trace.requestedAt : at > fact.at ? fact.at : at);
  const { callId, tool } = activity;
  return {
    ...trace,
    waitsFor: trace.waitsFor.filter((id) => id !== fact.scheduledEventId),
    // One that says nothing of the abort (it ended just then, or was not at work) is known to have stopped by its end.
    acknowledgedAt: wasOpen ? later(trace.acknowledgedAt, between(proof?.abortedAt ?? fact.at)) : trace.acknowledgedAt,
    lastSocketClosedAt: later(trace.lastSocketClosedAt, closedIn(proof, between)),
    openSockets: trace.openSockets + (proof?.socketsOpen ?? 0),
    paid: activity.held.tokens > 0 ? addUsage(trace.paid, chargeCall(usage, activity.held)) : trace.paid,
    mayStillRun: toRecord(first).mayStillRun === true ? [...trace.mayStillRun, { callId, tool }] : trace.mayStillRun,
  };
}

/** The worker's clock may be another one than the server's: its times lie between the two events around them. */
function closedIn(proof: CancelProof | null, between: (at: string) => string): string | null {
  return proof?.lastSocketClosedAt ? between(proof.lastSocketClosedAt) : null;
}

/** ISO times of one form sort as texts. */
function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}
