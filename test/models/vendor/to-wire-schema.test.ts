/** Schemas as each vendor accepts them: every construct of CASES B17, and those of tools that come from elsewhere. */
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { toWireSchema } from '../../../src/models/vendor/prompt/to-wire-schema.ts';
import { vendors, type Vendor } from '../../../src/models/vendor/vendor.ts';
import { toInputSchema } from '../../../src/tools/to-input-schema.ts';
import {
  call,
  hello,
  modelAt,
  plainUsage,
  search,
  startServer,
  toAnswer,
  toRequest,
  type Json,
} from './vendor-world.ts';

type Node = { name: string; children: Node[] };
const node: z.ZodType<Node> = z.lazy(() => z.object({ name: z.string(), children: z.array(node) }));
const place = z.object({ city: z.string() });
const everything = z.object({
  literal: z.literal('a'),
  number: z.literal([1, 2]),
  mixed: z.literal(['a', 1, null]),
  shape: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number().positive() }),
    z.object({ kind: z.literal('square'), side: z.int() }),
  ]),
  record: z.record(z.string(), z.number()),
  pattern: z.record(z.string().regex(/^x-/), z.string()),
  from: place,
  to: place,
  tree: node,
  nullable: z.string().nullable(),
  nullableEnum: z.enum(['a', 'b']).nullable(),
  choice: z.union([z.string(), z.number(), z.null()]).describe('either'),
  tuple: z.tuple([z.string(), z.number()]),
  both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
  anything: z.unknown(),
  loose: z.looseObject({ a: z.string() }),
  when: z.iso.datetime(),
  mail: z.email(),
  list: z.array(z.object({ deep: z.literal('x') })).min(1),
  optional: z.string().min(3).default('abc'),
});
const registered = toInputSchema('t', everything, false);

function walk(
  value: unknown,
  visit: (node: Record<string, unknown>, isSchema: boolean) => void,
  isSchema = true,
): void {
  if (Array.isArray(value)) return value.forEach((each) => walk(each, visit, isSchema));
  if (typeof value !== 'object' || value === null) return;
  visit(value as Record<string, unknown>, isSchema);
  for (const [key, each] of Object.entries(value)) walk(each, visit, isSchema ? key !== 'properties' : true);
}

async function parametersOnTheWire(vendor: Vendor, inputSchema: Readonly<Record<string, unknown>>) {
  const server = await startServer({ json: toAnswer(vendor, { text: 'x', usage: plainUsage(vendor) }) });
  await call(modelAt(vendor, server.url), toRequest(hello, { tools: [{ ...search, inputSchema }] }));
  await server.close();
  const [tool] = server.requests[0]!.body.tools;
  switch (vendor) {
    case 'openai':
      return tool.parameters;
    case 'openai-chat':
    case 'compatible':
      return tool.function.parameters;
    case 'anthropic':
      return tool.input_schema;
    case 'google':
      return tool.functionDeclarations[0].parameters;
  }
}

describe.each(vendors)('%s', (vendor) => {
  test('is told of every construct without a keyword that it refuses', async () => {
    const parameters = await parametersOnTheWire(vendor, registered);
    const refused = [
      '$ref',
      '$schema',
      '$defs',
      'definitions',
      'oneOf',
      'allOf',
      'const',
      'patternProperties',
      'propertyNames',
      'prefixItems',
    ];
    const refusedByGemini = [
      ...refused,
      'additionalProperties',
      'exclusiveMinimum',
      'exclusiveMaximum',
      'default',
      'pattern',
      'title',
      'minimum',
      'maximum',
    ];
    const seen = new Set<string>();
    walk(parameters, (each, isSchema) => {
      if (!isSchema) return;
      Object.keys(each).forEach((key) => seen.add(key));
      if (Array.isArray(each.items)) throw new Error('a tuple');
      if (vendor !== 'google') return;
      if (Array.isArray(each.type)) throw new Error('a list of types');
      if (each.anyOf && Object.keys(each).length > 1) throw new Error(`beside anyOf: ${Object.keys(each).join()}`);
      if (each.enum && each.type !== 'string') throw new Error('an enum of no strings');
      if (!each.anyOf && typeof each.type !== 'string') throw new Error(`no type: ${JSON.stringify(each)}`);
      if (each.format && each.format !== 'date-time') throw new Error('a format');
    });
    expect((vendor === 'google' ? refusedByGemini : refused).filter((key) => seen.has(key))).toEqual([]);
    expect(parameters.type).toBe('object');
    expect(Object.keys(parameters.properties).sort()).toEqual(Object.keys(everything.shape).sort());
    expect(parameters.properties.to).toMatchObject({ type: 'object', properties: { city: { type: 'string' } } });
    expect(JSON.stringify(parameters.properties.tree)).toContain('children');
  });

  test('a tool without arguments is accepted', async () => {
    const parameters = await parametersOnTheWire(vendor, toInputSchema('t', z.object({}), true));
    if (vendor === 'google') expect(parameters).toBe(undefined);
    else expect(parameters).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });
});

describe('what is lost and what is kept', () => {
  const standard = toWireSchema(registered, 'openai') as Json;
  const gemini = toWireSchema(registered, 'google') as Json;

  test('objects with fixed keys are closed, records are not', () => {
    expect(standard.additionalProperties).toBe(false);
    expect(standard.properties.from.additionalProperties).toBe(false);
    expect(standard.properties.record).toEqual({ type: 'object', properties: {}, additionalProperties: true });
    expect(standard.properties.loose.additionalProperties).toBe(true);
    expect(standard.properties.both).toMatchObject({ properties: { a: {}, b: {} }, required: ['a', 'b'] });
  });

  test('constraints that a vendor takes are told', () => {
    expect(standard.properties.optional).toMatchObject({ minLength: 3, default: 'abc' });
    expect(standard.properties.shape.anyOf[0].properties).toMatchObject({
      kind: { enum: ['circle'] },
      radius: { exclusiveMinimum: 0 },
    });
    expect(standard.properties.tuple.items).toEqual({ anyOf: [{ type: 'string' }, { type: 'number' }] });
  });

  test('Gemini reads in words what it cannot be told', () => {
    expect(gemini.properties.number).toEqual({ type: 'number', description: 'One of: 1, 2.' });
    expect(gemini.properties.nullable).toEqual({ type: ['string', 'null'] });
    expect(gemini.properties.nullableEnum).toEqual({ type: ['string', 'null'], enum: ['a', 'b'] });
    expect(gemini.properties.choice.anyOf).toEqual([
      { type: ['string', 'null'], description: 'either' },
      { type: 'number', description: 'either' },
    ]);
    expect(gemini.properties.when).toEqual({ type: 'string', format: 'date-time' });
    expect(gemini.properties.mail).toEqual({ type: 'string' });
  });

  test('recursion ends, also through the root and through itself', () => {
    const circles = {
      type: 'object',
      properties: {
        again: { $ref: '#' },
        loop: { $ref: '#/definitions/loop' },
        lost: { $ref: '#/definitions/none', description: 'gone' },
      },
      definitions: { loop: { $ref: '#/definitions/loop' } },
    };
    expect(toWireSchema(circles, 'anthropic')).toMatchObject({
      properties: { loop: { type: 'object' }, lost: { type: 'object', description: 'gone' } },
    });
    expect(toWireSchema(circles, 'google')).toMatchObject({ type: 'object', properties: { loop: { type: 'object' } } });
  });

  test('definitions that all name each other do not multiply without end', () => {
    const names = Array.from({ length: 20 }, (_, index) => `d${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/definitions/${name}` }]));
    const definitions = Object.fromEntries(names.map((name) => [name, { type: 'object', properties }]));
    for (const vendor of vendors) {
      const told = JSON.stringify(toWireSchema({ type: 'object', properties, definitions }, vendor));
      expect(told.length).toBeLessThan(500_000);
      expect(told).not.toContain('$ref');
    }
  });

  test('schemas of other makers: lists of types, alternatives beside fields, a root that is no object', () => {
    const foreign = {
      type: 'object',
      properties: { a: { type: ['string', 'integer', 'null'], description: 'x' } },
      required: ['a', 'ghost'],
      anyOf: [{ required: ['a'] }],
    };
    expect(toWireSchema(foreign, 'openai')).toEqual({
      type: 'object',
      properties: { a: { type: ['string', 'integer', 'null'], description: 'x' } },
      required: ['a'],
      additionalProperties: false,
    });
    expect((toWireSchema(foreign, 'google') as Json).properties.a).toEqual({
      anyOf: [
        { type: ['string', 'null'], description: 'x' },
        { type: 'integer', description: 'x' },
      ],
    });
    expect(toWireSchema({ anyOf: [{ type: 'object' }] }, 'openai')).toMatchObject({ type: 'object' });
  });
});
