import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutText, formatCount, previewText, sliceText, utf8Bytes } from '../../src/domain/text.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 300 });
/** UTF-16 units at random: lone surrogates and NUL included. */
const rawText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 300 })
  .map((units) => String.fromCharCode(...units));

describe('utf8Bytes', () => {
  test('equals the length of the encoded text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, rawText), (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text, 'utf8'));
      }),
    );
  });
});

describe('cutText', () => {
  test('leaves a text that fits as it is', () => {
    expect(cutText('four', 4)).toBe('four');
  });

  test('says how much is left of how much, inside the limit', () => {
    const cut = cutText('x'.repeat(5_242_880), 16_000);
    expect(cut.length).toBe(16_000);
    expect(cut.slice(-40)).toBe('xx\n[cut: 15,962 of 5,242,880 characters]');
    expect(cut.lastIndexOf('x')).toBe(15_961);
  });

  test('never splits an emoji that stands on the boundary', () => {
    for (let before = 40; before < 60; before += 1) {
      const cut = cutText(`${'x'.repeat(before)}${'😀'.repeat(200)}`, 100);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut).not.toContain('\uFFFD');
    }
  });

  test('yields well-formed text without NUL and of bounded length from anything', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, rawText), fc.nat(400), (text, maxChars) => {
        const cut = cutText(text, maxChars);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut).not.toContain('\0');
        const marker = /\n\[cut: [\d,]+ of [\d,]+ characters\]$/.exec(cut)?.[0] ?? '';
        expect(cut.length).toBeLessThanOrEqual(maxChars >= 80 ? maxChars : maxChars + marker.length);
      }),
    );
  });
});

test('sliceText drops half a pair rather than keeping it', () => {
  expect(sliceText('a😀b', 2)).toBe('a');
  expect(sliceText('a😀b', 3)).toBe('a😀');
  expect(sliceText('abc', -1)).toBe('');
});

describe('previewText', () => {
  test('folds lines and control characters into one line', () => {
    expect(previewText('  one\r\n\ttwo\u001b[31m three\u0000 ')).toBe('one two [31m three');
  });

  test('ends a cut line with an ellipsis inside the limit', () => {
    expect(previewText('abcdefgh', 5)).toBe('abcd…');
    expect(previewText('😀😀😀', 4)).toBe('😀…');
  });
});

test('formatCount groups by thousands', () => {
  expect([0, 999, 1_200, 50_000, 5_242_880].map(formatCount)).toEqual(['0', '999', '1,200', '50,000', '5,242,880']);
});
