import { expect, test } from '@jest/globals';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findLimitNameProblem, readLimits, writeLimits } from '../../../src/models/limits/limits-file.ts';

const newPath = async () => join(await mkdtemp(join(tmpdir(), 'limits-')), 'state', 'limits.json');

test('what was written is read, and nothing is left beside it', async () => {
  const path = await newPath();
  const limits = { 'openai/gpt-5': { rpm: 600, tpm: 200_000 }, anthropic: { rpm: 50, tenantRpm: 10 } };
  await writeLimits(path, limits);
  expect(await readLimits(path, { mustExist: true })).toEqual(limits);
  expect(await readdir(dirname(path))).toEqual(['limits.json']);
});

test('no file means no limits, but for one that was asked for by name', async () => {
  const path = await newPath();
  expect(await readLimits(path, { mustExist: false })).toEqual({});
  await expect(readLimits(path, { mustExist: true })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringContaining(`${path}: wanted a file with limits`),
  });
});

test.each([
  ['{', 'wanted a file with limits in YAML or JSON'],
  ['{"openai": {"rpm": 0}}', 'openai.rpm: wanted a number of at least 1, came 0'],
  ['{"openai": {"rpm": "600"}}', 'openai.rpm: wanted a number, came "600"'],
  ['{"openai": {"rps": 6}}', 'unknown "rps"'],
  ['{"opnai": {"rpm": 6}}', 'came "opnai"'],
  ['{"openai-chat/gpt-5": {"rpm": 6}}', 'came "openai-chat/gpt-5"'],
])('a file of %s is refused with its path, the field and what was wanted', async (text, problem) => {
  const path = join(dirname(dirname(await newPath())), 'limits.json');
  await writeFile(path, text);
  const refused = readLimits(path, { mustExist: false });
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  await expect(refused).rejects.toThrow(problem);
  await expect(refused).rejects.toThrow(path);
});

test.each(['openai', 'anthropic/claude-sonnet-4-5', 'compatible/org/model:tag'])('%s can have limits', (name) => {
  expect(findLimitNameProblem(name)).toBeNull();
});

test.each(['extractive', 'scripted:a', 'OpenAI', 'openai/', '', 'openai/a b'])('%j can have none', (name) => {
  expect(findLimitNameProblem(name)).toContain(`came ${JSON.stringify(name)}`);
});
