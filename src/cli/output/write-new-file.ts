/** Writes a file whole or not at all, and not over another one unless that is asked for. */
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { TributaryError } from '../../contract/failure.ts';

/** Bytes written. `INVALID_REQUEST` where the file is there already, `INTERNAL` where it cannot be written. */
export async function writeNewFile(
  flag: string,
  path: string,
  text: string,
  { force }: { readonly force: boolean },
): Promise<number> {
  const bytes = Buffer.from(text);
  const draft = join(dirname(resolve(path)), `.${basename(path).slice(0, 100)}.${randomUUID()}.tmp`);
  let isOurs = false;
  try {
    // The name is taken first, so that two writers cannot both find it free.
    if (!force) await writeFile(path, '', { flag: 'wx' });
    isOurs = !force;
    await writeFile(draft, bytes, { flag: 'wx', flush: true });
    await rename(draft, path);
    return bytes.length;
  } catch (error) {
    if (isOurs) await rm(path, { force: true });
    await rm(draft, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new TributaryError('INVALID_REQUEST', `${flag}: ${path} is there already; --force replaces it`);
    }
    throw new TributaryError('INTERNAL', `${flag}: ${path} could not be written: ${message}`, { cause: error });
  }
}
