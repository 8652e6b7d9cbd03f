/** The index on disk: one JSON file a folder, replaced as a whole, ignored when it is of another version or damaged. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CorpusIndex, IndexedDocument } from './corpus-index.ts';
import { loadIndex } from './corpus-index.ts';

/** Raised whenever what is stored, or how text becomes terms, changes: old files are then built anew. */
const formatVersion = 2;

/** What is known of one file: a document, or why it is none. */
export type IndexedFile = {
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Of the contents. */
  readonly sha256: string;
} & ({ readonly document: IndexedDocument } | { readonly problem: string });

export type StoredIndex = { readonly index: CorpusIndex; readonly files: ReadonlyMap<string, IndexedFile> };

/** Where the index of `folder` (an absolute, real path) lives. */
export function toIndexPath(indexDir: string, folder: string): string {
  return join(indexDir, `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.json`);
}

/** `null` where there is none that can be used. */
export async function readIndex(path: string): Promise<StoredIndex | null> {
  try {
    const stored = JSON.parse(await readFile(path, 'utf8')) as {
      version: number;
      files: [string, IndexedFile][];
      index: unknown;
    };
    if (stored.version !== formatVersion) return null;
    return { index: loadIndex(stored.index), files: new Map(stored.files) };
  } catch {
    return null;
  }
}

/** Replaces the file in one step, so that two processes never read half of it. */
export async function writeIndex(path: string, { index, files }: StoredIndex): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, JSON.stringify({ version: formatVersion, files: [...files], index }));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
