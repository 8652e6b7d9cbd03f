/** Writes a file so that it is there whole or not at all: to a temporary name, flushed, then moved. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Moves a flushed temporary file to its name. */
export type Publish = (temporary: string, file: string) => Promise<void>;

/** Makes the folder where it is missing. The file is for its owner alone. */
export async function writeDurably(file: string, bytes: Uint8Array, publish: Publish = rename): Promise<void> {
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
