/** Cached input of catalogue models: a read costs less than fresh input, and a write never more than the rates say. */
import { describe, expect, test } from '@jest/globals';
import { priceUsage, ratesOf } from '../../../src/models/price/price-catalogue.ts';

const inputTokens = 10_000;
const priceOf = (model: string, cache: { cacheReadTokens?: number; cacheWriteTokens?: number } = {}) =>
  priceUsage({ model }, { inputTokens, outputTokens: 0, ...cache })!;

describe.each(['openai/gpt-4o', 'openai-chat/gpt-4o', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'])(
  'input of %s',
  (model) => {
    test('that was read from the cache costs less, the more of it the less', () => {
      const [none, half, all] = [0, inputTokens / 2, inputTokens].map((cacheReadTokens) =>
        priceOf(model, { cacheReadTokens }),
      );
      expect(half).toBeLessThan(none!);
      expect(all).toBeLessThan(half!);
      expect(all).toBeGreaterThan(0);
    });

    test('that was written to the cache stays within the rates', () => {
      const bound = (inputTokens * ratesOf({ model })!.input) / 1_000_000;
      expect(priceOf(model, { cacheWriteTokens: inputTokens })).toBeLessThanOrEqual(bound + 1e-9);
    });
  },
);

test('a write to the cache costs more than fresh input where the vendor says so', () => {
  const model = 'anthropic/claude-sonnet-4-5';
  expect(priceOf(model, { cacheWriteTokens: inputTokens })).toBeGreaterThan(priceOf(model));
});

test('a price of the run without a price for the cache makes cached input as dear as fresh', () => {
  const choice = { model: 'anthropic/claude-sonnet-4-5', price: { input: 3, output: 15 } };
  const usage = { inputTokens, outputTokens: 0, cacheReadTokens: inputTokens };
  expect(priceUsage(choice, usage)).toBeCloseTo(0.03, 9);
});
