/** What a model call is charged, by one rule for the ledgers that pay and for the projection that shows it. */
import type { Usage } from '../contract/budget.ts';
import { readCallUsage } from './projection/read-payload.ts';
import { fromMicroUsd } from './money.ts';
import { noUsage, settleCall } from './usage.ts';

/** What was set aside for a call; `microUsd` is `null` where the price is unknown. */
export type Reserved = { readonly tokens: number; readonly microUsd: number | null };

/** By its own word; `details` that are no usage of ours (a time-out, a lost failure) are charged at the reservation. */
export function chargeCall(details: unknown, reserved: Reserved): Usage {
  const call = readCallUsage(details);
  return call ? settleCall(call).usage : chargeReservation(reserved);
}

/** A call of which nothing is known: all that it could have cost. */
export function chargeReservation({ tokens, microUsd }: Reserved): Usage {
  const usd = microUsd === null ? null : fromMicroUsd(microUsd);
  return { ...noUsage, inputTokens: tokens, tokens, usd, estimated: true };
}
