/** The bound of a price and its inverse grow together, up to amounts that stand for no limit. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addUsd, boundMicroUsd, fromMicroUsd, tokensFor, unlimitedMicroUsd } from '../../src/domain/money.ts';

const rate = fc.oneof(
  fc.constantFrom(0, 0.0375, 0.15, 1.25, 15, 600),
  fc.double({ min: 0.0001, max: 1_000, noNaN: true }),
);
const rates = fc.record({ input: rate, output: rate });
const maxOutput = fc.integer({ min: 1, max: 200_000 });
const tokens = fc.oneof(fc.nat(5_000), fc.nat(3_000_000));
const money = fc.oneof(
  fc.nat(10_000_000),
  fc.maxSafeNat().map((amount) => amount % unlimitedMicroUsd),
);

test('more tokens, more output or dearer rates never have a lower bound', () => {
  fc.assert(
    fc.property(tokens, tokens, maxOutput, maxOutput, rates, rates, (some, more, output, longer, each, dearer) => {
      const bound = boundMicroUsd(some, output, each);
      expect(boundMicroUsd(some + more, output, each)).toBeGreaterThanOrEqual(bound);
      expect(boundMicroUsd(some, output + longer, each)).toBeGreaterThanOrEqual(bound);
      const sum = { input: each.input + dearer.input, output: each.output + dearer.output };
      expect(boundMicroUsd(some, output, sum)).toBeGreaterThanOrEqual(bound);
    }),
    { numRuns: 5_000 },
  );
});

test('more money never pays for fewer tokens, and what it pays for never costs more, also without a limit', () => {
  fc.assert(
    fc.property(money, money, maxOutput, rates, (a, b, output, each) => {
      const [less, more] = a < b ? [a, b] : [b, a];
      expect(tokensFor(less, output, each)).toBeLessThanOrEqual(tokensFor(more, output, each));
      expect(boundMicroUsd(tokensFor(more, output, each), output, each)).toBeLessThanOrEqual(more);
    }),
    { numRuns: 20_000 },
  );
});

test('what a bound sets aside pays for its tokens', () => {
  fc.assert(
    fc.property(tokens, maxOutput, rates, (some, output, each) => {
      // One less at most: a bound rounds up, but an error of binary fractions is not paid for.
      expect(tokensFor(boundMicroUsd(some, output, each), output, each)).toBeGreaterThanOrEqual(some - 1);
    }),
    { numRuns: 10_000 },
  );
});

test('a sum is the same for every order of the same amounts', () => {
  const shuffled = fc
    .array(fc.nat(5_000_000), { minLength: 2, maxLength: 30 })
    .chain((amounts) => fc.tuple(fc.constant(amounts), fc.shuffledSubarray(amounts, { minLength: amounts.length })));
  fc.assert(
    fc.property(shuffled, ([amounts, other]) => {
      const sum = (each: readonly number[]) => each.map(fromMicroUsd).reduce(addUsd, 0);
      expect(sum(other)).toBe(sum(amounts));
    }),
  );
});
