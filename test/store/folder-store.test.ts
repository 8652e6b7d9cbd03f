import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStore } from '../../src/store/folder-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-store-'));
});
afterEach(() => rm(folder, { recursive: true }));

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const filesIn = async (path: string): Promise<string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();

describe('blobs', () => {
  test('come back byte for byte, by the hash of their bytes', async () => {
    const store = createFolderStore(folder);
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    const ref = await store.put(bytes);
    expect(ref).toEqual({ hash: createHash('sha256').update(bytes).digest('hex'), bytes: 70_000 });
    expect(Buffer.from(await store.get(ref.hash)).equals(bytes)).toBe(true);
  });

  test('may be empty', async () => {
    const store = createFolderStore(folder);
    const { hash, bytes } = await store.put(new Uint8Array());
    expect(bytes).toBe(0);
    expect((await store.get(hash)).byteLength).toBe(0);
  });

  test('of the same bytes are one file', async () => {
    const store = createFolderStore(folder);
    expect(await store.put(bytesOf('a'))).toEqual(await store.put(bytesOf('a')));
    expect(await filesIn(folder)).toEqual([hashOf('a')]);
  });

  test('are there for another process of the same folder', async () => {
    const { hash } = await createFolderStore(folder).put(bytesOf('a'));
    expect(textOf(await createFolderStore(folder).get(hash))).toBe('a');
  });

  test('put at once by many, the same ones and different ones, are all there, and nothing half-written is left', async () => {
    const stores = [createFolderStore(folder), createFolderStore(folder)];
    const texts = Array.from({ length: 60 }, (_, index) => `text ${index % 20}`);
    const refs = await Promise.all(texts.map((text, index) => stores[index % 2]!.put(bytesOf(text))));
    for (const [index, { hash }] of refs.entries()) expect(textOf(await stores[0]!.get(hash))).toBe(texts[index]);
    expect(await filesIn(folder)).toEqual([...new Set(texts.map(hashOf))].sort());
  });

  test('that are stored again are renewed, so that a sweep by age spares them', async () => {
    const store = createFolderStore(folder);
    const { hash } = await store.put(bytesOf('a'));
    const file = join(folder, 'blobs', hash.slice(0, 2), hash);
    const longAgo = new Date('2001-01-01');
    await utimes(file, longAgo, longAgo);
    await store.put(bytesOf('a'));
    expect((await stat(file)).mtime.getTime()).toBeGreaterThan(longAgo.getTime());
  });

  test('that are missing are named, with the store', async () => {
    const hash = hashOf('never stored');
    const running = createFolderStore(folder).get(hash);
    await expect(running).rejects.toMatchObject({ code: 'TRANSCRIPT_MISSING' });
    await expect(running).rejects.toThrow(new RegExp(`${folder}.*${hash}`));
  });

  test('are for their owner alone', async () => {
    const { hash } = await createFolderStore(folder).put(bytesOf('a'));
    expect((await stat(join(folder, 'blobs', hash.slice(0, 2), hash))).mode & 0o077).toBe(0);
  });
});

describe('the id', () => {
  test('is made once and stays', async () => {
    const id = await createFolderStore(folder).id();
    expect(id).toMatch(/^store_[0-9a-f]{20}$/);
    expect(await createFolderStore(folder).id()).toBe(id);
  });

  test('of two folders differs', async () => {
    const other = createFolderStore(join(folder, 'other'));
    expect(await other.id()).not.toBe(await createFolderStore(folder).id());
  });

  test('is the same for all that ask at once, whole, and leaves one file', async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = join(folder, `round-${round}`);
      const ids = await Promise.all(Array.from({ length: 12 }, () => createFolderStore(path).id()));
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toMatch(/^store_[0-9a-f]{20}$/);
      expect(await filesIn(path)).toEqual(['store-id']);
    }
  });

  test('may be asked for before the folder is there, also some levels down', async () => {
    const id = await createFolderStore(join(folder, 'a', 'b')).id();
    expect(await createFolderStore(join(folder, 'a', 'b')).id()).toBe(id);
  });
});

describe('a folder that cannot be used is said to be, by its name, and may be tried again', () => {
  const broken: [string, () => Promise<string>][] = [
    [
      'a file stands where the folder should be',
      async () => {
        await writeFile(join(folder, 'file'), '');
        return join(folder, 'file');
      },
    ],
    [
      'a file stands above it',
      async () => {
        await writeFile(join(folder, 'file'), '');
        return join(folder, 'file', 'store');
      },
    ],
    [
      'it is a link to nowhere',
      async () => {
        await symlink(join(folder, 'gone', 'deep'), join(folder, 'link'));
        return join(folder, 'link');
      },
    ],
    [
      'a folder stands where a file should be',
      async () => {
        await mkdir(join(folder, 'store', 'store-id'), { recursive: true });
        await mkdir(join(folder, 'store', 'blobs', hashOf('a').slice(0, 2), hashOf('a'), 'x'), { recursive: true });
        await writeFile(join(folder, 'store', 'blobs', 'file'), '');
        return join(folder, 'store');
      },
    ],
  ];
  const unavailable = { code: 'STORE_UNAVAILABLE' };

  test.each(broken)('%s: its id', async (_, breakIt) => {
    const path = await breakIt();
    const running = createFolderStore(path).id();
    await expect(running).rejects.toMatchObject(unavailable);
    await expect(running).rejects.toThrow(path);
  });

  test.each(broken.slice(0, 3))('%s: storing', async (_, breakIt) => {
    const path = await breakIt();
    const running = createFolderStore(path).put(bytesOf('a'));
    await expect(running).rejects.toMatchObject(unavailable);
    await expect(running).rejects.toThrow(path);
  });

  test('a folder stands where a blob should be: reading', async () => {
    const path = await broken[3]![1]();
    await expect(createFolderStore(path).get(hashOf('a'))).rejects.toMatchObject(unavailable);
  });

  test('and nothing half-written is left of a put that failed', async () => {
    const blobs = join(folder, 'blobs', hashOf('a').slice(0, 2));
    // A link to nowhere in the place of the blob's folder: neither renewing nor writing can work.
    await mkdir(join(folder, 'blobs'));
    await symlink(join(folder, 'gone'), blobs);
    await expect(createFolderStore(folder).put(bytesOf('a'))).rejects.toMatchObject(unavailable);
    expect(await filesIn(folder)).toEqual([]);
  });
});
