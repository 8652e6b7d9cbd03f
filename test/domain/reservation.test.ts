import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ToolResult, TranscriptHead } from '../../src/contract/transcript.ts';
import { boundOpeningReservation, boundReservation, minTurnTokens } from '../../src/domain/reservation.ts';
import { utf8Bytes } from '../../src/domain/text.ts';

const head: TranscriptHead = { hash: 'ab'.repeat(32), messages: 3, bytes: 9_000, knownTokens: 5_000 };
const inText = (text: string): ToolResult => ({ callId: 't1c1', name: 'read', isError: false, content: { text } });
const inStore = (bytes: number): ToolResult => ({ ...inText(''), content: { ref: { hash: head.hash, bytes } } });
const bound = (parts: Partial<Parameters<typeof boundReservation>[0]> = {}) =>
  boundReservation({ head: null, results: [], opening: [], maxOutputTokens: 1_000, ...parts });

describe('what is set aside before a call', () => {
  test('is the whole answer on top of the input', () => {
    expect(bound({ maxOutputTokens: 3_000 }) - bound()).toBe(2_000);
    expect(bound({ head, maxOutputTokens: 3_000 }) - bound({ head })).toBe(2_000);
  });

  test('takes each byte of the opening as a token, in any language', () => {
    for (const text of ['plain words', 'Größe', '日本語', '😀']) {
      expect(bound({ opening: [text] }) - bound()).toBe(utf8Bytes(text));
    }
  });

  test('builds on what the provider has counted, and takes only what is new by its bytes', () => {
    const later = bound({ head });
    expect(later).toBeGreaterThan(5_000 + 1_000);
    expect(later).toBeLessThan(5_000 + 1_000 + 600);
    expect(bound({ head, results: [inStore(700), inText('日本')] }) - later).toBe(700 + 6);
    expect(bound({ head, opening: ['of no matter any more'] })).toBe(later);
  });

  test('is a sum that a ledger can hold: a whole number, never negative, and never less for more', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1_000_000), { maxLength: 8 }),
        fc.nat(1_000_000),
        fc.option(fc.nat(1_000_000)),
        (sizes, maxOutputTokens, knownTokens) => {
          const parts = { head: knownTokens === null ? null : { ...head, knownTokens }, maxOutputTokens };
          const reserved = bound({ ...parts, results: sizes.map(inStore) });
          expect(Number.isSafeInteger(reserved)).toBe(true);
          expect(reserved).toBeGreaterThanOrEqual(maxOutputTokens);
          expect(bound({ ...parts, results: [...sizes, 10].map(inStore) })).toBeGreaterThanOrEqual(reserved);
        },
      ),
    );
  });

  test('for a plan or a synthesis is its bytes, our own words and the answer', () => {
    expect(boundOpeningReservation(2_000, 500) - boundOpeningReservation(0, 0)).toBe(2_500);
    expect(boundOpeningReservation(0, 0)).toBeGreaterThan(minTurnTokens);
  });
});
