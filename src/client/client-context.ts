/** What every part of the client works with. */
import type { Client } from '@temporalio/client';
import type { RatesOf } from '../contract/price.ts';

export type ClientContext = {
  readonly client: Client;
  /** Where runs are started, and whose pollers `hasWorker` looks at. */
  readonly taskQueue: string;
  /** Who acts: recorded by the server with each cancel request. */
  readonly identity: string;
  /** Bytes of a blob by its hash; absent = this client has no store. */
  readonly readBlob?: (hash: string) => Promise<Uint8Array>;
  /** What tokens cost, for estimates; a price that the request gives is known without it. */
  readonly ratesOf: RatesOf;
  /** Remembers the newest run that was started from here, for `@last`. */
  readonly lastRun?: LastRun;
};

export type LastRun = {
  /** `null` before the first run. */
  read(): Promise<string | null>;
  write(runId: string): Promise<void>;
};
