/** A file system of two megabytes below a store, that can be filled up and emptied. */
import { execFile } from 'node:child_process';
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export type SmallDisk = {
  /** Takes up everything that is free. */
  fill(): Promise<void>;
  /** Gives it back. */
  empty(): Promise<void>;
  close(): Promise<void>;
};

/** `null` where this user may not mount one. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | null> {
  await mkdir(folder, { recursive: true });
  try {
    await execute('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
  } catch {
    return null;
  }
  const ballast = join(folder, 'ballast');
  return {
    async fill() {
      const file = await open(ballast, 'w');
      const page = Buffer.alloc(4_096);
      try {
        while ((await statfs(folder)).bavail > 0) await file.write(page);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    empty: () => rm(ballast, { force: true }),
    close: async () => void (await execute('umount', ['-l', folder])),
  };
}
