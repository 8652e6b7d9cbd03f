import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const scripts: string = '../../scripts/';
const { build, isBuilt } = await import(`${scripts}build.mjs`);
const { hasDependencies } = await import(`${scripts}install-dependencies.mjs`);
const { withSetupLock } = await import(`${scripts}setup-lock.mjs`);

const root = join(import.meta.dirname, '..', '..');
const silent = (): void => undefined;
let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tributary-setup-test-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(files: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

test('a Node that is too old is refused in one sentence', async () => {
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(versions)}`, join(root, 'scripts', 'setup.mjs')];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'error: Tributary needs Node 20.19 or newer, and this is 20.18.3.\n',
  });
});

test('dependencies count as installed when every locked package is there in its version', async () => {
  expect(hasDependencies(folder)).toBe(false);
  const locked = {
    packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } },
  };
  await put({ 'package-lock.json': locked });
  expect(hasDependencies(folder)).toBe(false);
  await put({ 'node_modules/.package-lock.json': locked });
  expect(hasDependencies(folder)).toBe(true);
  const older = { packages: { ...locked.packages, 'node_modules/b': { version: '1.9.0' } } };
  await put({ 'node_modules/.package-lock.json': older });
  expect(hasDependencies(folder)).toBe(false);
  await put({ 'node_modules/.package-lock.json': { packages: { 'node_modules/a': { version: '1.0.0' } } } });
  expect(hasDependencies(folder)).toBe(false);
});

test('a package for another platform may be absent', async () => {
  const packages = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/x': { version: '1.0.0', optional: true } };
  const installed = { packages: { 'node_modules/a': packages['node_modules/a'] } };
  await put({ 'package-lock.json': { packages }, 'node_modules/.package-lock.json': installed });
  expect(hasDependencies(folder)).toBe(true);
});

/** Compiles in no time: copies src/cli.ts, and refuses one that says "error" after it has written half of it. */
const standInCompiler = `
  const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
  const outDir = process.argv[process.argv.indexOf('--outDir') + 1];
  const source = readFileSync('src/cli.ts', 'utf8');
  mkdirSync(outDir);
  writeFileSync(outDir + '/cli.js', source);
  process.exit(source.includes('error') ? 2 : 0);
`;

test('a build is good for the sources it was made from, and a failed one leaves the last as it was', async () => {
  await put({
    'node_modules/typescript/bin/tsc': standInCompiler,
    'node_modules/typescript/package.json': { type: 'commonjs' },
    'package.json': { type: 'module' },
    'src/cli.ts': 'answer = 1',
  });
  expect(isBuilt(folder)).toBe(false);
  await build(folder, silent);
  expect(isBuilt(folder)).toBe(true);
  await utimes(join(folder, 'src', 'cli.ts'), new Date(), new Date());
  expect(isBuilt(folder)).toBe(true);

  await put({ 'src/cli.ts': 'answer = error' });
  expect(isBuilt(folder)).toBe(false);
  await expect(build(folder, silent)).rejects.toThrow('the TypeScript compiler ended with');
  expect(await readFile(join(folder, 'dist', 'cli.js'), 'utf8')).toContain('answer = 1');
  expect(isBuilt(folder)).toBe(false);

  await put({ 'src/cli.ts': 'answer = 2', 'src/new.ts': '' });
  await build(folder, silent);
  expect(await readFile(join(folder, 'dist', 'cli.js'), 'utf8')).toContain('answer = 2');
  expect(isBuilt(folder)).toBe(true);
  await rm(join(folder, 'dist', '.built-from'));
  expect(isBuilt(folder)).toBe(false);
});

test('two set-ups of one folder do not overlap', async () => {
  let running = 0;
  let most = 0;
  let release: () => void = silent;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const said: string[] = [];
  const body = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await gate;
    running -= 1;
  };
  const first = withSetupLock(folder, silent, body);
  const second = withSetupLock(
    folder,
    (line: string) => {
      said.push(line);
      release();
    },
    body,
  );
  await Promise.all([first, second]);
  expect(most).toBe(1);
  expect(said).toEqual([`another set-up of this folder is running (process ${process.pid}); waiting for it`]);
});

test('the lock of a set-up that was killed is taken over', async () => {
  const script = `import { withSetupLock } from ${JSON.stringify(join(root, 'scripts', 'setup-lock.mjs'))};
    await withSetupLock(${JSON.stringify(folder)}, () => {}, async () => process.kill(process.pid, 'SIGKILL'));`;
  const killed = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
  expect(await withSetupLock(folder, silent, async () => 'done')).toBe('done');
});
