/** Buckets of one process. Several workers without a shared database have one each, and each its own share to be given. */
import { performance } from 'node:perf_hooks';
import {
  checkStart,
  emptyBucket,
  giveBackTokens,
  settleTokens,
  slowDown,
  takeTokens,
  type TokenBucket,
} from '../../domain/token-bucket.ts';
import type { RateBuckets } from './rate-buckets.ts';

/** A clock that nobody sets back: what was debited by it would be owed for as long. */
const steadyNow = () => performance.timeOrigin + performance.now();

export function createMemoryBuckets(now: () => number = steadyNow): RateBuckets {
  const buckets = new Map<string, TokenBucket>();
  const read = (key: string) => buckets.get(key) ?? emptyBucket;
  return {
    async take(key, tokens, limit) {
      const taken = takeTokens(read(key), tokens, limit, now());
      if (taken.kind === 'too-large') return taken;
      buckets.set(key, taken.bucket);
      return { kind: 'start', start: { startMs: taken.startMs, tokens }, waitMs: taken.waitMs };
    },
    async check(key, { startMs }) {
      return checkStart(read(key), startMs, now());
    },
    async settle(key, { tokens }, usedTokens, limit) {
      buckets.set(key, settleTokens(read(key), { debitedTokens: tokens, usedTokens }, limit));
    },
    async giveBack(key, start, limit) {
      buckets.set(key, giveBackTokens(read(key), start, limit));
    },
    async slowDown(key, waitMs) {
      const nowMs = now();
      buckets.set(key, slowDown(read(key), nowMs + waitMs, nowMs));
    },
    async close() {
      buckets.clear();
    },
  };
}
