/** The port of the rate limits: one bucket for each key, over a clock that all its callers share. */
import type { RateLimit } from '../../contract/rate-limits.ts';

/** A start that was handed out to one request, by the clock of the buckets. */
export type Start = { readonly startMs: number; readonly tokens: number };

export type Turn =
  | { readonly kind: 'start'; readonly start: Start; readonly waitMs: number }
  /** More than the tokens of a whole minute. */
  | { readonly kind: 'too-large'; readonly tpm: number };

export type StartState =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** Another one must be taken; this one is not to be given back. */
  | { readonly kind: 'lost' };

/** All reject with `STORE_UNAVAILABLE` where the buckets are elsewhere and do not answer. */
export interface RateBuckets {
  /** Debits one request of at most `tokens`; atomic, also between processes that share the buckets. */
  take(key: string, tokens: number, limit: RateLimit): Promise<Turn>;
  /** To be asked after a wait, just before the request leaves: a sibling may have been refused meanwhile. */
  check(key: string, start: Start): Promise<StartState>;
  /** What a request that was sent has really used. */
  settle(key: string, start: Start, usedTokens: number, limit: RateLimit): Promise<void>;
  /** For a request that was never sent. */
  giveBack(key: string, start: Start, limit: RateLimit): Promise<void>;
  /** The provider refused: nobody starts in the next `waitMs`. */
  slowDown(key: string, waitMs: number): Promise<void>;
  close(): Promise<void>;
}
