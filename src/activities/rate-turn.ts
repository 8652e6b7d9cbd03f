/** One request's turn at the rate limit of its key (R4): waited for before it leaves, settled when it has ended. */
import type { ModelRate } from '../models/model.ts';
import type { RateBuckets, Start } from '../store/buckets/rate-buckets.ts';

/** A longer wait goes back to the server, where it holds no slot of the worker. */
const maxSleepMs = 2_000;
/** It comes back this much early, since no server is on time to the millisecond; the rest is slept. */
const earlyMs = 1_000;
/** A pause ends up to this much, and up to a quarter of it, later than was asked for: no two keys go on by the same beat. */
const maxJitterMs = 1_000;

export type TurnEnd =
  /** Sent, and it used so much. */
  | { readonly kind: 'used'; readonly tokens: number }
  /** Sent, and nobody said what it used: its debit stands. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unsent' }
  /** The provider does not want to be asked for so long. */
  | { readonly kind: 'refused'; readonly waitMs: number };

export type Turn =
  | {
      readonly kind: 'go';
      /** Never rejects: what the request brought is worth more than the count of it. */
      readonly end: (how: TurnEnd) => Promise<void>;
    }
  /** To be tried again after `waitMs`, with `start` for `held`. */
  | { readonly kind: 'defer'; readonly start: Start; readonly waitMs: number }
  | { readonly kind: 'too-large'; readonly tpm: number };

/**
 * Resolves when the request may leave or when its wait is too long to sleep. Rejects with the signal's reason once it
 * fires; what was debited is given back. `held`: the start that an earlier attempt was given.
 */
export async function waitForTurn(
  buckets: RateBuckets,
  { key, limit }: ModelRate,
  tokens: number,
  { held, signal }: { readonly held: Start | null; readonly signal: AbortSignal },
): Promise<Turn> {
  let start = held;
  for (;;) {
    let waitMs = start === null ? null : await readWait(buckets, key, start);
    if (start === null || waitMs === null) {
      const turn = await buckets.take(key, tokens, limit);
      if (turn.kind === 'too-large') return turn;
      ({ start, waitMs } = turn);
    }
    const taken = start;
    if (waitMs > maxSleepMs) return { kind: 'defer', start, waitMs: waitMs - earlyMs };
    try {
      signal.throwIfAborted();
      if (waitMs === 0) return { kind: 'go', end: (how) => endTurn(buckets, { key, limit }, taken, how) };
      await sleep(waitMs, signal);
    } catch (error) {
      await endTurn(buckets, { key, limit }, taken, { kind: 'unsent' });
      throw error;
    }
  }
}

/** `null` where the start is lost. One that is further off than a sleep comes from another clock: lost too. */
async function readWait(buckets: RateBuckets, key: string, start: Start): Promise<number | null> {
  const state = await buckets.check(key, start);
  switch (state.kind) {
    case 'go':
      return 0;
    case 'wait':
      return state.waitMs > maxSleepMs ? null : state.waitMs;
    case 'lost':
      return null;
    default:
      return state satisfies never;
  }
}

async function endTurn(
  buckets: RateBuckets,
  { key, limit }: Pick<ModelRate, 'key' | 'limit'>,
  start: Start,
  how: TurnEnd,
): Promise<void> {
  const end = async () => {
    switch (how.kind) {
      case 'used':
        return buckets.settle(key, start, how.tokens, limit);
      case 'unsent':
        return buckets.giveBack(key, start, limit);
      case 'refused': {
        const jitterMs = Math.random() * Math.min(maxJitterMs, how.waitMs / 4);
        await buckets.slowDown(key, Math.ceil(how.waitMs + jitterMs));
        return buckets.settle(key, start, 0, limit);
      }
      case 'unknown':
        return;
      default:
        return how satisfies never;
    }
  };
  await end().catch(() => undefined);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
