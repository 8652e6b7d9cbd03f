/** Runs taken away by the built command line: in every format, however they ended, with no worker up. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { stringify } from 'yaml';
import type { RunExport } from '../../src/contract/run-export.ts';
import { collect, Installation } from '../support/built-cli.ts';

const attack = '<img src=x onerror=alert(1)> [x](javascript:alert(2))';
const quote = 'The river is quoted here.';
const read = { calls: [{ tool: 'corpus_read', arguments: { document: 'river.md' } }] };
const report = (text: string, words = quote) => ({
  report: { summary: 'found', claims: [{ text, document: 'river.md', quote: words }] },
});

let installation: Installation;
const runs: Record<'partial' | 'failed' | 'cancelled', string> = { partial: '', failed: '', cancelled: '' };

let openRun = '';

async function write(name: string, script: object): Promise<string[]> {
  const path = join(installation.folder, `${name}.yaml`);
  await writeFile(path, stringify(script));
  return ['--corpus', join(installation.folder, 'documents'), '--model', `scripted:${path}`];
}
async function start(name: string, script: object, flags: readonly string[] = []): Promise<string> {
  const started = await installation.run(['start', `${name} ${attack}?`, ...(await write(name, script)), ...flags]);
  expect(started).toMatchObject({ code: 0 });
  return started.stdout.trim();
}
/** Polls until the subagent is done; the test's own time-out ends it otherwise. */
async function endOf(runId: string, subagentId: string): Promise<void> {
  for (;;) {
    const shown = await installation.run(['show', runId, subagentId, '--json']);
    if (shown.code === 0 && JSON.parse(shown.stdout).status === 'done') return;
  }
}
const exportRun = (...args: string[]) => installation.run(['export', ...args]);

beforeAll(async () => {
  installation = await Installation.create();
  await mkdir(join(installation.folder, 'documents'));
  await writeFile(join(installation.folder, 'documents', 'river.md'), `# River ${attack}\n\n${quote}\n`);
  const broken = [read, { fail: { code: 'MODEL_BAD_REQUEST', message: `no ${attack}` } }];
  const good = [read, report(`It flows. ${attack}`)];
  const plan = [`first ${attack}`, 'second'];
  const worker = await installation.startWorker();
  const synthesis = { text: `It flows [s1.1], it seems [s1.2].\n\n${attack}` };
  runs.partial = await start('partial', { plan, subagents: { s1: good, s2: broken }, synthesis });
  runs.failed = await start('failed', { plan, subagents: { s1: good, s2: broken } }, [
    '--join',
    'all',
    '--concurrency',
    '1',
  ]);
  runs.cancelled = await start('cancelled', { plan, subagents: { s1: good, s2: [read, { hang: true }] } });
  for (const runId of [runs.partial, runs.failed]) await installation.run(['result', runId, '--wait']);
  await endOf(runs.cancelled, 's1');
  expect(await installation.run(['cancel', runs.cancelled, '--wait', '-y', '--reason', attack])).toMatchObject({
    code: 0,
  });
  worker.kill('SIGTERM');
  await collect(worker);
  openRun = await start('open', { plan: ['one'] });
  // Keeps the server, and works on nothing.
  installation.spawn(['watch', openRun, '--no-worker']);
}, 180_000);
afterAll(() => installation.destroy());

describe.each(['partial', 'failed', 'cancelled'] as const)('a %s run', (status) => {
  test('is a page that says how it ended, and in which nothing runs', async () => {
    const path = join(installation.folder, `${status}.html`);
    const { code, stdout, stderr } = await exportRun(runs[status], '--out', path);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(new RegExp(`exported to ${path} \\(html, [\\d.]+ kB\\)`));
    const { document } = parseHTML(await readFile(path, 'utf8'));
    expect(document.querySelector('.status')!.textContent.toLowerCase()).toContain(status);
    expect(document.querySelectorAll('script,img,svg,iframe,object,link').length).toBe(0);
    const targets = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href')!);
    expect(targets.filter((target) => !/^(https?:\/\/|#)/.test(target))).toEqual([]);
    expect(document.querySelector('h1')!.textContent).toContain(attack);
    expect(document.querySelector('#gaps')).not.toBeNull();
    expect(document.body.textContent).toContain(quote);
  });

  test('is Markdown with the same in it', async () => {
    const { code, stdout } = await exportRun(runs[status]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^\\*\\*${status}`, 'im'));
    expect(stdout).toContain('## Gaps');
    expect(stdout).toContain(quote);
    expect(stdout).not.toMatch(/<(?:img|script)/);
    expect(stdout).not.toMatch(/(?<!\\)\]\(javascript/);
  });

  test('is one document of JSON: tree, sources, findings, budget, events and result', async () => {
    const { code, stdout } = await exportRun(runs[status], '--json');
    const whole = JSON.parse(stdout) as RunExport;
    expect({ code, type: whole.type, status: whole.result?.status }).toEqual({ code: 0, type: 'export', status });
    expect(whole.run?.tree.map(({ id }) => id)).toEqual(['s1', 's2']);
    expect(whole.sources.map(({ url }) => url)).toEqual(['corpus:river.md']);
    expect(whole.findings).toMatchObject([{ id: 's1.1', subagentId: 's1', quote, sourceId: whole.sources[0]!.id }]);
    expect(whole.budget).toEqual(whole.result?.budget);
    expect(whole.events.at(-1)?.type).toBe('result');
  });

  test('is its events, one a line, a subagent behind the word that it started and before the word of the run', async () => {
    const { code, stdout } = await exportRun(runs[status], '--format', 'jsonl');
    expect(code).toBe(0);
    const events = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as RunExport['events'][number]); // prettier-ignore
    expect(events.filter(({ type }) => type === 'result')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'result', status });
    const types = events.filter(({ subagentId }) => subagentId === 's1').map(({ type }) => type);
    expect(types.indexOf('subagent-status')).toBe(0);
    expect(types.indexOf('source-found')).toBeLessThan(types.indexOf('finding-added'));
  });
});

test('a run that nobody works on is exported as far as it is', async () => {
  const markdown = await exportRun(openRun);
  expect(markdown.code).toBe(0);
  expect(markdown.stdout).toContain('**Not finished: the run is still ');
  const lines = (await exportRun(openRun, '-o', 'jsonl')).stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).type)).not.toContain('result');
  expect(JSON.parse((await exportRun(openRun, '--format', 'json')).stdout)).toMatchObject({ result: null });
}, 60_000);

test('a file that is there is not replaced, unless that is asked for, and no draft of one stays behind', async () => {
  const folder = join(installation.folder, 'out');
  await mkdir(folder);
  const path = join(folder, 'run.json');
  await writeFile(path, 'mine');
  const refused = await exportRun(runs.partial, '--out', path);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('is there already; --force replaces it');
  expect(await readFile(path, 'utf8')).toBe('mine');
  const replaced = await exportRun(runs.partial, '--out', path, '--force', '--json');
  expect(JSON.parse(replaced.stdout)).toMatchObject({ type: 'exported', format: 'json', path });
  const text = await readFile(path, 'utf8');
  expect(JSON.parse(text)).toMatchObject({ type: 'export' });
  expect(JSON.parse(replaced.stdout).bytes).toBe(Buffer.byteLength(text));
  expect(await readdir(folder)).toEqual(['run.json']);
}, 60_000);
