/** What one attempt of a model call tells the next: it rides in the heartbeat (TEMPORAL 1). */
import type { Start } from '../store/buckets/rate-buckets.ts';

export type AttemptCarry = {
  /** Attempts that sent nothing. */
  readonly deferred: number;
  /** Requests whose cost is known, failed ones included. */
  readonly known: number;
  /** Requests beyond the first of an attempt: those that a provider's client makes by itself. */
  readonly extra: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
  readonly requestTokens: number;
  readonly requestUsd: number | null;
  /** The start at its rate limit that an attempt has debited and not used. */
  readonly start: Start | null;
};

/** Nothing was sent and nothing spent. */
export const noCarry: AttemptCarry = {
  deferred: 0,
  known: 0,
  extra: 0,
  inputTokens: 0,
  outputTokens: 0,
  usd: 0,
  requestTokens: 0,
  requestUsd: 0,
  start: null,
};
