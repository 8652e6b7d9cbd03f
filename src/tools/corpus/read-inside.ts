/** Reads a file of the folder, and nothing that a link leads to outside of it. */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { maxFileBytes } from './list-files.ts';

/** `root` is a real path, `path` relative to it. Rejects where the file has become a link, moved outside or grew too large. */
export async function readInside(root: string, path: string): Promise<Uint8Array> {
  const real = await realpath(join(root, path));
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) throw new Error('it lies outside the folder');
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error('it is no file');
    if (stat.size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes / 1024 / 1024} MB`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
