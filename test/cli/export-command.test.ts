import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callCli } from '../support/cli-harness.ts';
import { createFakeResearch, description } from '../support/fake-research-api.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'tributary-export-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

function call(...argv: string[]) {
  const research = createFakeResearch();
  research.place(description('run_1')).end('completed');
  return callCli(['export', 'run_1', ...argv], { research });
}

describe('the format', () => {
  test('is Markdown where nothing says otherwise', async () => {
    const { exitCode, stdout } = await call();
    expect(exitCode).toBe(0);
    expect(stdout.text).toMatch(/^# Recycling capacity\n/);
  });

  test.each([
    ['report.md', '# '],
    ['report.HTML', '<!doctype html>'],
    ['run.json', '{'],
    ['run.jsonl', '{'],
    ['report', '# '],
  ])('is taken from the name of the file: %s', async (name, start) => {
    const path = join(folder, name);
    const { exitCode, stdout, stderr } = await call('--out', path);
    expect({ exitCode, stdout: stdout.text }).toEqual({ exitCode: 0, stdout: '' });
    expect((await readFile(path, 'utf8')).trimStart().startsWith(start)).toBe(true);
    expect(stderr.text).toContain(`run_1 exported to ${path}`);
  });

  test('that is asked for wins over the name', async () => {
    const path = join(folder, 'report.md');
    await call('--out', path, '--format', 'json');
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ type: 'export', runId: 'run_1' });
  });

  test('of stdout is the one that --json asks for, and no other', async () => {
    expect(JSON.parse((await call('--json')).stdout.text)).toMatchObject({ type: 'export' });
    const refused = await call('--json', '--format', 'html');
    expect(refused.exitCode).toBe(2);
    expect(JSON.parse(refused.stdout.text)).toMatchObject({ type: 'error', error: { code: 'INVALID_REQUEST' } });
  });
});

describe('--out', () => {
  test('with --json says what was written in one document', async () => {
    const path = join(folder, 'report.html');
    const { stdout } = await call('--out', path, '--json');
    const { length } = await readFile(path);
    expect(JSON.parse(stdout.text)).toEqual({ type: 'exported', runId: 'run_1', format: 'html', path, bytes: length });
  });

  test('leaves what is there as it is, a broken link too', async () => {
    const path = join(folder, 'report.md');
    await writeFile(path, 'mine');
    const link = join(folder, 'link.md');
    await symlink(join(folder, 'nowhere.md'), link);
    for (const taken of [path, link]) {
      const { exitCode, stderr } = await call('--out', taken);
      expect(exitCode).toBe(2);
      expect(stderr.text).toContain(`--out: ${taken} is there already; --force replaces it`);
    }
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect((await readdir(folder)).sort()).toEqual(['link.md', 'report.md']);
  });

  test('--force replaces it', async () => {
    const path = join(folder, 'report.md');
    await writeFile(path, 'mine');
    expect((await call('--out', path, '--force')).exitCode).toBe(0);
    expect(await readFile(path, 'utf8')).toMatch(/^# Recycling/);
    expect(await readdir(folder)).toEqual(['report.md']);
  });

  test('in a folder that is not there is refused before anything is read', async () => {
    const { exitCode, stderr, counts } = await call('--out', join(folder, 'no', 'report.md'));
    expect({ exitCode, opened: counts.opened }).toEqual({ exitCode: 2, opened: 0 });
    expect(stderr.text).toContain('whose folder does not exist');
  });
});

test('an unknown format is refused, and so is an unknown run', async () => {
  expect((await call('--format', 'pdf')).exitCode).toBe(2);
  expect((await callCli(['export', 'run_404'])).exitCode).toBe(9);
});
