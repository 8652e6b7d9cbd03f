/** A subagent that fails is started again by the built command line, while another one of its run still works. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunDescription } from '../../src/contract/run-view.ts';
import type { RunResult } from '../../src/contract/result.ts';
import { collect, Installation } from '../support/built-cli.ts';

const search = { calls: [{ tool: 'corpus_search', arguments: { query: 'river' } }] };
const read = { calls: [{ tool: 'corpus_read', arguments: { document: 'river.md' } }] };
const report = {
  report: { summary: 'Read.', claims: [{ text: 'It is long.', document: 'river.md', quote: 'The river is long.' }] },
};

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(() => installation.destroy());

const describeRun = async (runId: string) =>
  JSON.parse((await installation.run(['show', runId, '--json'])).stdout) as RunDescription;
/** The test's own time-out ends it otherwise. */
async function untilStatus(runId: string, id: string, status: string): Promise<void> {
  for (;;) {
    const { tree } = await describeRun(runId);
    if (tree.find((each) => each.id === id)?.status === status) return;
  }
}

test('the run waits for it, it goes on from its last turn, and what both attempts cost is counted', async () => {
  await mkdir(join(installation.folder, 'documents'));
  await writeFile(join(installation.folder, 'documents', 'river.md'), '# The river\n\nThe river is long.\n');
  const script = join(installation.folder, 'script.json');
  const log = join(installation.folder, 'requests.jsonl');
  const fails = { code: 'MODEL_AUTH', times: 1 };
  const slow = [search, { ...read, latency: '20s' }, report];
  const subagents = { s1: slow, s2: [search, { ...read, fail: fails }, report], '*': [search, read, report] };
  await writeFile(script, JSON.stringify({ plan: ['one', 'two', 'three'], subagents, log }));
  const flags = ['--corpus', join(installation.folder, 'documents'), '--model', `scripted:${script}`];
  const worker = await installation.startWorker();
  const started = await installation.run(['start', 'How long is the river?', ...flags]);
  expect(started).toMatchObject({ code: 0 });
  const runId = started.stdout.trim();
  await untilStatus(runId, 's2', 'failed');
  await untilStatus(runId, 's3', 'done');

  const done = await installation.run(['retry-subagent', runId, 's3']);
  expect(done).toMatchObject({ code: 10, stdout: '' });
  expect(done.stderr).toContain(`tributary rerun ${runId} --from s3`);
  const unknown = await installation.run(['retry-subagent', runId, 's9']);
  expect(unknown).toMatchObject({ code: 9 });
  const asked = await installation.run(['retry-subagent', runId, 's2', '--request-id', 'once']);
  expect(asked).toMatchObject({ code: 0, stdout: `${runId}: s2 is started again; the run waits for it\n` });
  expect(await installation.run(['retry-subagent', runId, 's2', '--request-id', 'once'])).toMatchObject({ code: 0 });
  await untilStatus(runId, 's2', 'done');

  const ended = await installation.run(['result', runId, '--wait', '--json', '--timeout', '90s']);
  expect(ended).toMatchObject({ code: 0 });
  const result = JSON.parse(ended.stdout) as RunResult;
  expect(result.subagents.map(({ id, status }) => `${id} ${status}`)).toEqual(['s1 done', 's2 done', 's3 done']);
  expect(result.usage.tokens).toBe(result.budget.tokens.spent);
  const shown = await describeRun(runId);
  expect(shown.tree[1]).toMatchObject({ attempt: 2, turns: 3, usage: { tokens: result.subagents[1]!.usage.tokens } });
  const requests = (await readFile(log, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { request?: string });
  const ofS2 = requests.flatMap(({ request }) => (request?.startsWith('s2 ') ? [request] : []));
  expect(ofS2).toEqual(['s2 turn 1', 's2 turn 2', 's2 turn 2', 's2 turn 3']);
  const late = await installation.run(['retry-subagent', runId, 's2']);
  expect(late).toMatchObject({ code: 10 });
  worker.kill('SIGTERM');
  await collect(worker);
});
