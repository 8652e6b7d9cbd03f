/** One model call from its reservation to its settlement, whatever it ends in. What was not sent is not charged. */
import { CancelledFailure } from '@temporalio/common';
import { CancellationScope } from '@temporalio/workflow';
import type { CallUsage } from '../contract/budget.ts';
import type { Rates } from '../contract/price.ts';
import type { Reserved } from '../domain/charge.ts';
import { boundMicroUsd } from '../domain/money.ts';
import { readCallUsage } from '../domain/projection/read-payload.ts';
import { minTurnTokens } from '../domain/reservation.ts';
import { fromTemporalFailure } from '../temporal/failure-codec.ts';

/** What one reservation allows an activity. */
export type ModelCallBounds = {
  readonly maxSpendTokens: number;
  /** Absent where nothing limits the money. */
  readonly maxSpendMicroUsd?: number;
  readonly attempts: number;
};

/** What decides the price of a reservation. */
export type CallTerms = { readonly maxOutputTokens: number; readonly rates?: Rates | undefined };

export type ModelCall<Result> = {
  /** Requests at most, over all reservations. */
  readonly attempts: number;
  readonly terms: CallTerms;
  readonly limitsUsd: boolean;
  /** Tokens that the next reservation can have, and that there is money for. */
  openTokens(): number;
  reserve(reserved: Reserved): void;
  /** `details`: the usage, or what a failure carried instead. */
  settle(reserved: Reserved, details: unknown): void;
  run(bounds: ModelCallBounds): Promise<Result>;
};

/**
 * Yields `null` where less is open than a turn needs. A call whose lost requests (a worker that died) used up its
 * reservation is made again with a new one while attempts are left. Rejects as the activity does.
 */
export async function runModelCall<Result extends { readonly usage: CallUsage }>(
  call: ModelCall<Result>,
): Promise<Result | null> {
  for (let attempts = call.attempts; ;) {
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled before a model call');
    const tokens = call.openTokens();
    if (tokens < minTurnTokens) return null;
    const { rates, maxOutputTokens } = call.terms;
    const reserved = { tokens, microUsd: rates ? boundMicroUsd(tokens, maxOutputTokens, rates) : null };
    call.reserve(reserved);
    const money = call.limitsUsd && reserved.microUsd !== null ? { maxSpendMicroUsd: reserved.microUsd } : {};
    try {
      const result = await call.run({ maxSpendTokens: tokens, ...money, attempts });
      call.settle(reserved, result.usage);
      return result;
    } catch (error) {
      const failure = fromTemporalFailure(error);
      // A time-out carries the heartbeat, which does not know of the request in flight: the reservation is charged.
      const details = failure.kind === 'failed' || failure.kind === 'cancelled' ? failure.details[0] : undefined;
      call.settle(reserved, details);
      if (failure.kind !== 'failed' || failure.failure.code !== 'MODEL_ATTEMPTS') throw error;
      const requests = readCallUsage(details)?.requests ?? attempts;
      if (requests === 0 || requests >= attempts) throw error;
      attempts -= requests;
    }
  }
}
