/** Replay by the built command line: of a run, of what export writes of it, and of a file that the code does not follow. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { ReplayedHistory } from '../../src/contract/replay.ts';
import { collect, Installation, type Finished } from '../support/built-cli.ts';

type Document = { readonly ok: boolean; readonly workflows: readonly ReplayedHistory[]; readonly gone: number };
const answers = [{ report: { summary: 'Found.' } }];
const delegates = { calls: [{ tool: 'delegate', arguments: { subtasks: [{ goal: 'below' }] } }] };
const script = {
  plan: ['one', 'two', 'three'],
  subagents: { '*': answers, s2: [delegates, { report: { summary: 'Both.' } }] },
};

let installation: Installation;
let runId = '';
beforeAll(async () => {
  installation = await Installation.create();
  const path = join(installation.folder, 'script.yaml');
  await writeFile(path, stringify(script));
  const flags = ['--model', `scripted:${path}`, '--max-depth', '2', '--json'];
  const run = await installation.run(['run', 'How long is the river?', ...flags]);
  runId = (JSON.parse(run.stdout) as { runId: string }).runId;
  expect(run).toMatchObject({ code: 0 });
});
afterAll(() => installation.destroy());

const documentOf = ({ stdout }: Finished) => JSON.parse(stdout) as Document;
const idsOf = ({ workflows }: Document) => workflows.map(({ workflowId }) => workflowId);
const family = () => ['', '/s1', '/s2', '/s3', '/s2.1'].map((end) => `${runId}${end}`);

test('a run and all below it is replayed with no worker up, and the same from the file that export writes', async () => {
  const ofRun = await installation.run(['replay', '@last', '--json']);
  expect(ofRun).toMatchObject({ code: 0 });
  expect(documentOf(ofRun)).toMatchObject({ ok: true, gone: 0 });
  expect(idsOf(documentOf(ofRun))).toEqual(family());

  expect(await installation.run(['export', '@last', '--histories'])).toMatchObject({ code: 0 });
  const path = join(installation.folder, `${runId}.histories.json`);
  const ofFile = await installation.run(['replay', path, '--json']);
  expect(ofFile).toMatchObject({ code: 0, stderr: '' });
  expect(documentOf(ofFile)).toEqual(documentOf(ofRun));
});

test('a file that the code does not follow ends 1 and names workflow, event and wish; the rest is replayed', async () => {
  const exported = await installation.run(['export', runId, '--histories', '--out', '-']);
  const histories = JSON.parse(exported.stdout) as Record<string, unknown>;
  const id = `${runId}/s3`;
  histories[id] = JSON.parse(JSON.stringify(histories[id]).replaceAll('callModelActivity', 'oldModelActivity'));
  const path = join(installation.folder, 'changed.json');
  await writeFile(path, JSON.stringify(histories));
  const { code, stdout } = await installation.run(['replay', path]);
  expect(code).toBe(1);
  const lines = stdout.split('\n');
  const at = lines.findIndex((line) => line.includes('diverges'));
  expect(lines[at]).toContain(id);
  expect(lines[at + 1]).toMatch(
    /^ {2}event \d+ ActivityTaskScheduled \(activity oldModelActivity\): the code wanted activity callModelActivity$/,
  );
  expect(stdout).toContain("today's code does not follow 1 of 5 histories");
});

test('a history as Temporal exports it is one file, and an unknown run and a file that is none end 9 and 2', async () => {
  const all = JSON.parse(
    await readFile(join(import.meta.dirname, '../replay/histories/completed.json'), 'utf8'),
  ) as object;
  const path = join(installation.folder, 'one.json');
  await writeFile(path, JSON.stringify(Object.values(all)[0]));
  const one = await installation.run(['replay', path, '--json']);
  expect(one).toMatchObject({ code: 0 });
  expect(idsOf(documentOf(one))).toEqual(['recorded-completed']);
  expect(await installation.run(['replay', 'nobody'])).toMatchObject({ code: 9 });
  expect(await installation.run(['replay', './nothing.json'])).toMatchObject({ code: 2 });
});

test('a run that goes on is replayed as far as it is, and its worker is not needed for it', async () => {
  const path = join(installation.folder, 'waits.yaml');
  await writeFile(path, stringify({ plan: ['one', 'two'], subagents: { '*': [{ hang: true }] } }));
  const worker = await installation.startWorker();
  const started = await installation.run(['start', 'And now?', '--model', `scripted:${path}`]);
  const open = started.stdout.trim();
  for (;;) {
    const shown = await installation.run(['show', open, 's2', '--json']);
    if (shown.code === 0 && (JSON.parse(shown.stdout) as { status: string }).status === 'running') break;
  }
  worker.kill('SIGKILL');
  await collect(worker);
  const replayed = await installation.run(['replay', open, '--json']);
  expect(replayed).toMatchObject({ code: 0 });
  expect(documentOf(replayed).workflows.length).toBe(3);
});
