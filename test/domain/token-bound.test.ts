import { describe, expect, test } from '@jest/globals';
import {
  boundFirstTurnTokens,
  boundNextTurnTokens,
  calibrateTokens,
  estimateTokens,
} from '../../src/domain/token-bound.ts';

test('the bound of a first turn holds all bytes and the framing of the request, its tools and its messages', () => {
  expect(boundFirstTurnTokens(0, 0, 0, 0)).toBe(700);
  expect(boundFirstTurnTokens(1_000, 300, 2, 3)).toBe(700 + 1_000 + 300 + 2 * 64 + 3 * 16);
});

test('the bound of a later turn is exact for what was counted, and bytes for what is new', () => {
  expect(boundNextTurnTokens(5_000, 1_200, 2)).toBe(5_000 + 1_200 + 32);
});

test('an estimate is a quarter of the UTF-8 bytes, rounded up', () => {
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('abcd')).toBe(1);
  expect(estimateTokens('abcde')).toBe(2);
  expect(estimateTokens('€€€')).toBe(3);
});

describe('calibrateTokens', () => {
  test('takes the bytes per token of the same transcript, with a quarter on top', () => {
    expect(calibrateTokens(16_000, { bytes: 8_000, tokens: 2_000 })).toBe(5_000);
    expect(calibrateTokens(3, { bytes: 4, tokens: 1 })).toBe(1);
    expect(calibrateTokens(10, { bytes: 3, tokens: 1 })).toBe(5);
  });

  test('falls back to the bytes while nothing is known', () => {
    expect(calibrateTokens(123, { bytes: 0, tokens: 0 })).toBe(123);
    expect(calibrateTokens(123, { bytes: 10, tokens: 0 })).toBe(123);
  });

  test('is never above the bytes, which are a bound already', () => {
    expect(calibrateTokens(100, { bytes: 10, tokens: 50 })).toBe(100);
  });
});
