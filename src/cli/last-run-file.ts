/** Remembers the newest run that was started from this machine, for `@last`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export type LastRunFile = { read(): Promise<string | null>; write(runId: string): Promise<void> };

/** A run must not fail because its id could not be remembered: writing never rejects. */
export function createLastRunFile(path: string): LastRunFile {
  return {
    read: async () => (await readFile(path, 'utf8').catch(() => '')).trim() || null,
    async write(runId) {
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFile(path, `${runId}\n`);
      } catch {
        // `@last` will name an older run.
      }
    },
  };
}
