/** An activity that is scheduled and has not closed. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { Reserved } from '../charge.ts';
import { boundMicroUsd } from '../money.ts';
import type { OutcomeStatus } from '../../contract/outcome.ts';
import { isUsable } from '../join.ts';
import { readCount, readList, readRates, readText, toRecord } from './read-payload.ts';

export type OpenActivity = {
  readonly activityType: string;
  readonly since: string;
  /** What is set aside for a model call; 0 tokens for other activities. */
  readonly held: Reserved;
  readonly callId: string;
  readonly tool: string;
  /** Of a draft: its number, and whose answers it rests on. */
  readonly draft?: { readonly number: number; readonly subagents: string[] };
};

export function toOpenActivity(fact: Extract<HistoryFact, { kind: 'activity-scheduled' }>): OpenActivity {
  return {
    activityType: fact.activityType,
    since: fact.at,
    held: toHeld(fact.input),
    callId: readText(fact.input, 'callId'),
    tool: readText(fact.input, 'name'),
    ...toDraft(fact.input),
  };
}

function toDraft(input: unknown): Pick<OpenActivity, 'draft'> {
  const number = readCount(input, 'draft');
  if (number === 0) return {};
  const usable = readList(input, 'subagents').filter((each) => isUsable(readText(each, 'status') as OutcomeStatus));
  return { draft: { number, subagents: usable.map((each) => readText(each, 'id')) } };
}

/** As the workflow set it aside (`run-model-call`). */
function toHeld(input: unknown): Reserved {
  if (toRecord(input).withoutModel === true) return { tokens: 0, microUsd: 0 };
  const tokens = readCount(input, 'maxSpendTokens');
  const rates = readRates(input, 'rates');
  return { tokens, microUsd: rates && boundMicroUsd(tokens, readCount(input, 'maxOutputTokens'), rates) };
}

/** A time-out's details are its last heartbeat, which does not know of the request that was in flight. */
export function usageInFailure(fact: Extract<HistoryFact, { kind: 'activity-failed' }>): unknown {
  return fact.how === 'timed-out' || !Array.isArray(fact.details) ? null : fact.details[0];
}
