/** Part of the worker's program: the keeper of records over the client's readings and the folder store. */
import type { Client } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import { hasOpenSubagents, listEnded } from './client/kept/list-ended.ts';
import { readRunRecord } from './client/read-run-record.ts';
import type { BlobStore } from './store/blob-store.ts';
import { createRecordKeeper, type KeeperDependencies } from './store/keep-records.ts';
import type { RecordStore } from './store/record-store.ts';

/** The last look, at the runs that have ended since the one before, may take this long. */
const lastLookMs = 2_000;

export type KeeperLog = KeeperDependencies['log'];

/** `stop` looks once more, so that a worker of a single run keeps that one too; with `atOnce` it does not. */
export type RunningKeeper = { stop(options?: { readonly atOnce: boolean }): Promise<void> };

export function startKeeper(
  client: Client,
  identity: string,
  { store, records, log }: { readonly store: BlobStore; readonly records: RecordStore } & { readonly log: KeeperLog },
): RunningKeeper {
  const keeper = createRecordKeeper({
    listEnded: (sinceMs, signal) => listEnded(client, sinceMs, signal),
    hasOpenSubagents: (runId, signal) => hasOpenSubagents(client, runId, signal),
    read: (run, signal) => readRunRecord({ client, identity }, run, { signal }),
    has: (run) => records.has(run),
    put: (record) => records.put(record),
    storeId: () => store.id(),
    now: () => Date.now(),
    pause: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
    log,
  });
  const own = new AbortController();
  const running = keeper.run(own.signal);
  let stopping: Promise<void> | null = null;
  return {
    stop: ({ atOnce } = { atOnce: false }) =>
      (stopping ??= (async () => {
        own.abort();
        await running;
        if (!atOnce) await keeper.look(AbortSignal.timeout(lastLookMs));
      })()),
  };
}
