/** What requests whose answers were lost are charged: what was set aside for each, never more than the reservation. */
import type { CallUsage } from '../contract/budget.ts';
import type { Rates } from '../contract/price.ts';
import { boundMicroUsd, fromMicroUsd, toMicroUsd } from '../domain/money.ts';
import type { AttemptCarry } from './attempt-carry.ts';

/** What a call may spend, and what its tokens cost. */
export type SpendBounds = {
  readonly maxSpendTokens: number;
  /** Absent where nothing limits the money. */
  readonly maxSpendMicroUsd?: number | undefined;
  readonly maxOutputTokens: number;
  readonly rates?: Rates | undefined;
};

/**
 * For each of `lost` requests. A worker that dies may take the heartbeat with the size of its request along; then each
 * has an equal part of what is left of the reservation, since no request is sent that passes it. The same bound holds
 * where the size is known: a crash before its request counts as one too.
 */
export function chargeLost(
  { requestTokens, requestUsd, inputTokens, outputTokens, usd }: AttemptCarry,
  lost: number,
  { maxSpendTokens, maxSpendMicroUsd, maxOutputTokens, rates }: SpendBounds,
): Pick<CallUsage, 'requestTokens' | 'requestUsd'> {
  if (lost === 0) return { requestTokens, requestUsd };
  const part = (whole: number, spent: number) => Math.floor(Math.max(0, whole - spent) / lost);
  const mostTokens = part(maxSpendTokens, inputTokens + outputTokens);
  const isSized = requestTokens > 0;
  const tokens = isSized ? Math.min(requestTokens, mostTokens) : mostTokens;
  const isPriced = isSized ? requestUsd !== null : rates !== undefined;
  if (!isPriced) return { requestTokens: tokens, requestUsd: null };
  const microUsd = isSized ? toMicroUsd(requestUsd) : boundMicroUsd(tokens, maxOutputTokens, rates);
  const mostMicroUsd = maxSpendMicroUsd === undefined ? microUsd : part(maxSpendMicroUsd, toMicroUsd(usd));
  return { requestTokens: tokens, requestUsd: fromMicroUsd(Math.min(microUsd, mostMicroUsd)) };
}
