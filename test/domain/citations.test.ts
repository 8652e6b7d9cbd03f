import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { numberCitations, quoteStandsIn } from '../../src/domain/citations.ts';

const claims = {
  's1.1': { sourceId: 'a.md', quote: 'one', verified: true },
  's1.2': { sourceId: 'b.md', quote: 'two', verified: true },
  's2.1.3': { sourceId: 'c.md', quote: 'three', verified: false },
};

describe('numberCitations', () => {
  test('numbers claims by their first appearance, and the same claim again keeps its number', () => {
    const { text, citations, unknown } = numberCitations('B [s1.2]. A [s1.1], B again [s1.2].', claims);
    expect(text).toBe('B [1]. A [2], B again [1].');
    expect(citations).toEqual([
      { marker: '[1]', sourceId: 'b.md', quote: 'two', verified: true },
      { marker: '[2]', sourceId: 'a.md', quote: 'one', verified: true },
    ]);
    expect(unknown).toEqual([]);
  });

  test('reads several claims in a row and in one bracket', () => {
    expect(numberCitations('x [s1.1][s1.2] y [s1.2, s1.1] z [ s1.1; s1.2 ]', claims).text).toBe(
      'x [1][2] y [2][1] z [1][2]',
    );
  });

  test('strikes out what names no claim, and lists it once', () => {
    const { text, citations, unknown } = numberCitations('x [s9.9] [s9.9] [s1.1, s3.4]', claims);
    expect(text).toBe('x ~~[s9.9]~~ (no such source) ~~[s9.9]~~ (no such source) [1]~~[s3.4]~~ (no such source)');
    expect(citations).toHaveLength(1);
    expect(unknown).toEqual(['s9.9', 's3.4']);
  });

  test('says behind the marker that a quote was not found', () => {
    const { text, citations } = numberCitations('x [s2.1.3].', claims);
    expect(text).toBe('x [1] (unverified).');
    expect(citations[0]).toMatchObject({ marker: '[1]', verified: false });
  });

  test('a number that a model made up does not pass for a citation; code and links stay', () => {
    expect(
      numberCitations('made up [7]; real [s1.1]; `a = [0]`; x[0]; [1](https://e.org)\n```\n[2]\n```', claims).text,
    ).toBe('made up (7); real [1]; `a = [0]`; x[0]; [1](https://e.org)\n```\n[2]\n```');
  });

  test('leaves other brackets alone', () => {
    const draft = 'see [s1], [x.1], [s1.1, x], [], [s.1] and [s1.]';
    expect(numberCitations(draft, claims)).toEqual({ text: draft, citations: [], unknown: [] });
  });

  test('every citation stands in the text, and none is numbered that has no claim', () => {
    const part = fc.constantFrom('[s1.1]', '[s1.2]', '[s2.1.3]', '[s9.9]', '[s1.1, s9.9]', '[3]', ' word ', '`', '\n');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const { text, citations } = numberCitations(parts.join(''), claims);
        expect(citations.map(({ marker }) => marker)).toEqual(citations.map((_, index) => `[${index + 1}]`));
        for (const { marker } of citations) expect(text).toContain(marker);
      }),
    );
  });
});

describe('quoteStandsIn', () => {
  test('line breaks and runs of white space do not matter', () => {
    expect(quoteStandsIn('one two  three', 'zero\none\n  two\u00a0three four')).toBe(true);
  });

  test('Unicode composition does not matter', () => {
    expect(quoteStandsIn('cafe\u0301', 'the café')).toBe(true);
  });

  test('letter case and every word do', () => {
    expect(quoteStandsIn('One', 'one')).toBe(false);
    expect(quoteStandsIn('one three', 'one two three')).toBe(false);
  });

  test.each(['', '  \n'])('the empty quote %j stands nowhere', (quote) => {
    expect(quoteStandsIn(quote, 'anything')).toBe(false);
  });
});
