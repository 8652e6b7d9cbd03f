/** Where the folder store keeps what, and how it reads and refuses. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TributaryError } from '../contract/failure.ts';

export function toBlobFile(folder: string, hash: string): string {
  return join(folder, 'blobs', hash.slice(0, 2), hash);
}

export async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw storeUnavailable(file, error);
  }
}

export function storeUnavailable(what: string, error: unknown): TributaryError {
  const reason = error instanceof Error ? error.message : String(error);
  return new TributaryError('STORE_UNAVAILABLE', `the store ${what} cannot be used: ${reason}`, { cause: error });
}
