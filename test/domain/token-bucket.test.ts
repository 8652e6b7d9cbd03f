import { describe, expect, test } from '@jest/globals';
import {
  checkStart,
  emptyBucket,
  giveBackTokens,
  maxLateMs,
  settleTokens,
  slowDown,
  takeTokens,
  toRefillTimes,
  type TokenBucket,
} from '../../src/domain/token-bucket.ts';
import type { RateLimit } from '../../src/contract/rate-limits.ts';

const nowMs = 1_800_000_000_000;

/** Takes that must be granted, one after the other at one instant: their waits, and the bucket after them. */
function takeAll(bucket: TokenBucket, sizes: readonly number[], limit: RateLimit, atMs = nowMs) {
  const waits: number[] = [];
  for (const tokens of sizes) {
    const taken = takeTokens(bucket, tokens, limit, atMs);
    if (taken.kind !== 'granted') throw new Error(`${tokens} tokens were refused`);
    bucket = taken.bucket;
    waits.push(taken.waitMs);
  }
  return { waits, bucket };
}
const repeat = (count: number, tokens = 0) => Array.from({ length: count }, () => tokens);

describe('B50 · a request that is larger than the bucket', () => {
  test('is refused at once where a whole minute does not hold it, and debits nothing', () => {
    expect(takeTokens(emptyBucket, 1_500, { tpm: 1_000 }, nowMs)).toEqual({ kind: 'too-large', tpm: 1_000 });
  });

  test('is no free pass where a minute holds it: those after it wait until it is paid', () => {
    const { waits } = takeAll(emptyBucket, [1_000, 1], { tpm: 1_000 });
    expect(waits[0]).toBe(0);
    expect(waits[1]).toBeGreaterThanOrEqual(60_000);
    expect(waits[1]).toBeLessThan(63_000);
  });

  test('is not starved by small ones that come after it', () => {
    const { bucket } = takeAll(emptyBucket, [900], { tpm: 1_000 });
    const big = takeAll(bucket, [800], { tpm: 1_000 });
    const after = takeAll(big.bucket, repeat(50, 1), { tpm: 1_000 });
    expect(Math.min(...after.waits)).toBeGreaterThanOrEqual(big.waits[0]!);
  });
});

describe('B50 · the rate', () => {
  test('of 15 requests a minute lets no 16th through after ten idle minutes and a burst of 40', () => {
    const { bucket } = takeAll(emptyBucket, [0], { rpm: 15 }, nowMs - 600_000);
    const { waits } = takeAll(bucket, repeat(40), { rpm: 15 });
    const starts = waits.map((waitMs) => nowMs + waitMs);
    for (const from of starts) {
      expect(starts.filter((each) => each >= from && each <= from + 60_000).length).toBeLessThanOrEqual(15);
    }
  });

  test('is shared by 50 who wait at the same time: first come, first served, each with a start of its own', () => {
    const { waits } = takeAll(emptyBucket, repeat(50), { rpm: 600 });
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(new Set(waits).size).toBe(50);
  });

  test('is at least 95 % of the limit for requests and for tokens', () => {
    const lastWaitMs = (limit: RateLimit, tokens: number) =>
      takeAll(emptyBucket, repeat(6_000, tokens), limit).waits.at(-1)!;
    expect(6_000 / (lastWaitMs({ rpm: 600 }, 0) / 60_000)).toBeGreaterThanOrEqual(0.95 * 600);
    expect((6_000 * 100) / (lastWaitMs({ tpm: 60_000 }, 100) / 60_000)).toBeGreaterThanOrEqual(0.95 * 60_000);
    expect(6_000 / (lastWaitMs({ rpm: 600, tpm: 60_000 }, 100) / 60_000)).toBeGreaterThanOrEqual(0.95 * 600);
  });

  test('has a burst of tokens of at most 5 % after any rest', () => {
    const { waits } = takeAll(emptyBucket, repeat(1_000, 10), { tpm: 100_000 });
    expect(waits.filter((waitMs) => waitMs === 0).length * 10).toBeLessThanOrEqual(5_000);
    expect(waits.filter((waitMs) => waitMs === 0).length).toBeGreaterThan(1);
  });

  test('without a limit is no wait', () => {
    expect(takeAll(emptyBucket, repeat(100, 1_000_000), {}).waits).toEqual(repeat(100));
  });
});

test.each([0, -1, Number.NaN, Infinity, 1.5])('B50 · a limit of %p is refused', (limit) => {
  expect(() => toRefillTimes({ rpm: limit })).toThrow(/rpm: wanted a whole number of at least 1/);
  expect(() => takeTokens(emptyBucket, 1, { tpm: limit }, nowMs)).toThrow(/tpm: wanted a whole number/);
});

test.each([-1, Number.NaN, Infinity, 1.5])('a request of %p tokens is refused', (tokens) => {
  expect(() => takeTokens(emptyBucket, tokens, { tpm: 100 }, nowMs)).toThrow(/tokens of a request/);
});

describe('B50 · what a request really used', () => {
  const limit = { tpm: 60_000 };
  const { bucket } = takeAll(emptyBucket, [10_000], limit);
  const waitAfter = (usedTokens: number) =>
    takeAll(settleTokens(bucket, { debitedTokens: 10_000, usedTokens }, limit), [1_000], limit).waits[0]!;

  test('shortens the wait of the next where it was less, and lengthens it where it was more', () => {
    expect(waitAfter(4_000)).toBeLessThan(waitAfter(10_000));
    expect(waitAfter(12_000)).toBeGreaterThan(waitAfter(10_000));
  });

  test('never fills the bucket beyond its burst', () => {
    const full = settleTokens(bucket, { debitedTokens: 10_000, usedTokens: 0 }, limit);
    const more = settleTokens(full, { debitedTokens: 10_000, usedTokens: 0 }, limit);
    expect(takeAll(more, repeat(30, 1_000), limit).waits).toEqual(takeAll(emptyBucket, repeat(30, 1_000), limit).waits);
  });
});

describe('a request that was not sent', () => {
  const limit = { rpm: 60, tpm: 6_000 };

  test('gives its tokens and its start back', () => {
    const { bucket } = takeAll(emptyBucket, [100], limit);
    const taken = takeTokens(bucket, 3_000, limit, nowMs);
    if (taken.kind !== 'granted') throw new Error('refused');
    const given = giveBackTokens(taken.bucket, { startMs: taken.startMs, tokens: 3_000 }, limit);
    const again = takeTokens(given, 3_000, limit, nowMs);
    expect(again.kind === 'granted' && again.startMs).toBeCloseTo(taken.startMs, 3);
  });

  test('does not let the next start together with one that was handed out after it', () => {
    const first = takeTokens(emptyBucket, 0, limit, nowMs);
    if (first.kind !== 'granted') throw new Error('refused');
    const second = takeAll(first.bucket, [0], limit);
    const given = giveBackTokens(second.bucket, { startMs: first.startMs, tokens: 0 }, limit);
    expect(takeAll(given, [0], limit).waits[0]).toBeGreaterThan(second.waits[0]!);
  });
});

describe('a start that was handed out', () => {
  test('is to be waited for, may be used a little late, and is lost after that', () => {
    expect(checkStart(emptyBucket, nowMs, nowMs - 700)).toEqual({ kind: 'wait', waitMs: 700 });
    expect(checkStart(emptyBucket, nowMs, nowMs)).toEqual({ kind: 'go' });
    expect(checkStart(emptyBucket, nowMs, nowMs + maxLateMs)).toEqual({ kind: 'go' });
    expect(checkStart(emptyBucket, nowMs, nowMs + maxLateMs + 1)).toEqual({ kind: 'lost' });
  });

  test('is lost when a pause comes over it, and stands when it lies behind the pause', () => {
    const paused = slowDown(emptyBucket, nowMs + 5_000, nowMs);
    expect(checkStart(paused, nowMs + 1_000, nowMs)).toEqual({ kind: 'lost' });
    expect(checkStart(paused, nowMs + 6_000, nowMs)).toEqual({ kind: 'wait', waitMs: 6_000 });
  });
});

describe('a refusal by the provider', () => {
  test('makes every caller wait, also where no limit is known, and none of them starts with another', () => {
    const paused = slowDown(emptyBucket, nowMs + 7_000, nowMs);
    const { waits } = takeAll(paused, repeat(4), {});
    expect(waits).toEqual([7_000, 8_000, 9_000, 10_000]);
    expect(takeAll(paused, repeat(3), { rpm: 610 }).waits).toEqual([7_000, 7_100, 7_200]);
  });

  test('is never shortened by another, and ten of one moment are as one', () => {
    const one = slowDown(emptyBucket, nowMs + 7_000, nowMs);
    const ten = repeat(9).reduce<TokenBucket>((bucket) => slowDown(bucket, nowMs + 1_000, nowMs + 10), one);
    expect(ten).toEqual(one);
  });

  test('that comes after a pause doubles the distance of starts, and minutes without one halve it', () => {
    const once = slowDown(emptyBucket, nowMs + 1_000, nowMs);
    const twice = slowDown(once, nowMs + 3_000, nowMs + 2_000);
    expect(takeAll(twice, repeat(2), {}, nowMs + 3_000).waits).toEqual([0, 2_000]);
    expect(takeAll(twice, repeat(2), {}, nowMs + 3_000 + 120_000).waits).toEqual([0, 500]);
  });
});
