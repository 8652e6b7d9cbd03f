import { describe, expect, test } from '@jest/globals';
import { calcPrice } from '@pydantic/genai-prices';
import fc from 'fast-check';
import type { ModelUsage } from '../../../src/contract/model.ts';
import { priceUsage, ratesOf } from '../../../src/models/price/price-catalogue.ts';

const million = 1_000_000;
const used = (parts: Partial<ModelUsage> = {}): ModelUsage => ({ inputTokens: 1_000, outputTokens: 100, ...parts });

/** Names of all models that the catalogue has for our vendors. */
const catalogue = (
  [
    ['openai', 'openai', 'gpt-4o'],
    ['openai-chat', 'openai', 'gpt-4o'],
    ['anthropic', 'anthropic', 'claude-sonnet-4-5'],
    ['google', 'google', 'gemini-2.5-pro'],
  ] as const
).flatMap(([vendor, providerId, known]) =>
  calcPrice({ input_tokens: 1, output_tokens: 1 }, known, { providerId })!.provider.models.map(
    ({ id }) => `${vendor}/${id}`,
  ),
);

describe('what a model costs', () => {
  test('is in the catalogue for models of the three vendors', () => {
    expect(ratesOf({ model: 'openai/gpt-4o' })).toEqual({ input: 2.5, output: 10 });
    expect(ratesOf({ model: 'openai-chat/gpt-4o' })).toEqual({ input: 2.5, output: 10 });
    expect(priceUsage({ model: 'openai/gpt-4o' }, used())).toBeCloseTo(0.0035, 9);
    // What is written to the cache costs more than other input.
    expect(ratesOf({ model: 'anthropic/claude-sonnet-4-0' })!.input).toBeGreaterThan(3);
    expect(ratesOf({ model: 'google/gemini-2.5-flash' })!.output).toBeGreaterThan(0);
  });

  test('is at most that of the dearest tier', () => {
    const model = 'google/gemini-2.5-pro';
    const price = (inputTokens: number) => priceUsage({ model }, { inputTokens, outputTokens: 0 })! / inputTokens;
    expect(price(1_000_000)).toBeGreaterThan(price(1_000));
    expect(ratesOf({ model })!.input / million).toBeGreaterThanOrEqual(price(1_000_000) - 1e-12);
  });

  test.each([
    'openai/no-such-model-9',
    'compatible/gpt-4o', // a server of one's own is not the vendor whose model it serves
    'compatible/meta-llama/Llama-3.1-8B',
    'mistral/mistral-large',
    'openai/whisper-1', // priced by the hour
    'openai/text-embedding-3-small', // has no output
    'openai/ft:gpt-4o:mine', // a price of its own
    'nonsense',
  ])('is not known of %s', (model) => {
    expect(ratesOf({ model })).toBeNull();
    expect(priceUsage({ model }, used())).toBeNull();
  });

  test.each(['extractive', 'scripted:/srv/script.yaml'])(
    'is nothing for %s, unless the run says otherwise',
    (model) => {
      expect(ratesOf({ model })).toEqual({ input: 0, output: 0 });
      expect(priceUsage({ model }, used())).toBe(0);
      const price = { input: 2, output: 8 };
      expect(ratesOf({ model, price })).toEqual(price);
      expect(priceUsage({ model, price }, used())).toBeCloseTo(0.0028, 9);
    },
  );
});

describe("a run's own price", () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

  test('wins over the catalogue, and is the only one of a compatible server', () => {
    for (const model of ['openai/gpt-4o', 'compatible/llama', 'openai/no-such-model-9']) {
      expect(priceUsage({ model, price }, used())).toBeCloseTo(0.0045, 9);
      expect(ratesOf({ model, price })).toEqual({ input: 3.75, output: 15 });
    }
  });

  test('prices what was read from and written to the cache, which is part of the input', () => {
    const usage = used({ inputTokens: 10_000, cacheReadTokens: 6_000, cacheWriteTokens: 1_000 });
    const usd = (3_000 * 3 + 6_000 * 0.3 + 1_000 * 3.75 + 100 * 15) / million;
    expect(priceUsage({ model: 'compatible/x', price }, usage)).toBeCloseTo(usd, 9);
  });

  test('takes the cache for input where it names no price for it', () => {
    const usage = used({ cacheReadTokens: 500, cacheWriteTokens: 500 });
    expect(priceUsage({ model: 'compatible/x', price: { input: 2, output: 8 } }, usage)).toBeCloseTo(0.0028, 9);
  });

  test('of nothing costs nothing', () => {
    expect(priceUsage({ model: 'openai/gpt-4o', price: { input: 0, output: 0 } }, used())).toBe(0);
  });
});

describe('counts of a cache that cannot be true', () => {
  test.each([{ cacheReadTokens: 1_001 }, { cacheReadTokens: 600, cacheWriteTokens: 600 }, { cacheWriteTokens: 5_000 }])(
    '%j make it count as no cache, and nothing throws',
    (cache) => {
      for (const model of ['openai/gpt-4o', 'anthropic/claude-sonnet-4-5'])
        expect(priceUsage({ model }, used(cache))).toBe(priceUsage({ model }, used()));
    },
  );
});

describe('over the whole catalogue', () => {
  const known = catalogue.filter((model) => ratesOf({ model }) !== null);
  const usage = fc
    .record({
      inputTokens: fc.oneof(fc.nat(5_000), fc.nat(3_000_000)),
      outputTokens: fc.oneof(fc.nat(5_000), fc.nat(200_000)),
      read: fc.nat(100),
      write: fc.nat(100),
      reasoning: fc.nat(100),
    })
    .map(({ inputTokens, outputTokens, read, write, reasoning }): ModelUsage => {
      const part = (whole: number, percent: number) => Math.floor((whole * percent) / 100);
      const cacheReadTokens = part(inputTokens, read);
      return {
        inputTokens,
        outputTokens,
        cacheReadTokens,
        cacheWriteTokens: part(inputTokens - cacheReadTokens, write),
        reasoningTokens: part(outputTokens, reasoning),
      };
    });

  test('most models of it are known', () => {
    expect(known.length).toBeGreaterThan(200);
    expect(known.length / catalogue.length).toBeGreaterThan(0.9);
  });

  test.each(known)('%s: no usage costs more than its rates say, and every one has a price', (model) => {
    const { input, output } = ratesOf({ model })!;
    fc.assert(
      fc.property(usage, (each) => {
        const usd = priceUsage({ model }, each);
        expect(usd).not.toBeNull();
        const bound = (each.inputTokens * input + each.outputTokens * output) / million;
        expect(usd!).toBeGreaterThanOrEqual(0);
        expect(usd!).toBeLessThanOrEqual(bound + 1e-9);
      }),
      { numRuns: 60 },
    );
  });
});
