/** An activity that is scheduled and has not closed. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import { readCount, readText, toRecord } from './read-payload.ts';

export type OpenActivity = {
  readonly activityType: string;
  readonly since: string;
  /** What a model call may cost; 0 for other activities. */
  readonly maxSpendTokens: number;
  readonly callId: string;
  readonly tool: string;
};

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
