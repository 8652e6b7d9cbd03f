import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../src/domain/canonical-json.ts';

test('sorts the keys at every level and keeps the order of lists', () => {
  expect(canonicalJson({ b: [2, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[2,{"c":"x","d":null}]}');
});

test('is the same text for the same value, however it was put together', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
    }),
  );
});

test('is JSON of the value itself', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(text));
    }),
  );
});

test('treats what JSON has no word for as JSON does', () => {
  const value = { a: undefined, b: [undefined, NaN], c: () => 1 };
  expect(canonicalJson(value)).toBe(JSON.stringify(value));
  expect(canonicalJson(undefined)).toBe('null');
});

test('keeps a key named __proto__', () => {
  expect(canonicalJson(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}');
});
