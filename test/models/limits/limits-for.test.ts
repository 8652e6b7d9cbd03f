import { describe, expect, test } from '@jest/globals';
import { limitsFor } from '../../../src/models/limits/limits-for.ts';
import { toRateKey } from '../../../src/models/limits/to-rate-key.ts';

const limits = {
  openai: { rpm: 1 },
  'openai/gpt-5': { rpm: 2 },
  'openai/gpt-5-2025-08-07': { rpm: 3 },
  anthropic: { tpm: 5 },
};

describe('the limit of a model', () => {
  test.each([
    ['openai/gpt-5', 'openai/gpt-5', 'gpt-5'],
    ['openai/gpt-5-2026-01-01', 'openai/gpt-5', 'gpt-5'],
    ['openai/gpt-5-2025-08-07', 'openai/gpt-5-2025-08-07', 'gpt-5-2025-08-07'],
    ['openai/gpt-4o', 'openai', 'gpt-4o'],
    ['openai-chat/gpt-5', 'openai/gpt-5', 'gpt-5'],
    ['openai-chat/gpt-4o', 'openai', 'gpt-4o'],
    ['anthropic/claude-sonnet-4-5-20250929', 'anthropic', 'claude-sonnet-4-5'],
    ['google/gemini-2.5-flash-001', null, 'gemini-2.5-flash'],
    ['compatible/org/model:free', null, 'org/model:free'],
  ])('%s is the most specific one that is known: %s', (model, name, family) => {
    expect(limitsFor(model, limits)).toMatchObject({ name, family });
  });

  test('that nobody knows has no numbers', () => {
    expect(limitsFor('google/gemini-2.5-pro', limits)!.limit).toEqual({});
  });
});

describe('the bucket of a model', () => {
  const parts = { vendor: 'openai' as const, baseUrl: null, apiKey: 'sk-secret', family: 'gpt-5' };

  test('is another one for another vendor, address, key or family', () => {
    const keys = [
      parts,
      { ...parts, vendor: 'compatible' as const },
      { ...parts, baseUrl: 'http://gateway/v1' },
      { ...parts, apiKey: 'sk-other' },
      { ...parts, apiKey: null },
      { ...parts, family: 'gpt-4o' },
    ].map(toRateKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(toRateKey({ ...parts })).toBe(keys[0]);
  });

  test('does not hold the key', () => {
    expect(toRateKey(parts)).toMatch(/^openai [0-9a-f]{16} gpt-5$/);
  });
});
