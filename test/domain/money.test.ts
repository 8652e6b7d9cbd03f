import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addUsd, boundMicroUsd, fromMicroUsd, tokensFor, toMicroUsd, toUsdMeter } from '../../src/domain/money.ts';

describe('an amount in USD', () => {
  test.each([
    [0, 0],
    [0.29, 290_000],
    [0.0000001, 1],
    [0.0000011, 2],
    [5, 5_000_000],
    [1_000_000, 1_000_000_000_000],
  ])('%d is %i millionths: a part of one counts as one, an error of binary fractions does not', (usd, microUsd) => {
    expect(toMicroUsd(usd)).toBe(microUsd);
  });

  test('that nobody knows counts as nothing', () => {
    expect(toMicroUsd(null)).toBe(0);
  });

  test('is the same after the way to millionths and back', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000_000), (microUsd) => {
        expect(toMicroUsd(fromMicroUsd(microUsd))).toBe(microUsd);
      }),
    );
  });

  test('has a sum that does not depend on the order', () => {
    expect(addUsd(0.1, 0.2)).toBe(0.3);
    fc.assert(
      fc.property(fc.array(fc.nat(10_000_000), { maxLength: 40 }), (amounts) => {
        const usd = amounts.map(fromMicroUsd);
        const total = fromMicroUsd(amounts.reduce((sum, each) => sum + each, 0));
        expect(usd.reduce(addUsd, 0)).toBe(total);
        expect(usd.reduceRight(addUsd, 0)).toBe(total);
      }),
    );
  });

  test('of a meter is in USD in all four parts', () => {
    expect(toUsdMeter({ spent: 3_820_000, reserved: 400_000, remaining: 780_000, limit: 5_000_000 })).toEqual({
      spent: 3.82,
      reserved: 0.4,
      remaining: 0.78,
      limit: 5,
    });
  });
});

describe('boundMicroUsd', () => {
  test('prices as many tokens as output as there may be, and the rest as input', () => {
    expect(boundMicroUsd(10_000, 4_000, { input: 3, output: 15 })).toBe(6_000 * 3 + 4_000 * 15);
    expect(boundMicroUsd(1_000, 4_000, { input: 3, output: 15 })).toBe(15_000);
  });

  test('rounds up', () => {
    expect(boundMicroUsd(1, 1, { input: 0.01, output: 0.04 })).toBe(1);
    expect(boundMicroUsd(100, 0, { input: 0.15, output: 0.6 })).toBe(15);
  });

  test('is the dearer of both where input costs more than output', () => {
    expect(boundMicroUsd(10, 4, { input: 20, output: 5 })).toBe(200);
  });

  test('is nothing where there is no price', () => {
    expect(boundMicroUsd(10_000, 4_000, undefined)).toBe(0);
    expect(boundMicroUsd(10_000, 4_000, { input: 0, output: 0 })).toBe(0);
  });
});

const rate = fc.oneof(
  fc.constantFrom(0, 0.0375, 0.1, 0.15, 0.3, 1.25, 3, 15, 75, 600),
  fc.double({ min: 0, max: 1_000, noNaN: true, noDefaultInfinity: true }),
);
const rates = fc.record({ input: rate, output: rate });
const maxOutput = fc.integer({ min: 1, max: 200_000 });
/** Up to the largest limit that a run may have. */
const money = fc.oneof(fc.nat(10_000_000), fc.nat(1_000_000_000_000));

describe('tokensFor', () => {
  test.each([
    [100_000, 10_000, { input: 1, output: 10 }, 10_000],
    [100_999, 10_000, { input: 1, output: 10 }, 10_999],
    [99_999, 10_000, { input: 1, output: 10 }, 9_999],
    [0, 10_000, { input: 1, output: 10 }, 0],
  ])('%i millionths with %i tokens of output at most', (microUsd, maxOutputTokens, each, tokens) => {
    expect(tokensFor(microUsd, maxOutputTokens, each)).toBe(tokens);
  });

  test('is without a bound where tokens cost nothing', () => {
    expect(tokensFor(0, 100, undefined)).toBe(Number.MAX_SAFE_INTEGER);
    expect(tokensFor(0, 100, { input: 0, output: 0 })).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('never says more than the money pays for, whatever the amounts', () => {
    fc.assert(
      fc.property(money, maxOutput, rates, (microUsd, maxOutputTokens, each) => {
        const tokens = tokensFor(microUsd, maxOutputTokens, each);
        expect(tokens).toBeGreaterThanOrEqual(0);
        expect(boundMicroUsd(tokens, maxOutputTokens, each)).toBeLessThanOrEqual(microUsd);
      }),
      { numRuns: 20_000 },
    );
  });

  test('leaves less unused than one further token costs', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), maxOutput, rates, (microUsd, maxOutputTokens, each) => {
        const tokens = tokensFor(microUsd, maxOutputTokens, each);
        if (tokens === Number.MAX_SAFE_INTEGER) return;
        // Two: bounds are rounded up to whole millionths, and so one token may seem to cost nothing.
        expect(boundMicroUsd(tokens + 2, maxOutputTokens, each)).toBeGreaterThanOrEqual(microUsd);
      }),
    );
  });
});

test('no split of tokens into input and output costs more than their bound', () => {
  fc.assert(
    fc.property(fc.nat(2_000_000), maxOutput, fc.nat(200_000), rates, (tokens, maxOutputTokens, drawn, each) => {
      const output = Math.min(drawn, tokens, maxOutputTokens);
      const usd = ((tokens - output) * each.input + output * each.output) / 1_000_000;
      expect(toMicroUsd(usd)).toBeLessThanOrEqual(boundMicroUsd(tokens, maxOutputTokens, each));
    }),
    { numRuns: 10_000 },
  );
});
