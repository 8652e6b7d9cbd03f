/** What every part of the client works with. */
import type { Client } from '@temporalio/client';
import type { RatesOf } from '../contract/price.ts';
import type { RunRecord } from '../contract/run-record.ts';

export type ClientContext = {
  readonly client: Client;
  /** Where runs are started, and whose pollers `hasWorker` looks at. */
  readonly taskQueue: string;
  /** Who acts: recorded by the server with each cancel request. */
  readonly identity: string;
  /** Bytes of a blob by its hash; absent = this client has no store. */
  readonly readBlob?: (hash: string) => Promise<Uint8Array>;
  /** What is kept of runs that have ended; absent = this client has no store. */
  readonly records?: KeptRecords;
  /** The blobs as files that can be removed; absent = this client deletes nothing. */
  readonly blobs?: RemovableBlobs;
  /** What tokens cost, for estimates; a price that the request gives is known without it. */
  readonly ratesOf: RatesOf;
  /** Remembers the newest run that was started from here, for `@last`. */
  readonly lastRun?: LastRun;
};

export type KeptRecords = {
  /** `null` where there is none. `STORE_UNAVAILABLE` where it cannot be read. */
  get(runId: string): Promise<RunRecord | null>;
  /** Ids of all runs that are kept. */
  list(): Promise<readonly string[]>;
  /** `false` where there was none. */
  delete(runId: string): Promise<boolean>;
};

export type RemovableBlobs = {
  /** Names the store. */
  storeId(): Promise<string>;
  /** `null` where the store does not have it. */
  stat(hash: string): Promise<{ readonly bytes: number; readonly storedAtMs: number } | null>;
  /** `false` where it stays: it was stored again at this time or later, or it is not there. */
  removeIfOlder(hash: string, thanMs: number): Promise<boolean>;
};

export type LastRun = {
  /** `null` before the first run. */
  read(): Promise<string | null>;
  write(runId: string): Promise<void>;
};
