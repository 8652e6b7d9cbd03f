import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { toolTraitsSchema } from '../../src/contract/tool.ts';
import { defineTool, type ToolContext } from '../../src/tools/tool.ts';

const context: ToolContext = { signal: new AbortController().signal, idempotencyKey: 'run-1/s1/t1c1' };
const seen: unknown[] = [];
const search = defineTool({
  name: 'search',
  description: 'Searches.',
  effect: 'read',
  input: z.object({
    query: z.string().min(1),
    limit: z.number().int().min(1).default(5),
    kind: z.enum(['a', 'b']).optional(),
  }),
  async run(input, given) {
    seen.push([input, given]);
    return { text: 'hits' };
  },
});

test('a tool is described to models by a JSON schema of what they may write', () => {
  expect(search.description).toMatchObject({
    name: 'search',
    description: 'Searches.',
    effect: 'read',
    session: false,
    idempotent: false,
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', minLength: 1 }, limit: { type: 'integer' }, kind: { enum: ['a', 'b'] } },
      // `limit` has a default, so a model need not give it.
      required: ['query'],
    },
  });
  expect(toolTraitsSchema.safeParse(search.description).success).toBe(true);
  expect(JSON.parse(JSON.stringify(search.description))).toEqual(search.description);
});

test('what it changes, holds and may repeat is declared', () => {
  const write = defineTool({
    name: 'write',
    description: 'Writes.',
    effect: 'write',
    session: true,
    idempotent: true,
    input: z.object({}),
    run: async () => ({ text: '' }),
  });
  expect(write.description).toMatchObject({ effect: 'write', session: true, idempotent: true });
});

describe('arguments', () => {
  test('that fit are no problem, and reach the tool with its defaults and the context', async () => {
    expect(search.check({ query: 'q' })).toBeNull();
    expect(await search.run({ query: 'q' }, context)).toEqual({ text: 'hits' });
    expect(seen.at(-1)).toEqual([{ query: 'q', limit: 5 }, context]);
  });

  test('that are null count as absent: some providers must fill every field', async () => {
    expect(search.check({ query: 'q', limit: null, kind: null })).toBeNull();
    await search.run({ query: 'q', limit: null, kind: null }, context);
    expect(seen.at(-1)).toEqual([{ query: 'q', limit: 5 }, context]);
  });

  test.each([
    [{}, 'query: wanted a string, came nothing'],
    [{ query: null }, 'query: wanted a string, came null'],
    [{ query: '' }, 'query: wanted a text that is not empty, came ""'],
    [{ query: 'q', limit: '5' }, 'limit: wanted a number, came "5"'],
    [{ query: 'q', limit: 1.5 }, 'limit: wanted a whole number, came 1.5'],
    [{ query: 5, kind: 'c' }, 'query: wanted a string, came 5; kind: wanted one of a, b, came "c"'],
  ])('%j: %s, and nothing is run', (input, problem) => {
    const runs = seen.length;
    expect(search.check(input)).toBe(problem);
    expect(seen).toHaveLength(runs);
  });

  test('that do not fit never reach the tool, even when nobody has checked them', async () => {
    const runs = seen.length;
    await expect(search.run({ query: 5 }, context)).rejects.toThrow();
    expect(seen).toHaveLength(runs);
  });

  test('of a megabyte are refused in a short sentence', () => {
    expect(search.check({ query: 'q', kind: 'x'.repeat(1_000_000) })!.length).toBeLessThan(200);
  });
});

describe('what not every vendor can be told is refused when the tool is defined', () => {
  const define = (input: z.ZodObject, portable?: boolean) => () =>
    defineTool({
      name: 'lookup',
      description: 'Looks up.',
      effect: 'read',
      ...(portable !== undefined && { portable }),
      input,
      run: async () => ({ text: '' }),
    });
  const recursive = z.object({
    value: z.string(),
    get children() {
      return z.array(recursive);
    },
  });

  test.each([
    ['a record', z.object({ filter: z.record(z.string(), z.string()) }), 'filter', 'a record'],
    ['a loose object', z.object({ more: z.looseObject({ a: z.string() }) }), 'more', 'a loose object'],
    ['a tuple', z.object({ pair: z.tuple([z.string(), z.number()]) }), 'pair', 'a tuple'],
    ['a union', z.object({ id: z.union([z.string(), z.number()]) }), 'id', 'a union'],
    [
      'a choice of shapes',
      z.object({ by: z.discriminatedUnion('k', [z.object({ k: z.literal('a') })]) }),
      'by',
      'union',
    ],
    ['a literal number', z.object({ n: z.literal(3) }), 'n', 'a literal that is no string'],
    ['any value', z.object({ x: z.any() }), 'x', 'of any type'],
    ['a recursive shape', z.object({ tree: recursive }), 'tree', 'recursive'],
    ['one deep inside', z.object({ a: z.array(z.object({ b: z.record(z.string(), z.string()) })) }), 'a[].b', 'record'],
  ])('%s', (_, input, path, construct) => {
    expect(define(input)).toThrow(`tool "lookup": the argument "${path}"`);
    expect(define(input)).toThrow(construct);
    expect(define(input)).toThrow('portable: false');
    // Asked for by name, models are told what can be told, and the arguments are checked in full.
    expect(define(input, false)).not.toThrow();
  });

  test('a date, which has no JSON form, is refused in any case', () => {
    expect(define(z.object({ at: z.date() }), false)).toThrow(/tool "lookup": Date .*use a string or a number/);
  });

  test('optional, nullable, described, bounded and nested fields, enums and literals of a text are portable', () => {
    const input = z.object({
      query: z.string().min(1).max(9).describe('what to look for'),
      limit: z.number().int().positive().optional(),
      note: z.string().nullable(),
      kind: z.enum(['a', 'b']).default('a'),
      mode: z.literal('fast').optional(),
      range: z.object({ from: z.number(), to: z.number() }).nullable().optional(),
      tags: z.array(z.string()).max(5).optional(),
      exact: z.boolean().optional(),
    });
    const tool = define(input)();
    const { description } = tool;
    expect(description.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(description.inputSchema).not.toHaveProperty('$schema');
    expect(JSON.stringify(description.inputSchema.properties)).toContain('"additionalProperties":false');
    expect(tool.check({ query: 'q', note: null, limit: null })).toBeNull();
    expect(tool.check({ query: 'q' })).toMatch(/note/);
  });
});
