import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findModelQueue } from '../../src/models/limits/model-queues.ts';
import type { ModelSettings } from '../../src/models/model-settings.ts';
import { collect, Installation } from '../support/built-cli.ts';
import { Gate } from '../support/gate.ts';
import { activitiesOf } from '../support/read-history.ts';
import { modelIds, startProvider, type Provider } from '../support/providers/start-provider.ts';

const keys = ['sk-test-one', 'sk-test-two'] as const;
const model = `openai/${modelIds.openai}`;

let installation: Installation;
let gate: Gate;
let provider: Provider;
beforeAll(async () => {
  installation = await Installation.create();
  gate = new Gate();
  const reply = async () => {
    await gate.pass('request');
    return { text: 'It is so.' };
  };
  provider = await startProvider('openai', reply, { keys });
});
afterAll(async () => {
  await installation.destroy();
  await provider.close();
});

const envOf = (key: string) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: provider.baseUrl });
const none = { openai: null, anthropic: null, google: null, compatible: null };
const queueOf = (key: string) => {
  const baseUrls: ModelSettings['baseUrls'] = { ...none, openai: provider.baseUrl };
  return findModelQueue({ model }, { keys: { ...none, openai: key }, baseUrls, proxyFor: () => null }, {});
};

async function start(): Promise<string> {
  const subtasks = [1, 2, 3, 4, 5, 6].flatMap((number) => ['--subtask', `part ${number}`]);
  const started = await installation.run(['start', 'Q', '--model', model, '--concurrency', '2', ...subtasks]);
  expect(started).toMatchObject({ code: 0 });
  return started.stdout.trim();
}

async function queuesOf(runId: string): Promise<Set<string>> {
  const calls = [...(await installation.histories(runId)).values()]
    .flatMap((events) => activitiesOf({ events }))
    .filter(({ type }) => type === 'callModelActivity' || type === 'synthesizeActivity');
  expect(calls).toHaveLength(7);
  return new Set(calls.map(({ taskQueue }) => taskQueue));
}

const keysSince = (from: number) =>
  new Set(provider.requests.slice(from).map(({ headers }) => headers.authorization?.replace('Bearer ', '')));

test('two workers with different keys: the calls of a run stay with the key that it was opened with', async () => {
  const first = await installation.startWorker(envOf(keys[0]));
  const runA = await start();
  await gate.hold(2);
  // From here on either worker can take what is on the queue of the run.
  const second = await installation.startWorker(envOf(keys[1]));
  gate.open();
  expect((await installation.run(['result', runA, '--wait'])).code).toBe(0);
  expect(keysSince(0)).toEqual(new Set([keys[0]]));
  expect(await queuesOf(runA)).toEqual(new Set([queueOf(keys[0])]));

  first.kill('SIGTERM');
  await collect(first);
  const before = provider.requests.length;
  const runB = await start();
  expect((await installation.run(['result', runB, '--wait'])).code).toBe(0);
  expect(keysSince(before)).toEqual(new Set([keys[1]]));
  expect(await queuesOf(runB)).toEqual(new Set([queueOf(keys[1])]));
  expect(provider.strays).toEqual([]);
  second.kill('SIGTERM');
  await collect(second);
}, 120_000);

test('limits: set tells the server, a worker that starts tells it again, and show says so', async () => {
  const env = envOf(keys[0]);
  // Holds the server up meanwhile.
  const other = await installation.startWorker();
  const set = await installation.run(['limits', 'set', 'openai', '--rpm', '600', '--tenant-rpm', '60'], env);
  expect(set).toMatchObject({ code: 0, stdout: 'openai: 600 requests a minute; 60 requests a minute of a tenant\n' });
  const show = async () => JSON.parse((await installation.run(['limits', 'show', '--json'], env)).stdout).limits;
  const entry = { name: 'openai', rpm: 600, tenantRpm: 60, maxConcurrency: 9, taskQueue: queueOf(keys[0]) };
  expect(await show()).toEqual([{ ...entry, server: { kind: 'kept' } }]);

  // Another key has another queue, of which the server knows nothing until a worker with that key starts.
  const showOther = async () => {
    const shown = await installation.run(['limits', 'show', '--json'], envOf(keys[1]));
    return JSON.parse(shown.stdout).limits[0].server;
  };
  expect(await showOther()).toEqual({ kind: 'differs', rpm: null, tenantRpm: null });
  const worker = await installation.startWorker(envOf(keys[1]));
  expect(await showOther()).toEqual({ kind: 'kept' });

  await rm(join(installation.dataDir, 'limits.json'));
  for (const program of [worker, other]) {
    program.kill('SIGTERM');
    await collect(program);
  }
}, 120_000);
