import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLimits } from '../../../src/models/limits/limits-file.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'tributary-limits-'))));
afterEach(() => rm(folder, { recursive: true }));

async function read(text: string) {
  const file = join(folder, 'limits.yaml');
  await writeFile(file, text);
  return readLimits(file, { mustExist: true });
}

test('limits are read from JSON and from YAML', async () => {
  const wanted = { 'openai/gpt-5': { rpm: 600, tpm: 100_000 }, anthropic: { rpm: 50 } };
  expect(await read(JSON.stringify(wanted))).toEqual(wanted);
  expect(await read('openai/gpt-5: { rpm: 600, tpm: 100000 }\nanthropic:\n  rpm: 50\n')).toEqual(wanted);
  expect(await read('')).toEqual({});
});

describe('B50 · a bad limit is refused with its place', () => {
  test.each(['0', '-1', '.nan', '.inf', '1.5', '"600"', 'null'])('rpm: %s', async (value) => {
    await expect(read(`openai: { rpm: ${value} }`)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/limits\.yaml: openai\.rpm: wanted /),
    });
  });

  test.each([
    ['openai: {}', /openai: wanted at least one of "rpm", "tpm"/],
    ['openai: { rps: 3 }', /openai: unknown "rps"/],
    ['gpt-5: { rpm: 3 }', /wanted openai, anthropic/],
    ['openai: [', /wanted a file with limits in YAML or JSON/],
  ])('%s', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  test('and so is a file that is not there', async () => {
    await expect(readLimits(join(folder, 'none.json'), { mustExist: true })).rejects.toThrow(
      /none\.json: wanted a file with limits/,
    );
  });
});
