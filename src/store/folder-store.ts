/** Blobs in a folder: one file per hash, written to a temporary name, flushed, then renamed. */
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TributaryError } from '../contract/failure.ts';
import type { BlobStore } from './blob-store.ts';

const idFile = 'store-id';
/** Moves a flushed temporary file to its name. */
type Publish = (temporary: string, file: string) => Promise<void>;

/** A store in `folder`, which is made when the first blob or the id is asked for. */
export function createFolderStore(folder: string): BlobStore {
  const fileOf = (hash: string) => join(folder, 'blobs', hash.slice(0, 2), hash);

  async function writeDurably(file: string, bytes: Uint8Array, publish: Publish = rename): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${randomBytes(6).toString('hex')}.part`;
    try {
      const handle = await open(temporary, 'w', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await publish(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

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
        throw unavailable(folder, error);
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
          throw unavailable(folder, error);
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

async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unavailable(file, error);
  }
}

function unavailable(what: string, error: unknown): TributaryError {
  const reason = error instanceof Error ? error.message : String(error);
  return new TributaryError('STORE_UNAVAILABLE', `the store ${what} cannot be used: ${reason}`, { cause: error });
}
