import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collect, Installation, saysOnStderr } from '../support/built-cli.ts';
import { startProvider, families, modelIds, providerKey, type Provider } from '../support/providers/start-provider.ts';
import { toSettings } from './vendor.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.create();
});
const writeWorkers: ChildProcess[] = [];
afterAll(async () => {
  for (const worker of writeWorkers) worker.kill('SIGKILL');
  await installation.destroy();
});

const report = JSON.stringify({ summary: 'Done.', claims: [], tried: [], failed: [] });

async function resultOf(runId: string) {
  const finished = await installation.run(['result', runId, '--wait', '--json', '--timeout', '90s']);
  expect({ code: finished.code, stderr: finished.stderr }).toMatchObject({ code: 0 });
  return JSON.parse(finished.stdout);
}

describe.each(families)('%s', (family) => {
  test('kill -9 of the worker in the middle of a model call: the next request is legal, and the turn is made again once', async () => {
    let hangs = true;
    const provider = await startProvider(family, ({ asked }) => {
      if (!asked.system.startsWith('You are one')) return { text: 'The report.' };
      if (asked.turns === 0)
        return { text: 'First.', signed: true, calls: [1, 2].map((n) => ({ name: 'nothing', arguments: { n } })) };
      if (!hangs) return { text: report };
      return { fault: 'hang-in-body' };
    });
    const { env, flags } = toSettings(family, provider);
    const worker = await installation.startWorker(env);
    const started = await installation.run(['start', 'Q', ...flags, '--subtask', 'one'], env);
    await provider.requested(2);
    worker.kill('SIGKILL');
    await collect(worker);
    await provider.aborted(1);
    hangs = false;
    const second = await installation.startWorker(env);
    const result = await resultOf(started.stdout.trim());
    expect(result).toMatchObject({ status: 'completed', usage: { estimated: true } });
    expect(provider.refusals).toEqual([]);
    // The first turn, the second one twice, and the report: what was finished is not asked again.
    expect(provider.requests).toHaveLength(4);
    expect(provider.requests[2]!.raw).toBe(provider.requests[1]!.raw);
    second.kill('SIGTERM');
    await collect(second);
    await provider.close();
  }, 150_000);
});

/** The server runs as long as somebody uses it: this one follows a run that never ends. */
async function keepServer(): Promise<ChildProcess> {
  const script = join(installation.folder, 'never.yaml');
  await writeFile(script, 'plan: { hang: true, text: never }\n');
  const keeper = installation.spawn(['run', 'Keeper', '--model', `scripted:${script}`, '--no-worker']);
  await saysOnStderr(keeper, /run run_/);
  return keeper;
}

describe.each(['openai', 'anthropic', 'google'] as const)('%s', (family) => {
  async function startWriteWorker(provider: Provider, file: string): Promise<ChildProcess> {
    const { address, namespace } = await installation.readServer();
    const worker = spawn(
      process.execPath,
      [
        join(import.meta.dirname, 'write-worker.mjs'),
        JSON.stringify({
          address,
          namespace,
          dataDir: installation.dataDir,
          file,
          baseUrl: { [family]: provider.baseUrl },
        }),
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, TEST_KEYS: JSON.stringify({ [family]: providerKey }) },
      },
    );
    writeWorkers.push(worker);
    await saysOnStderr(worker, /polls/);
    return worker;
  }

  test('B55 · kill -9 of the worker in the middle of a batch with a write: the write runs once, and the next request is legal', async () => {
    const provider = await startProvider(family, ({ asked }) => {
      if (!asked.system.startsWith('You are one')) return { text: 'The report.' };
      if (asked.turns > 0) return { text: report };
      const calls = [
        { name: 'look', arguments: { line: 'a' } },
        { name: 'append_line', arguments: { line: family } },
        { name: 'look', arguments: { line: 'b' } },
      ];
      return { text: 'Writing.', signed: true, calls };
    });
    const keeper = await keepServer();
    const file = join(installation.folder, `${family}.txt`);
    const lines = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    const worker = await startWriteWorker(provider, file);
    const model = `${family}/${modelIds[family]}`;
    const started = await installation.run(['start', 'Q', '--model', model, '--subtask', 'one']);
    while ((await lines()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    worker.kill('SIGKILL');
    await once(worker, 'close');
    const second = await startWriteWorker(provider, file);
    const result = await resultOf(started.stdout.trim());
    expect(result.status).toBe('completed');
    expect(await lines()).toEqual([family]);
    expect(provider.refusals).toEqual([]);
    const results = provider.requests[1]!.asked.results;
    expect(results).toHaveLength(3);
    expect(results[0]).toContain('seen a');
    expect(results[1]).toMatch(/outcome is unknown/);
    expect(results[2]).toContain('seen b');
    second.kill('SIGTERM');
    await once(second, 'close');
    keeper.kill('SIGTERM');
    await once(keeper, 'close');
    await provider.close();
  }, 150_000);
});
