/** Throws the embedded server's state away, or measures it. Touches only names that Tributary itself creates. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { TributaryError } from '../contract/failure.ts';
import { openDataDir, readServerRecord, stateNames } from './server-record.ts';
import { listLivingUsers } from './server-users.ts';
import { stopServer } from './stop-server.ts';
import { withServerLock } from './with-server-lock.ts';

const database = [stateNames.database, `${stateNames.database}-wal`, `${stateNames.database}-shm`];

/**
 * Removes every run: database, transcripts, records, indexes, logs, remembered ports. A server without users is stopped first. Other
 * files in the folder stay: it may be one that somebody named by mistake.
 *
 * @throws TributaryError INVALID_REQUEST while living programs use the server
 */
export async function resetState(dataDir: string): Promise<void> {
  const folder = resolve(dataDir);
  await openDataDir(folder);
  await withServerLock(folder, async (assertHeld) => {
    const users = await listLivingUsers(folder);
    if (users.length > 0)
      throw new TributaryError(
        'INVALID_REQUEST',
        `the state in ${folder} is in use by process ${users.join(', ')}; end it first, then reset.`,
      );
    const record = await readServerRecord(folder);
    if (record) await stopServer(record);
    assertHeld();
    // All but the lock, which is held.
    const ours = Object.values(stateNames).filter((name) => name !== stateNames.lock);
    for (const name of [...database, ...ours]) await rm(join(folder, name), { recursive: true, force: true });
  });
}

export type StateSize = {
  readonly databaseBytes: number;
  readonly logBytes: number;
  readonly blobBytes: number;
  readonly recordBytes: number;
  readonly indexBytes: number;
};

/** Bytes of the database, the logs, the transcripts, what is kept of ended runs, and the indexes of corpora; 0 for what does not exist. */
export async function sizeOfState(dataDir: string): Promise<StateSize> {
  const folder = resolve(dataDir);
  const sizes = await Promise.all(database.map((name) => sizeOf(join(folder, name))));
  return {
    databaseBytes: sizes.reduce((sum, size) => sum + size, 0),
    logBytes: await sizeOf(join(folder, stateNames.logs)),
    blobBytes: await sizeOf(join(folder, stateNames.blobs)),
    recordBytes: await sizeOf(join(folder, stateNames.records)),
    indexBytes: await sizeOf(join(folder, stateNames.indexes)),
  };
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory()) return found?.size ?? 0;
  let bytes = 0;
  // Files come and go while it is read: what is gone counts nothing.
  for (const name of await readdir(path).catch(() => [])) bytes += await sizeOf(join(path, name));
  return bytes;
}
