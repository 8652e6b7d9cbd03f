/** Records in a folder: one file per run, named by its id. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TributaryError } from '../contract/failure.ts';
import { runIdSchema } from '../contract/ids.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { type RunRecord, runRecordSchema } from '../contract/run-record.ts';
import type { RecordStore, RunIdentity } from './record-store.ts';
import { readIfThere, storeUnavailable } from './store-files.ts';
import { writeDurably } from './write-durably.ts';

/** Of the files. */
const version = 1;
const extension = '.json';

/** In the folder of the store; made when the first record is put. */
export function createFolderRecords(folder: string): RecordStore {
  const records = join(folder, 'records');
  // An id is safe in a path, and so is nothing else.
  const fileOf = (runId: string) => join(records, `${parseInput(runIdSchema, runId, 'run')}${extension}`);

  async function get(runId: string): Promise<RunRecord | null> {
    const file = fileOf(runId);
    const bytes = await readIfThere(file);
    return bytes && parse(bytes.toString('utf8'), file, runId);
  }

  async function has({ runId, firstRunId, startedAt }: RunIdentity): Promise<boolean> {
    const kept = await get(runId);
    return kept !== null && (kept.firstRunId === firstRunId || kept.startedAt > startedAt);
  }

  return {
    get,
    has,
    async put(record) {
      const kept = await get(record.runId);
      if (kept && kept.firstRunId !== record.firstRunId && kept.startedAt > record.startedAt) return;
      const file = fileOf(record.runId);
      const bytes = new TextEncoder().encode(`${JSON.stringify({ version, ...record })}\n`);
      await writeDurably(file, bytes).catch((error: unknown) => {
        throw storeUnavailable(file, error);
      });
    },
    async list() {
      const names = await readdir(records).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw storeUnavailable(records, error);
      });
      return names
        .filter((name) => name.endsWith(extension))
        .map((name) => name.slice(0, -extension.length))
        .filter((runId) => runIdSchema.safeParse(runId).success)
        .sort();
    },
    async delete(runId) {
      const file = fileOf(runId);
      try {
        await rm(file);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw storeUnavailable(file, error);
      }
    },
  };
}

function parse(text: string, file: string, runId: string): RunRecord {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch (error) {
    throw broken(file, 'it is not JSON', error);
  }
  const found = (written as { readonly version?: unknown } | null)?.version;
  if (typeof found === 'number' && found > version) {
    const message = `the record ${file} was written by a later version of this program (format ${found}; this one reads up to ${version}): use that one`;
    throw new TributaryError('STORE_UNAVAILABLE', message);
  }
  const parsed = runRecordSchema.safeParse(written);
  // Where, not what: it may stand in a log.
  if (!parsed.success) throw broken(file, `it is not a record in ${parsed.error.issues[0]?.path.join('.') || 'all'}`);
  if (parsed.data.runId !== runId) throw broken(file, `it is of the run ${parsed.data.runId}`);
  return parsed.data;
}

function broken(file: string, why: string, cause?: unknown): TributaryError {
  return new TributaryError('STORE_UNAVAILABLE', `the record ${file} cannot be read: ${why}`, { cause });
}
