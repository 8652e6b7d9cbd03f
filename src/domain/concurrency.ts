/** How many model calls may be open at once under a limit of requests a minute: computed, never guessed. */
import type { RateLimit } from '../contract/rate-limits.ts';

export type ConcurrencyTerms = {
  /** What the provider allows. */
  readonly rpm: number;
  /** Share of it that is planned with; the rest is for bursts and for others on the key. */
  readonly headroom: number;
  /** Mean time of one call. */
  readonly latencyMs: number;
  /** Model calls that one query makes. */
  readonly callsPerQuery?: number;
};

export type ConcurrencyPlan = {
  readonly usableCallsPerMinute: number;
  readonly keptBackRpm: number;
  /** Absent where nobody said how many calls a query makes. */
  readonly queriesPerMinute?: number;
  /** Calls open at once; at least 1. */
  readonly maxConcurrency: number;
};

/** On top of the mean: calls do not arrive evenly. */
export const varianceFactor = 1.25;

/** 600 × 0.7 is 419.99… to a computer: what is that close to a whole number is one. */
const nearly = 1e-9;
const floor = (value: number) => Math.floor(value + nearly);
const ceil = (value: number) => Math.ceil(value - nearly);

/**
 * Little's law with a quarter on top for variance: ⌈1.25 × RPM × headroom / 60 × latency in s⌉. The headroom limits how
 * many calls are open; it does not slow a bucket or a queue, which may run at the full rate.
 */
export function planConcurrency({ rpm, headroom, latencyMs, callsPerQuery }: ConcurrencyTerms): ConcurrencyPlan {
  const usableCallsPerMinute = floor(rpm * headroom);
  const open = (varianceFactor * rpm * headroom * latencyMs) / 60_000;
  return {
    usableCallsPerMinute,
    keptBackRpm: rpm - usableCallsPerMinute,
    ...(callsPerQuery !== undefined && { queriesPerMinute: floor(usableCallsPerMinute / callsPerQuery) }),
    maxConcurrency: Math.max(1, ceil(open)),
  };
}

/**
 * The calls at once that a limit pays for, with the requests a minute that they follow from: a tenant's own, where they are
 * fewer, are met first. `null` where requests a minute are not known.
 */
export function planBound(
  { rpm, tenantRpm }: RateLimit,
  terms: Pick<ConcurrencyTerms, 'headroom' | 'latencyMs'>,
): { readonly rpm: number; readonly maxConcurrency: number } | null {
  const known = [rpm, tenantRpm].filter((each) => each !== undefined);
  if (known.length === 0) return null;
  const fewest = Math.min(...known);
  return { rpm: fewest, maxConcurrency: planConcurrency({ rpm: fewest, ...terms }).maxConcurrency };
}

/**
 * Requests a second for a task queue that must not pass `rpm` in any minute. The server lets twice the rate through in
 * the first second, so a minute holds 61 times the rate and not 60.
 */
export function toQueueRate(rpm: number): number {
  return rpm / 61;
}

/** The limit that a queue's rate was made from; the server keeps rates as short floating-point numbers. */
export function toRpm(queueRate: number): number {
  return Math.round(queueRate * 61);
}
