import { describe, expect, test } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { samples } from './samples.ts';

const folder = new URL('../../src/contract/', import.meta.url);
const schemas = new Map<string, z.ZodType>();
for (const file of await readdir(folder)) {
  const exported = (await import(new URL(file, folder).href)) as Record<string, unknown>;
  for (const [name, value] of Object.entries(exported)) if (value instanceof z.ZodType) schemas.set(name, value);
}

const travel = (value: unknown): unknown =>
  defaultPayloadConverter.fromPayload(defaultPayloadConverter.toPayload(value));

test('every schema of the contract has a sample, and no sample is of a schema that is gone', () => {
  expect(Object.keys(samples).sort()).toEqual([...schemas.keys()].sort());
});

describe.each(Object.keys(samples))('%s', (name) => {
  test.each(samples[name]!.map((sample, index) => ({ index, sample })))(
    'sample $index comes out of a payload as it went in, and is still legal',
    ({ sample }) => {
      const arrived = travel(sample);
      expect(arrived).toEqual(sample);
      expect(schemas.get(name)!.parse(arrived)).toEqual(sample);
    },
  );
});

test('a sample has every field of its schema at least once', () => {
  const missing: string[] = [];
  for (const [name, schema] of schemas) {
    if (!(schema instanceof z.ZodObject)) continue;
    for (const field of Object.keys(schema.shape)) {
      if (!samples[name]!.some((sample) => field in (sample as object))) missing.push(`${name}.${field}`);
    }
  }
  expect(missing).toEqual([]);
});
