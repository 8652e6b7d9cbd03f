import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStore } from '../../src/store/folder-store.ts';
import { createFolderSweep } from '../../src/store/folder-sweep.ts';
import { toBlobFile } from '../../src/store/store-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-sweep-'));
});
afterEach(() => rm(folder, { recursive: true }));

const longAgo = new Date('2001-01-01');
async function putOld(text: string): Promise<string> {
  const { hash } = await createFolderStore(folder).put(new TextEncoder().encode(text));
  await utimes(toBlobFile(folder, hash), longAgo, longAgo);
  return hash;
}

test('a blob that was stored before goes, and leaves nothing', async () => {
  const hash = await putOld('a');
  const sweep = createFolderSweep(folder);
  expect(await sweep.stat(hash)).toEqual({ bytes: 1, storedAtMs: longAgo.getTime() });
  expect(await sweep.removeIfOlder(hash, Date.now())).toBe(true);
  expect(await sweep.stat(hash)).toBeNull();
  expect(await readdir(join(folder, 'blobs', hash.slice(0, 2)))).toEqual([]);
  expect(await sweep.removeIfOlder(hash, Date.now())).toBe(false);
});

test('a blob that was stored again since stays, and can be read', async () => {
  const hash = await putOld('a');
  const startedMs = Date.now();
  await createFolderStore(folder).put(new TextEncoder().encode('a'));
  expect(await createFolderSweep(folder).removeIfOlder(hash, startedMs)).toBe(false);
  expect(Buffer.from(await createFolderStore(folder).get(hash)).toString()).toBe('a');
});

test('of puts and removals at the same time every put wins', async () => {
  const store = createFolderStore(folder);
  const sweep = createFolderSweep(folder);
  const startedMs = Date.now() - 1;
  for (let round = 0; round < 50; round += 1) {
    const hash = await putOld('a');
    await Promise.all([
      sweep.removeIfOlder(hash, startedMs),
      store.put(new TextEncoder().encode('a')),
      sweep.removeIfOlder(hash, startedMs),
    ]);
    expect(Buffer.from(await store.get(hash)).toString()).toBe('a');
  }
});
