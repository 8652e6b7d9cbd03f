import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ResearchClient } from '../../src/client/research-client.ts';
import { createFolderRecords } from '../../src/store/folder-records.ts';
import { createFolderStore } from '../../src/store/folder-store.ts';
import { createFolderSweep } from '../../src/store/folder-sweep.ts';
import { transcriptLinkSchema } from '../../src/contract/transcript.ts';
import { Installation, type Finished } from '../support/built-cli.ts';
import { waitUntil } from '../support/gate.ts';

// The server takes its time to delete a history: up to half a minute each.
jest.setTimeout(300_000);

let installation: Installation;
let worker: ChildProcess;
beforeAll(async () => {
  installation = await Installation.create();
  const corpus = join(installation.folder, 'documents');
  await mkdir(corpus);
  for (const name of ['river', 'mountain'])
    await writeFile(join(corpus, `${name}.md`), `# ${name}\n\nThe ${name} is quoted here.\n`);
  worker = await installation.startWorker();
});
afterAll(() => installation.destroy());

const reads = (name: string) => [
  { calls: [{ tool: 'corpus_read', arguments: { document: `${name}.md` } }] },
  {
    report: {
      summary: `About the ${name}.`,
      claims: [{ text: `The ${name}.`, document: `${name}.md`, quote: `The ${name} is quoted here.` }],
    },
  },
];
const scripts = {
  whole: { subagents: { s1: reads('river'), s2: reads('mountain') } },
  failing: { subagents: { s1: reads('river'), s2: [{ latency: '3s', fail: { code: 'MODEL_AUTH' } }] } },
  hanging: { subagents: { s1: reads('river'), s2: [reads('mountain')[0], { hang: true }] } },
} as const;

async function start(runId: string, kind: keyof typeof scripts, join_ = 'partial'): Promise<void> {
  const script = join(installation.folder, `${kind}.yaml`);
  await writeFile(script, stringify({ plan: ['about the river', 'about the mountain'], ...scripts[kind] }));
  const flags = ['--corpus', 'documents', '--model', `scripted:${script}`, '--join', join_, '--run-id', runId];
  expect(await installation.run(['start', 'What is there?', ...flags])).toMatchObject({ code: 0 });
}

const show = async (runId: string) => JSON.parse((await installation.run(['show', runId, '--json'])).stdout);
const isAtWork = async (runId: string) => {
  const { tree } = await show(runId);
  return tree.length === 2 && tree[0].status === 'done' && tree[1].toolCalls === 1 && tree[1].turns === 1;
};
const records = () => createFolderRecords(installation.dataDir);

/** A worker looks at once when it starts, so that nobody has to wait for its next look. */
async function kept(...runIds: string[]): Promise<void> {
  await waitUntil(async () => {
    const known = await records().list();
    if (runIds.every((runId) => known.includes(runId))) return true;
    await restartWorker();
    return false;
  });
}

async function restartWorker(): Promise<void> {
  worker.kill('SIGTERM');
  await once(worker, 'exit');
  worker = await installation.startWorker();
}

/** What the end of their retention does to histories. */
async function forget(runId: string): Promise<void> {
  const client = await installation.client();
  const { namespace } = client.options;
  const ids = [...(await installation.histories(runId)).keys()];
  for (const workflowId of ids)
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  for (const workflowId of ids) {
    const isGone = () =>
      client.workflow
        .getHandle(workflowId)
        .describe()
        .then(
          () => false,
          () => true,
        );
    await waitUntil(isGone);
  }
}

const answersOf = async (runId: string) => {
  const [text, json, watched] = await Promise.all([
    installation.run(['result', runId]),
    installation.run(['result', runId, '--json']),
    installation.run(['watch', runId, '-o', 'jsonl']),
  ]);
  return { text, json, last: lastOf(watched), watchCode: watched.code };
};
const lastOf = ({ stdout }: Finished) => JSON.parse(stdout.trim().split('\n').at(-1)!);

const ends = [
  ['completed', 'whole', 0],
  ['failed', 'failing', 3],
  ['cancelled', 'hanging', 6],
  ['terminated', 'hanging', 3],
] as const;

describe('when its history is gone, a run', () => {
  const before = new Map<string, Awaited<ReturnType<typeof answersOf>>>();
  const descriptions = new Map<string, Awaited<ReturnType<typeof show>>>();

  beforeAll(async () => {
    const ids = ends.map(([status]) => `after-${status}`);
    for (const [status, kind] of ends) await start(`after-${status}`, kind, kind === 'failing' ? 'all' : 'partial');
    for (const status of ['cancelled', 'terminated']) await waitUntil(() => isAtWork(`after-${status}`));
    await installation.run(['cancel', 'after-cancelled', '--wait', '-y']);
    await installation.run(['terminate', 'after-terminated', '--reason', 'x', '-y']);
    for (const runId of ids) await installation.run(['result', runId, '--wait', '--timeout', '60s']);
    await kept(...ids);
    for (const runId of ids) {
      before.set(runId, await answersOf(runId));
      descriptions.set(runId, await show(runId));
    }
    await Promise.all(ids.map(forget));
  });

  test.each(ends)('that %s answers the same', async (status, _, code) => {
    const runId = `after-${status}`;
    const { text, json, last } = before.get(runId)!;
    const description = descriptions.get(runId)!;
    expect(text.code).toBe(code);
    expect(JSON.parse(json.stdout).status).toBe(status);
    expect(description.isKept).toBeUndefined();

    const after = await answersOf(runId);
    expect(after.text).toEqual(text);
    expect(JSON.parse(after.json.stdout)).toEqual(JSON.parse(json.stdout));
    expect(after.last.result).toEqual(last.result);
    expect([after.json.code, after.watchCode, after.last.exitCode]).toEqual([code, code, code]);
    const now = await show(runId);
    expect(now).toMatchObject({ isKept: true, status, title: description.title, request: description.request });
    expect(now.budget).toEqual(description.budget);
    const toLines = ({ tree }: typeof now) =>
      tree.map((view: Record<string, unknown>) => [view.id, view.goal, view.status, view.turns, view.findings]);
    expect(toLines(now)).toEqual(toLines(description));
    const shown = await installation.run(['show', `after-${status.slice(0, 5)}`]);
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('its history is gone') });
  });

  test('can be exported with its report, sources and findings', async () => {
    const json = JSON.parse((await installation.run(['export', 'after-completed', '--format', 'json'])).stdout);
    expect(json).toMatchObject({ type: 'export', runId: 'after-completed', run: { isKept: true } });
    expect(json.result).toEqual(JSON.parse(before.get('after-completed')!.json.stdout));
    expect(json.findings.map((finding: { text: string }) => finding.text)).toEqual(['The river.', 'The mountain.']);
    const page = await installation.run(['export', 'after-completed', '--format', 'html']);
    expect(page).toMatchObject({ code: 0, stdout: expect.stringContaining('The river is quoted here.') });
  });

  test('that nobody ever started is none', async () => {
    expect(await installation.run(['result', 'nobody'])).toMatchObject({ code: 9 });
  });

  test('can be retried: what had finished is taken over', async () => {
    const client = await installation.client();
    const { dataDir } = installation;
    const store = createFolderStore(dataDir);
    const api = new ResearchClient({ client, readBlob: (hash) => store.get(hash), records: records() });
    expect((await show('after-failed')).isKept).toBe(true);
    const script = join(installation.folder, 'failing.yaml');
    await writeFile(script, stringify({ ...scripts.whole, plan: ['about the river', 'about the mountain'] }));
    await restartWorker(); // it knows the script as it was
    const result = await (await api.getHandle('after-failed').retry()).result();
    expect(result.failure).toBeUndefined();
    expect(result).toMatchObject({ status: 'completed', origin: { kind: 'retry', runId: 'after-failed' } });
    expect(result.subagents.map(({ id, status }) => `${id} ${status}`)).toEqual(['s1 reused', 's2 done']);
  });
});

describe('delete', () => {
  const blobs = async () =>
    (await readdir(join(installation.dataDir, 'blobs'), { recursive: true })).filter((name) => name.length > 40);
  /** Every message of the run's transcripts, with the words of its results. */
  async function readTranscripts(runId: string): Promise<number> {
    const store = createFolderStore(installation.dataDir);
    const json = async (hash: string) => JSON.parse(Buffer.from(await store.get(hash)).toString());
    let count = 0;
    for (const { outcome } of (await records().get(runId))!.subagents) {
      if (outcome.reportRef) await json(outcome.reportRef.hash);
      for (let hash = outcome.transcript?.hash ?? null; hash !== null; count += 1) {
        const { parent, message } = transcriptLinkSchema.parse(await json(hash));
        if (message.role === 'tool')
          for (const { content } of message.results) if ('ref' in content) await store.get(content.ref.hash);
        hash = parent;
      }
    }
    return count;
  }

  test('of one of two runs over the same documents leaves the other whole, and of both leaves nothing of them', async () => {
    const before = new Set(await blobs());
    await start('twin-a', 'whole');
    await start('twin-b', 'whole');
    for (const runId of ['twin-a', 'twin-b'])
      expect(await installation.run(['result', runId, '--wait', '--timeout', '60s'])).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('Completed'),
      });
    await kept('twin-a', 'twin-b');
    const other = await installation.run(['result', 'twin-b', '--json']);
    const messages = await readTranscripts('twin-b');
    expect(messages).toBeGreaterThan(6);

    const asked = await installation.run(['delete', 'twin-a']);
    expect(asked).toMatchObject({ code: 7, stderr: expect.stringContaining('-y') });
    const trial = JSON.parse((await installation.run(['delete', 'twin-a', '--dry-run', '--json'])).stdout);
    const deleted = await installation.run(['delete', 'twin-a', '-y', '--json']);
    expect(deleted).toMatchObject({ code: 0 });
    const receipt = JSON.parse(deleted.stdout);
    expect(receipt).toMatchObject({ type: 'delete', runId: 'twin-a', histories: 3, record: true, dryRun: false });
    expect({ ...receipt, dryRun: true }).toEqual(trial);
    expect(receipt.users).toContain('twin-b');
    expect(receipt.blobsKept).toBeGreaterThan(0);
    for (const command of ['result', 'show', 'watch'])
      expect(await installation.run([command, 'twin-a'])).toMatchObject({ code: 9 });
    expect(await records().list()).not.toContain('twin-a');

    expect(await installation.run(['result', 'twin-b', '--json'])).toEqual(other);
    expect(await readTranscripts('twin-b')).toBe(messages);

    await forget('twin-b');
    const last = await installation.run(['delete', 'twin-b', '--yes']);
    expect(last).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^deleted twin-b: 0 histories, \d+ blobs .*its record/),
    });
    expect(await installation.run(['result', 'twin-b'])).toMatchObject({ code: 9 });
    expect((await blobs()).filter((name) => !before.has(name))).toEqual([]);
  });

  test('of a run that a retry took over leaves the retry whole', async () => {
    const runId = 'after-failed-2';
    await kept(runId);
    const before = await installation.run(['result', runId, '--json']);
    const messages = await readTranscripts(runId);
    const receipt = JSON.parse((await installation.run(['delete', 'after-failed', '-y', '--json'])).stdout);
    expect(receipt).toMatchObject({ runId: 'after-failed', histories: 0, record: true });
    expect(receipt.users).toContain(runId);
    expect(await installation.run(['result', runId, '--json'])).toEqual(before);
    expect(await readTranscripts(runId)).toBe(messages);
  });

  test('of a run that goes on is refused and removes nothing; beside it another one can go without hurting it', async () => {
    await start('goes-on', 'hanging');
    await waitUntil(() => isAtWork('goes-on'));
    expect(await installation.run(['delete', 'goes-on', '-y'])).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('cancel or terminate it first'),
    });
    await start('beside', 'whole');
    await installation.run(['result', 'beside', '--wait', '--timeout', '60s']);
    const receipt = JSON.parse((await installation.run(['delete', 'beside', '-y', '--json'])).stdout);
    expect(receipt).toMatchObject({ histories: 3, users: expect.arrayContaining(['goes-on']) });
    expect((await show('goes-on')).status).toBe('running');
    expect(await installation.run(['cancel', 'goes-on', '--wait', '-y'])).toMatchObject({ code: 0 });
    await kept('goes-on');
    expect(await readTranscripts('goes-on')).toBeGreaterThan(4);
  });

  test("in another data folder than the run's is refused", async () => {
    const client = await installation.client();
    const folder = join(installation.folder, 'other');
    const store = createFolderStore(folder);
    const api = new ResearchClient({
      client,
      readBlob: (hash) => store.get(hash),
      records: createFolderRecords(folder),
      blobs: { storeId: () => store.id(), ...createFolderSweep(folder) },
    });
    await expect(api.getHandle('goes-on').delete()).rejects.toMatchObject({ code: 'STORE_MISMATCH' });
    await expect(new ResearchClient({ client }).getHandle('goes-on').delete()).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect((await show('goes-on')).status).toBe('cancelled');
  });
});

test('doctor says how many ended runs are kept', async () => {
  const { length } = await records().list();
  const doctor = await installation.run(['doctor']);
  expect(doctor.stdout).toMatch(new RegExp(`store .*, ${length} ended runs kept`));
});
