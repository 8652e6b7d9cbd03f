/** Takes single blobs out of the folder store, unless they were renewed meanwhile. */
import { rename, rm, stat } from 'node:fs/promises';
import { storeUnavailable, toBlobFile } from './store-files.ts';

export type BlobSweep = {
  /** `null` where the store does not have it. */
  stat(hash: string): Promise<{ readonly bytes: number; readonly storedAtMs: number } | null>;
  /** `false` where it stays: it was stored again at this time or later, or it is not there. */
  removeIfOlder(hash: string, thanMs: number): Promise<boolean>;
};

/** File systems keep the time of a write to some milliseconds only, and may be a little behind. */
const coarseMs = 100;

export function createFolderSweep(folder: string): BlobSweep {
  async function look(file: string): Promise<{ readonly bytes: number; readonly storedAtMs: number } | null> {
    try {
      const { size, mtimeMs } = await stat(file);
      return { bytes: size, storedAtMs: mtimeMs };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw storeUnavailable(file, error);
    }
  }

  return {
    stat: (hash) => look(toBlobFile(folder, hash)),
    async removeIfOlder(hash, thanMs) {
      const file = toBlobFile(folder, hash);
      const found = await look(file);
      if (!found || found.storedAtMs + coarseMs >= thanMs) return false;
      // Whoever stores it from here on writes it anew; whoever did so a moment ago has renewed what is looked at again.
      const aside = `${file}.gone`;
      try {
        await rename(file, aside);
        const last = await look(aside);
        if (last && last.storedAtMs + coarseMs >= thanMs) {
          await rename(aside, file);
          return false;
        }
        await rm(aside, { force: true });
        return last !== null;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw storeUnavailable(file, error);
      }
    },
  };
}
