import { expect, test } from '@jest/globals';
import { planBound, planConcurrency, toQueueRate, toRpm } from '../../src/domain/concurrency.ts';

test('600 requests a minute, 8 calls a query, 400 ms: 420 calls, 52 queries, 180 kept back, 4 at once', () => {
  expect(planConcurrency({ rpm: 600, headroom: 0.7, latencyMs: 400, callsPerQuery: 8 })).toEqual({
    usableCallsPerMinute: 420,
    keptBackRpm: 180,
    queriesPerMinute: 52,
    maxConcurrency: 4,
  });
});

test.each([
  [10_000, 400, 59],
  [600, 10_000, 88],
  [60, 400, 1],
  [1, 1, 1],
])('%d requests a minute of %d ms each: %d at once', (rpm, latencyMs, maxConcurrency) => {
  const plan = planConcurrency({ rpm, headroom: 0.7, latencyMs });
  expect(plan.maxConcurrency).toBe(maxConcurrency);
  expect(plan).not.toHaveProperty('queriesPerMinute');
});

test('a share that is a whole number but for the last digit of a computer is that number', () => {
  for (let rpm = 10; rpm <= 5_000; rpm += 10) {
    expect(planConcurrency({ rpm, headroom: 0.7, latencyMs: 400 }).usableCallsPerMinute).toBe((rpm / 10) * 7);
  }
  // 1.25 × 240 × 0.8 / 60 × 2 s = 8 exactly.
  expect(planConcurrency({ rpm: 240, headroom: 0.8, latencyMs: 2_000 }).maxConcurrency).toBe(8);
});

test('the rate of a queue, with its double first second, passes no limit in a minute, and says what it was made from', () => {
  for (const rpm of [1, 7, 60, 600, 3_500, 10_000, 100_000]) {
    const rate = toQueueRate(rpm);
    expect(2 * rate + 59 * rate).toBeLessThanOrEqual(rpm + 1e-6);
    // As short as the server keeps it.
    expect(toRpm(Math.fround(rate))).toBe(rpm);
  }
});

test('a bound follows from the requests a minute that are met first, and from nothing where none are known', () => {
  const terms = { headroom: 0.7, latencyMs: 10_000 };
  expect(planBound({ rpm: 600 }, terms)).toEqual({ rpm: 600, maxConcurrency: 88 });
  expect(planBound({ rpm: 600, tenantRpm: 60 }, terms)).toEqual({ rpm: 60, maxConcurrency: 9 });
  expect(planBound({ rpm: 50, tenantRpm: 60 }, terms)).toEqual({ rpm: 50, maxConcurrency: 8 });
  expect(planBound({ tpm: 9_000 }, terms)).toBeNull();
});
