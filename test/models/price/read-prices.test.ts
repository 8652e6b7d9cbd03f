import { describe, expect, test } from '@jest/globals';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPrices } from '../../../src/models/price/read-prices.ts';

async function fileWith(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'prices-')), 'prices.yaml');
  await writeFile(path, text);
  return path;
}
const read = async (text: string) => readPrices(await fileWith(text));

const prices = {
  'openai/my-fine-tune': { input: 3.75, output: 15 },
  'compatible/meta-llama/Llama-3.1-8B': { input: 0.1, output: 0.2, cacheRead: 0.01, cacheWrite: 0.1 },
};

describe('a file with prices', () => {
  test('may be JSON or YAML', async () => {
    expect(await read(JSON.stringify(prices))).toEqual(prices);
    const yaml = [
      '# USD per million tokens',
      'openai/my-fine-tune: { input: 3.75, output: 15 }',
      'compatible/meta-llama/Llama-3.1-8B:',
      '  input: 0.1',
      '  output: 0.2',
      '  cacheRead: 0.01',
      '  cacheWrite: 0.1',
    ];
    expect(await read(yaml.join('\n'))).toEqual(prices);
  });

  test.each(['', '# nothing yet\n', '{}'])('may be empty: %j', async (text) => {
    expect(await read(text)).toEqual({});
  });
});

describe('what is wrong in it is said with the file, the model and the field', () => {
  test.each<[string, RegExp[]]>([
    ['openai/x: { input: -1, output: 2 }', [/openai\/x\.input: wanted a number of at least 0, came -1/]],
    ['openai/x: { input: 1 }', [/openai\/x\.output: wanted a number, came nothing/]],
    ['openai/x: { input: "1", output: 2 }', [/openai\/x\.input: wanted a number, came "1"/]],
    ['openai/x: { input: .nan, output: 2 }', [/openai\/x\.input: /]],
    ['openai/x: { input: .inf, output: 2 }', [/openai\/x\.input: /]],
    ['openai/x: { input: 1, output: 2, cached: 3 }', [/openai\/x: unknown "cached"/]],
    ['openai/x: 3', [/openai\/x: wanted an object, came 3/]],
    ['gpt 5: { input: 1, output: 2 }', [/gpt 5: /]],
    ['[1, 2]', [/wanted a/]],
    ['openai/a: { input: -1, output: 2 }\nopenai/b: { output: x }', [/openai\/a\.input/, /openai\/b\.(input|output)/]],
    ['openai/x: { input: 1', [/wanted a file with prices in YAML or JSON/]],
  ])('%j', async (text, problems) => {
    const path = await fileWith(text);
    const error = await readPrices(path).catch((caught: unknown) => caught as Error);
    expect(error).toMatchObject({ code: 'INVALID_REQUEST' });
    const lines = (error as Error).message.split('\n');
    for (const line of lines) expect(line.startsWith(`${path}: `)).toBe(true);
    for (const problem of problems) expect(lines.some((line) => problem.test(line))).toBe(true);
  });

  test('a file that is not there', async () => {
    const path = join(tmpdir(), 'no-such-folder', 'prices.yaml');
    await expect(readPrices(path)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(path),
    });
  });
});
