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
