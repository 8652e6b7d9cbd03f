/** Walks the folder: which files are documents. Follows no link, so nothing outside the folder can come in. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkippedFile } from './corpus.ts';
import { isDocumentPath } from './extract/extract-document.ts';

export const maxFileBytes = 20 * 1024 * 1024;
const skippedFolders = new Set(['node_modules']);

export type ListedFile = {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
};

/**
 * The documents below `root`, sorted by path, and the ones that were left out with the reason. Hidden files and folders
 * and `node_modules` are not looked at. A folder below that cannot be listed is skipped; `root` itself rejects.
 */
export async function listFiles(root: string): Promise<{ files: ListedFile[]; skipped: SkippedFile[] }> {
  const files: ListedFile[] = [];
  const skipped: SkippedFile[] = [];
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      if (folder === '') throw error;
      skipped.push({ path: folder, why: `the folder cannot be listed (${(error as NodeJS.ErrnoException).code})` });
      return [];
    });
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.') || skippedFolders.has(entry.name)) continue;
      if (entry.isDirectory()) await visit(path);
      else if (!isDocumentPath(entry.name)) continue;
      else if (entry.isSymbolicLink())
        skipped.push({ path, why: 'it is a link; only files in the folder itself are read' });
      else if (entry.isFile()) {
        const stat = await lstat(join(root, path)).catch(() => null);
        if (stat === null) skipped.push({ path, why: 'it cannot be read' });
        else if (stat.size > maxFileBytes)
          skipped.push({ path, why: `it is larger than ${maxFileBytes / 1024 / 1024} MB` });
        else files.push({ path, bytes: stat.size, modifiedMs: Math.trunc(stat.mtimeMs) });
      }
    }
  };
  await visit('');
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, skipped };
}
