import { expect, test } from '@jest/globals';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { joinServer } from '../../src/embedded/join-server.ts';
import { resetState, sizeOfState } from '../../src/embedded/reset-state.ts';
import { isServerAlive, makeDataDir } from './state-folders.ts';

test('a reset is refused while a program uses the server, and otherwise removes what is ours alone', async () => {
  const dataDir = await makeDataDir();
  const lease = await joinServer({ dataDir });
  await writeFile(join(dataDir, 'notes.txt'), 'not ours');
  for (const name of ['store-id', 'last-run']) await writeFile(join(dataDir, name), 'x');
  await expect(resetState(dataDir)).rejects.toThrow(`in use by process ${process.pid}`);
  expect(await isServerAlive(dataDir)).toBe(true);
  await lease.leave();
  await resetState(dataDir);
  expect(await readdir(dataDir)).toEqual(['notes.txt']);
});

test('the size is told of database, logs, transcripts, kept runs and indexes apart, and is zero before the first start', async () => {
  const dataDir = await makeDataDir();
  const zero = { databaseBytes: 0, logBytes: 0, blobBytes: 0, recordBytes: 0, indexBytes: 0 };
  expect(await sizeOfState(join(dataDir, 'nowhere'))).toEqual(zero);
  await mkdir(join(dataDir, 'blobs', 'ab'), { recursive: true });
  await writeFile(join(dataDir, 'blobs', 'ab', 'one'), 'x'.repeat(1_000));
  await writeFile(join(dataDir, 'blobs', 'two'), 'x'.repeat(24));
  await mkdir(join(dataDir, 'records'));
  await writeFile(join(dataDir, 'records', 'run_1.json'), 'x'.repeat(30));
  await mkdir(join(dataDir, 'indexes'));
  await writeFile(join(dataDir, 'indexes', 'peps'), 'x'.repeat(7));
  await writeFile(join(dataDir, 'temporal.db'), 'x'.repeat(10));
  await writeFile(join(dataDir, 'temporal.db-wal'), 'x'.repeat(5));
  expect(await sizeOfState(dataDir)).toEqual({
    ...{ databaseBytes: 15, logBytes: 0, blobBytes: 1_024, recordBytes: 30, indexBytes: 7 },
  });
});
