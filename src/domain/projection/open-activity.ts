/** An activity that is scheduled and has not closed, and what a model call is charged when it closes. */
import type { Usage } from '../../contract/budget.ts';
import type { HistoryFact } from '../../contract/history-fact.ts';
import { noUsage, settleCall } from '../usage.ts';
import { readCallUsage, readCount, readText, toRecord } from './read-payload.ts';

export type OpenActivity = {
  readonly activityType: string;
  readonly since: string;
  /** What a model call may cost; 0 for other activities. */
  readonly maxSpendTokens: number;
  readonly callId: string;
  readonly tool: string;
};

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

/** A time-out's details are its last heartbeat, which does not know of the request that was in flight. */
export function usageInFailure(fact: Extract<HistoryFact, { kind: 'activity-failed' }>): unknown {
  return fact.how === 'timed-out' || !Array.isArray(fact.details) ? null : fact.details[0];
}
