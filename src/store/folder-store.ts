/** Blobs in a folder: one file per hash, written to a temporary name, flushed, then renamed. */
import { createHash, randomBytes } from 'node:crypto';
import { link, readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { TributaryError } from '../contract/failure.ts';
import type { BlobStore } from './blob-store.ts';
import { readIfThere, storeUnavailable, toBlobFile } from './store-files.ts';
import { writeDurably } from './write-durably.ts';

const idFile = 'store-id';

/** A store in `folder`, which is made when the first blob or the id is asked for. */
export function createFolderStore(folder: string): BlobStore {
  const fileOf = (hash: string) => toBlobFile(folder, hash);

  return {
    async id() {
      const file = join(folder, idFile);
      const existing = await readIfThere(file);
      if (existing) return existing.toString('utf8').trim();
      const made = new TextEncoder().encode(`store_${randomBytes(10).toString('hex')}\n`);
      try {
        await writeDurably(file, made, publishOnce);
        return (await readFile(file, 'utf8')).trim();
      } catch (error) {
        throw storeUnavailable(folder, error);
      }
    },

    async put(bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex');
      const file = fileOf(hash);
      const now = new Date();
      try {
        // Storing an existing blob renews it, so that a sweep by age never takes a shared one.
        await utimes(file, now, now);
      } catch {
        try {
          await writeDurably(file, bytes);
        } catch (error) {
          throw storeUnavailable(folder, error);
        }
      }
      return { hash, bytes: bytes.byteLength };
    },

    async get(hash) {
      const bytes = await readIfThere(fileOf(hash));
      if (!bytes) {
        throw new TributaryError('TRANSCRIPT_MISSING', `the store ${folder} does not have the blob ${hash}`);
      }
      return bytes;
    },
  };
}

/** Never replaces: of two processes that start at once, one names the store, and both read that name, whole. */
async function publishOnce(temporary: string, file: string): Promise<void> {
  await link(temporary, file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  await rm(temporary);
}
