/** No limit is passed in any window, whatever comes when, is given back, is late or is paused; and everybody starts. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emptyBucket, giveBackTokens, slowDown, takeTokens, type TokenBucket } from '../../src/domain/token-bucket.ts';

type Start = { readonly startMs: number; readonly tokens: number };

const limits = fc.record({ rpm: fc.integer({ min: 1, max: 2_000 }), tpm: fc.integer({ min: 100, max: 200_000 }) });
const steps = fc.array(
  fc.record({
    /** Since the step before. */
    afterMs: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(90_000)),
    count: fc.integer({ min: 1, max: 60 }),
    /** Of what a burst holds. */
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    then: fc.constantFrom('go' as const, 'go' as const, 'cancel-last' as const, 'pause' as const),
  }),
  { minLength: 1, maxLength: 25 },
);

/** Starts by time, as the steps lead to them; those that were cancelled or paused are not among them. */
function simulate(limit: { rpm: number; tpm: number }, each: typeof steps extends fc.Arbitrary<infer T> ? T : never) {
  let bucket: TokenBucket = emptyBucket;
  let nowMs = 1_800_000_000_000;
  let starts: Start[] = [];
  for (const { afterMs, count, share, then } of each) {
    nowMs += afterMs;
    const tokens = Math.floor(share * 0.02 * limit.tpm);
    for (let taken = 0; taken < count; taken += 1) {
      const answer = takeTokens(bucket, tokens, limit, nowMs);
      if (answer.kind !== 'granted') throw new Error('refused');
      bucket = answer.bucket;
      starts.push({ startMs: answer.startMs, tokens });
    }
    if (then === 'cancel-last') bucket = giveBackTokens(bucket, starts.pop()!, limit);
    if (then === 'pause') {
      const untilMs = nowMs + 5_000;
      bucket = slowDown(bucket, untilMs, nowMs);
      starts = starts.filter(({ startMs }) => startMs <= nowMs || startMs >= untilMs);
    }
  }
  return starts.sort((a, b) => a.startMs - b.startMs);
}

/** The most that any window of this length holds. */
function most(starts: readonly Start[], windowMs: number, sizeOf: (start: Start) => number): number {
  let [highest, sum, first] = [0, 0, 0];
  for (const start of starts) {
    sum += sizeOf(start);
    while (starts[first]!.startMs < start.startMs - windowMs) sum -= sizeOf(starts[first++]!);
    highest = Math.max(highest, sum);
  }
  return highest;
}

test('no 60 s hold more requests than the limit, also when each arrives up to 0.9 s late', () => {
  fc.assert(
    fc.property(limits, steps, (limit, each) => {
      const starts = simulate(limit, each);
      expect(most(starts, 60_000, () => 1)).toBeLessThanOrEqual(limit.rpm);
      expect(most(starts, 60_900, () => 1)).toBeLessThanOrEqual(limit.rpm);
    }),
    { numRuns: 300 },
  );
});

test('no 60 s hold more tokens than the limit, and no window more than its rate and the burst', () => {
  fc.assert(
    fc.property(limits, steps, fc.integer({ min: 1, max: 300_000 }), (limit, each, windowMs) => {
      const starts = simulate(limit, each);
      expect(most(starts, 60_000, ({ tokens }) => tokens)).toBeLessThanOrEqual(limit.tpm);
      const bound = limit.tpm * (windowMs / 60_000 + 0.05);
      expect(most(starts, windowMs, ({ tokens }) => tokens)).toBeLessThanOrEqual(bound + 1);
    }),
    { numRuns: 300 },
  );
});

test('a large request passes the burst by itself alone, and nobody waits for ever or is overtaken', () => {
  const sizes = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(limits, sizes, (limit, shares) => {
      const nowMs = 1_800_000_000_000;
      let bucket: TokenBucket = emptyBucket;
      const starts = shares.map((share): Start => {
        const tokens = Math.floor(share * limit.tpm);
        const answer = takeTokens(bucket, tokens, limit, nowMs);
        if (answer.kind !== 'granted') throw new Error('refused');
        bucket = answer.bucket;
        return { startMs: answer.startMs, tokens };
      });
      const largest = Math.max(...starts.map(({ tokens }) => tokens));
      const total = starts.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(starts.map(({ startMs }) => startMs)).toEqual(starts.map(({ startMs }) => startMs).sort((a, b) => a - b));
      expect(most(starts, 60_000, ({ tokens }) => tokens)).toBeLessThanOrEqual(limit.tpm + largest);
      const slowestMs = 61_000 * (shares.length / limit.rpm + total / (0.98 * limit.tpm));
      expect(starts.at(-1)!.startMs - nowMs).toBeLessThanOrEqual(slowestMs + 1);
    }),
    { numRuns: 300 },
  );
});
