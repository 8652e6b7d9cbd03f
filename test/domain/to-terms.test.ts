import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stemWord } from '../../src/domain/language/stem-word.ts';
import { toTerms, toTokens } from '../../src/domain/language/to-terms.ts';

describe('stems', () => {
  test.each([
    [['annotate', 'annotated', 'annotates', 'annotation', 'annotations']],
    [['specify', 'specified', 'specifies', 'specification', 'specifications']],
    [['cancel', 'cancels', 'cancelled', 'cancelling', 'cancellation']],
    [['format', 'formats', 'formatted', 'formatting']],
    [['class', 'classes']],
    [['query', 'queries', 'queried', 'querying']],
    [['introduce', 'introduced', 'introduces', 'introducing']],
  ])('%j meet', (words) => {
    expect(new Set(words.map(stemWord)).size).toBe(1);
  });

  test.each([
    ['string', 'str'],
    ['state', 'station'],
    ['generate', 'general'],
    ['test', 'testimony'],
  ])('%s and %s stay apart', (one, other) => {
    expect(stemWord(one)).not.toBe(stemWord(other));
  });

  test('other scripts and short words stay as they are', () => {
    expect(['für', 'ñandúes', '日本語', 'is', 'gas'].map(stemWord)).toEqual(['für', 'ñandúes', '日本語', 'is', 'gas']);
  });
});

describe('terms', () => {
  test('a compound gives itself and its parts', () => {
    expect(toTerms('f-strings in pyproject.toml')).toEqual([
      'f-string',
      'string',
      'pyproject.toml',
      'pyproject',
      'toml',
    ]);
    expect(toTerms('HTTPServer')).toEqual(['httpserver', 'http', 'server']);
    expect(toTokens('TypedDict')).toEqual([{ term: 'typeddict', parts: ['typ', 'dict'] }]);
  });

  test('signs of code are kept, rules and full stops are not', () => {
    expect(toTerms('so := or `@`, then except* … == ---- C++ and C#.')).toEqual([
      ':=',
      '@',
      'except*',
      'except',
      'c++',
      'c',
      'c#',
      'c',
    ]);
  });

  test('stop words give nothing, in any case', () => {
    expect(toTerms('What is the THE and of')).toEqual([]);
  });

  test('any text gives terms that are short, well-formed and hold no white space', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const term of toTerms(text)) {
          expect(term).toMatch(/^\S{1,64}$/u);
          expect(term.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
