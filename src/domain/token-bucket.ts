/**
 * Requests and tokens per minute of one key, in one line of starts (R4.1): a request debits before it waits, so what is
 * handed out is a start of its own, no later one overtakes it, and N callers never stampede.
 */
import type { RateLimit } from '../contract/rate-limits.ts';

/** All times are of one clock, in ms since 1970; 0 = never. */
export type TokenBucket = {
  /** The newest start that was handed out; it may lie ahead. */
  readonly lastStartMs: number;
  /** The time by which the refill has paid for all debits: behind the clock = tokens are there, ahead of it = debt. */
  readonly paidMs: number;
  readonly pausedUntilMs: number;
  /** Between two starts, learnt from refusals of a key without a known limit; 0 = nothing learnt. */
  readonly pacedMs: number;
};

export const emptyBucket: TokenBucket = { lastStartMs: 0, paidMs: 0, pausedUntilMs: 0, pacedMs: 0 };

/** What the arithmetic needs of a limit, all in ms of refill; 0 where nothing is limited. */
export type RefillTimes = {
  /** Between two starts. */
  readonly intervalMs: number;
  /** For one token. */
  readonly tokenMs: number;
  /** For a full bucket of tokens: the burst. */
  readonly burstMs: number;
};

/** A start may be used up to this late; together with the way to the provider it must stay below a second. */
export const maxLateMs = 500;
/** The window that providers measure, and the second by which a request may arrive out of step. */
const windowMs = 61_000;
/** Of the tokens of a minute: what may be used at once after a rest (R4 allows 5 %). */
const burstShare = 0.02;
/** The longest that is learnt from refusals, and how long it is kept before it is halved. */
const maxPacedMs = 60_000;
const firstPacedMs = 1_000;

/**
 * Starts are `61 s / rpm` apart, and there is no burst. Then n starts that fall into 60 s, each late by less than a
 * second, span at least (n − 1) · 61 s / rpm and less than 61 s: so n ≤ rpm, in any window, at 98.4 % of the limit.
 * Tokens refill at 98 % of the limit in 61 s, with a burst of 2 %: together 100 % in any window, at 96.4 % of the limit
 * in the long run. A request that is larger than the burst passes that by the difference at most.
 *
 * @throws RangeError for a limit that is no whole number of at least 1
 */
export function toRefillTimes({ rpm, tpm }: RateLimit): RefillTimes {
  for (const [name, limit] of Object.entries({ rpm, tpm })) {
    if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 1)) continue;
    throw new RangeError(`${name}: wanted a whole number of at least 1, came ${limit}`);
  }
  const tokenMs = tpm === undefined ? 0 : windowMs / ((1 - burstShare) * tpm);
  return {
    intervalMs: rpm === undefined ? 0 : windowMs / rpm,
    tokenMs,
    burstMs: tokenMs * burstShare * (tpm ?? 0),
  };
}

export type Taken =
  /** `waitMs` is what is left until `startMs`. */
  | { readonly kind: 'granted'; readonly bucket: TokenBucket; readonly startMs: number; readonly waitMs: number }
  /** More than the tokens of a whole minute: no wait would help. */
  | { readonly kind: 'too-large'; readonly tpm: number };

/**
 * Debits one request of at most `tokens`. It starts after all before it, not before the bucket holds its tokens or is
 * full; what a large one takes beyond that is a debt, which those after it wait for.
 */
export function takeTokens(bucket: TokenBucket, tokens: number, limit: RateLimit, nowMs: number): Taken {
  requireTokens(tokens);
  const { intervalMs, tokenMs, burstMs } = toRefillTimes(limit);
  if (limit.tpm !== undefined && tokens > limit.tpm) return { kind: 'too-large', tpm: limit.tpm };
  const apartMs = intervalMs > 0 ? intervalMs : toPacedMs(bucket, nowMs);
  const earliestMs = Math.max(nowMs, bucket.lastStartMs + apartMs, bucket.pausedUntilMs);
  const costMs = tokens * tokenMs;
  const paidMs = Math.max(bucket.paidMs, earliestMs - burstMs);
  const startMs = Math.max(earliestMs, paidMs + Math.min(costMs, burstMs));
  return {
    kind: 'granted',
    bucket: { ...bucket, lastStartMs: startMs, paidMs: paidMs + costMs },
    startMs,
    waitMs: Math.ceil(startMs - nowMs),
  };
}

export type StartCheck =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** A pause came over it, or it is too late for it: another one must be taken. Its tokens stay debited. */
  | { readonly kind: 'lost' };

/** Whether a start that was handed out may be used now. */
export function checkStart(bucket: Pick<TokenBucket, 'pausedUntilMs'>, startMs: number, nowMs: number): StartCheck {
  if (bucket.pausedUntilMs > startMs || nowMs > startMs + maxLateMs) return { kind: 'lost' };
  return nowMs >= startMs ? { kind: 'go' } : { kind: 'wait', waitMs: Math.ceil(startMs - nowMs) };
}

/** Corrects the debit of a request that was sent: `usedTokens` may be less or more than `debitedTokens`. */
export function settleTokens(
  bucket: TokenBucket,
  { debitedTokens, usedTokens }: { readonly debitedTokens: number; readonly usedTokens: number },
  limit: RateLimit,
): TokenBucket {
  requireTokens(usedTokens);
  return { ...bucket, paidMs: bucket.paidMs - (debitedTokens - usedTokens) * toRefillTimes(limit).tokenMs };
}

/**
 * For a request that was never sent. Its start is free again only while no later one was handed out: otherwise the next
 * caller would start together with the last.
 */
export function giveBackTokens(
  bucket: TokenBucket,
  { startMs, tokens }: { readonly startMs: number; readonly tokens: number },
  limit: RateLimit,
): TokenBucket {
  const { intervalMs, tokenMs } = toRefillTimes(limit);
  const isLast = bucket.lastStartMs === startMs;
  return {
    ...bucket,
    lastStartMs: bucket.lastStartMs - (isLast ? intervalMs : 0),
    paidMs: bucket.paidMs - tokens * tokenMs,
  };
}

/**
 * The provider refused: nobody starts before `untilMs`. Where no `rpm` is known, starts are then `pacedMs` apart: the
 * length of the first pause, at most a second; twice as much with each refusal after a pause.
 */
export function slowDown(bucket: TokenBucket, untilMs: number, nowMs: number): TokenBucket {
  const isNews = nowMs >= bucket.pausedUntilMs;
  const firstMs = Math.min(firstPacedMs, Math.max(0, untilMs - nowMs));
  const pacedMs = isNews ? Math.min(maxPacedMs, Math.max(2 * toPacedMs(bucket, nowMs), firstMs)) : bucket.pacedMs;
  return { ...bucket, pausedUntilMs: Math.max(bucket.pausedUntilMs, untilMs), pacedMs };
}

/** Halved for each minute without a refusal. */
function toPacedMs({ pacedMs, pausedUntilMs }: TokenBucket, nowMs: number): number {
  return pacedMs * 0.5 ** Math.floor(Math.max(0, nowMs - pausedUntilMs) / 60_000);
}

function requireTokens(tokens: number): void {
  if (Number.isSafeInteger(tokens) && tokens >= 0) return;
  throw new RangeError(`tokens of a request: wanted a whole number of at least 0, came ${tokens}`);
}
