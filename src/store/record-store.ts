/** The port of the records: what is kept of each run that has ended, by its id. Outlives the histories. */
import type { RunRecord } from '../contract/run-record.ts';

/** One run among all that ever had its id. */
export type RunIdentity = Pick<RunRecord, 'runId' | 'firstRunId' | 'startedAt'>;

export interface RecordStore {
  /** Durable when it resolves. Of two runs with the same id the one that was started later is kept. Rejects as `get` does. */
  put(record: RunRecord): Promise<void>;
  /** `null` where there is none. `STORE_UNAVAILABLE` where it cannot be read: broken, or of a later version. */
  get(runId: string): Promise<RunRecord | null>;
  /** Whether this run is kept, or a later one of the same id. Rejects as `get` does. */
  has(run: RunIdentity): Promise<boolean>;
  /** Ids of all runs that are kept, those whose record cannot be read among them. */
  list(): Promise<string[]>;
  /** `false` where there was none. */
  delete(runId: string): Promise<boolean>;
}
