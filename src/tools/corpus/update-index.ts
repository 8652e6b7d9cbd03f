/** Brings a stored index up to what lies in the folder: only what is new or changed is read again. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { CorpusIndex } from './corpus-index.ts';
import { addDocument, createIndex } from './corpus-index.ts';
import type { SkippedFile } from './corpus.ts';
import { extractDocument } from './extract/extract-document.ts';
import type { IndexedFile, StoredIndex } from './index-file.ts';
import { listFiles } from './list-files.ts';
import { readInside } from './read-inside.ts';

export type UpdatedIndex = StoredIndex & { readonly isChanged: boolean; readonly skipped: readonly SkippedFile[] };

export type UpdateOptions = {
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
};

type Change = { readonly file: IndexedFile; readonly isNew: boolean };

async function indexFile(
  index: CorpusIndex,
  root: string,
  listed: { path: string; bytes: number; modifiedMs: number },
  known: IndexedFile | undefined,
): Promise<Change> {
  const { path, bytes, modifiedMs } = listed;
  const contents = await readInside(root, path);
  const sha256 = createHash('sha256').update(contents).digest('hex');
  if (known?.sha256 === sha256) return { file: { ...known, bytes, modifiedMs }, isNew: false };
  if (index.has(path)) index.discard(path);
  try {
    const document = addDocument(
      index,
      path,
      await extractDocument(path, contents),
      new TextDecoder().decode(contents),
    );
    return { file: { bytes, modifiedMs, sha256, document }, isNew: true };
  } catch (error) {
    return { file: { bytes, modifiedMs, sha256, problem: (error as Error).message }, isNew: true };
  }
}

/**
 * A file whose size and time are as they were is taken as unchanged; otherwise its contents decide. Leaves the event
 * loop free between documents. Rejects with the signal's reason, or where `root` itself cannot be listed.
 */
export async function updateIndex(
  root: string,
  stored: StoredIndex | null,
  options: UpdateOptions,
): Promise<UpdatedIndex> {
  const listing = await listFiles(root);
  const index = stored?.index ?? createIndex();
  const files = new Map<string, IndexedFile>();
  const unreadable: SkippedFile[] = [];
  let isChanged = false;
  for (const [done, listed] of listing.files.entries()) {
    const known = stored?.files.get(listed.path);
    if (known?.bytes === listed.bytes && known.modifiedMs === listed.modifiedMs) {
      files.set(listed.path, known);
      continue;
    }
    options.signal?.throwIfAborted();
    options.onProgress?.(done, listing.files.length);
    try {
      const { file } = await indexFile(index, root, listed, known);
      files.set(listed.path, file);
      isChanged = true;
    } catch (error) {
      unreadable.push({ path: listed.path, why: `it cannot be read (${(error as Error).message})` });
    }
    await setImmediate();
  }
  for (const path of stored?.files.keys() ?? []) {
    if (files.has(path)) continue;
    if (index.has(path)) index.discard(path);
    isChanged = true;
  }
  if (stored && isChanged) await index.vacuum();
  options.onProgress?.(listing.files.length, listing.files.length);
  const problems = [...files].flatMap(([path, file]) => ('problem' in file ? [{ path, why: file.problem }] : []));
  return { index, files, isChanged, skipped: [...listing.skipped, ...unreadable, ...problems] };
}
