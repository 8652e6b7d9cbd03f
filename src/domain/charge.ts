/** What a model call is charged, by one rule for the ledgers that pay and for the projection that shows it. */
import type { Usage } from '../contract/budget.ts';
import { readCallUsage } from './projection/read-payload.ts';
import { noUsage, settleCall } from './usage.ts';

/** By its own word; `details` that are no usage of ours (a time-out, a lost failure) are charged at the reservation. */
export function chargeCall(details: unknown, reservedTokens: number): Usage {
  const call = readCallUsage(details);
  return call ? settleCall(call).usage : chargeReservation(reservedTokens);
}

/** A call of which nothing is known: all that it could have cost, at an unknown price. */
export function chargeReservation(tokens: number): Usage {
  return { ...noUsage, inputTokens: tokens, tokens, usd: null, estimated: true };
}
