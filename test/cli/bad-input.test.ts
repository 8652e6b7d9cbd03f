import { describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callCli } from '../support/cli-harness.ts';

const bad = [
  'lots',
  '99abc',
  '',
  '-5',
  '0',
  '1.5',
  '1e309',
  'Infinity',
  '0x10',
  'NaN',
  '+5',
  '1e3',
  '007',
  ' 5',
  '--json',
];

describe.each([
  '--budget-tokens',
  '--budget-calls',
  '--subagent-tokens',
  '--max-turns',
  '--max-subagents',
  '--concurrency',
  '--tool-concurrency',
])('%s', (flag) => {
  test.each(bad)('refuses %j, names itself and the value, and starts nothing', async (value) => {
    const { exitCode, stdout, stderr, research, counts } = await callCli(['run', 'question', `${flag}=${value}`]);
    expect(exitCode).toBe(2);
    expect(stdout.text).toBe('');
    expect(stderr.lines[0]).toContain(`error: ${flag}: wanted a whole number of at least 1`);
    expect(stderr.lines[0]).toContain(`came ${JSON.stringify(value)}`);
    expect(research.runs).toHaveLength(0);
    expect(counts.opened).toBe(0);
  });

  test('refuses a missing value', async () => {
    const { exitCode, stderr } = await callCli(['start', 'question', flag]);
    expect(exitCode).toBe(2);
    expect(stderr.lines[0]).toBe(`error: ${flag}: wanted a value, came nothing`);
  });
});

test.each([
  ['--budget-time', '90'],
  ['--budget-time', 'soon'],
  ['--budget-time', '-5m'],
  ['--budget-time', '0s'],
  ['--deadline', '1e9s'],
  ['--timeout', 'Infinity'],
  ['--min-success', '0'],
  ['--min-success', '150%'],
  ['--join', 'sometimes'],
  ['--tool-policy', 'fast'],
  ['--model', 'best'],
  ['--run-id', '../x'],
  ['--run-id', 'a b'],
  ['--title', ''],
  ['--tenant', 'a b'],
  ['--tenant', ''],
  ['--subtask', ' '],
  ['--output', 'xml'],
  ['--color', 'red'],
])('%s %j is refused in one line that names both', async (flag, value) => {
  const { exitCode, stderr, research } = await callCli(['run', 'question', `${flag}=${value}`]);
  expect(exitCode).toBe(2);
  expect(stderr.lines[0]).toContain(`error: ${flag}`);
  expect(stderr.lines[0]).toContain(JSON.stringify(value));
  expect(research.runs).toHaveLength(0);
});

test('all problems of a call are listed at once', async () => {
  const argv = ['run', 'question', '--budget-tokens', 'lots', '--join', 'sometimes', '--timeout', 'soon', '--json'];
  const { exitCode, stdout } = await callCli(argv);
  expect(exitCode).toBe(2);
  const { error } = JSON.parse(stdout.text);
  expect(error.code).toBe('INVALID_REQUEST');
  expect(error.problems.join('\n')).toMatch(/--timeout: .*\n--join: .*\n--budget-tokens: /);
});

test('a flag does not take the next flag for its value', async () => {
  const { exitCode, stderr, research } = await callCli(['run', 'question', '--title', '--quiet']);
  expect(exitCode).toBe(2);
  expect(stderr.lines[0]).toBe('error: --title: wanted a value, came the flag --quiet');
  expect(research.runs).toHaveLength(0);
});

test.each([
  [['run', '']],
  [['run', '   ']],
  [['run', 'x'.repeat(1_000_000)]],
  [['run']],
  [['run', '--question', 'x']],
  [['run', 'two', 'words']],
  [['run', 'q', '--tool-policy', 'bounded']],
])('the question or its flags are refused: %#', async (argv) => {
  const { exitCode, stderr, research } = await callCli(argv);
  expect(exitCode).toBe(2);
  expect(stderr.text.length).toBeLessThan(500);
  expect(research.runs).toHaveLength(0);
});

test.each(['show', 'watch', 'result', 'cancel'])(
  '%s refuses what cannot be an id, before anything is opened',
  async (command) => {
    for (const id of ['../x', 'a b', '', '.']) {
      const { exitCode, stderr, counts } = await callCli([command, id]);
      expect(exitCode).toBe(2);
      expect(stderr.lines[0]).toContain(JSON.stringify(id));
      expect(counts.opened).toBe(0);
    }
  },
);

test('an unknown command is answered with a suggestion', async () => {
  const { exitCode, stderr } = await callCli(['shwo', 'x']);
  expect(exitCode).toBe(2);
  expect(stderr.text).toContain("unknown command 'shwo'");
  expect(stderr.text).toContain('Did you mean show?');
});

describe('paths', () => {
  test('a corpus that is missing, empty or a file is refused before anything is opened', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cli-'));
    await mkdir(join(folder, 'empty'));
    await writeFile(join(folder, 'file.md'), 'x');
    for (const [name, why] of [
      ['missing', 'does not exist'],
      ['empty', 'is empty'],
      ['file.md', 'is not a folder'],
    ] as const) {
      const path = join(folder, name);
      const { exitCode, stdout, counts } = await callCli(['run', 'q', '--corpus', path, '--json']);
      expect(exitCode).toBe(2);
      const { error } = JSON.parse(stdout.text);
      expect(error.code).toBe('CORPUS_UNREADABLE');
      expect(error.message).toBe(`--corpus: wanted a folder of documents, came ${JSON.stringify(path)}, which ${why}`);
      expect(counts.opened).toBe(0);
    }
  });

  test('a script that is missing is refused with its flag and its absolute path', async () => {
    const { exitCode, stderr } = await callCli(['run', 'q', '--model', 'scripted:no/such.yaml']);
    expect(exitCode).toBe(2);
    expect(stderr.lines[0]).toContain('--model: wanted a file that can be read');
    expect(stderr.lines[0]).toContain(join(process.cwd(), 'no/such.yaml'));
  });

  test('a file for the report whose folder is missing is refused before the run', async () => {
    const { exitCode, stderr, research } = await callCli(['run', 'q', '--out', '/no/such/folder/report.md']);
    expect(exitCode).toBe(2);
    expect(stderr.lines[0]).toContain('--out: ');
    expect(research.runs).toHaveLength(0);
  });
});
