/** Says what is wrong with a path that a flag names, before anything is started. */
import { access, constants, readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** `null` when the file can be read, or the folder can be listed and is not empty. */
export async function findPathProblem(flag: string, path: string, kind: 'file' | 'folder'): Promise<string | null> {
  const wanted = kind === 'file' ? 'wanted a file that can be read' : 'wanted a folder of documents';
  const found = (what: string) => `${flag}: ${wanted}, came ${JSON.stringify(path)}, which ${what}`;
  try {
    const facts = await stat(path);
    if (kind === 'file') {
      if (!facts.isFile()) return found('is not a file');
      await access(path, constants.R_OK);
      return null;
    }
    if (!facts.isDirectory()) return found('is not a folder');
    return (await readdir(path)).length === 0 ? found('is empty') : null;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    return found(code === 'ENOENT' ? 'does not exist' : `cannot be read (${String(code)})`);
  }
}

/** For a file that is yet to be written: its folder must exist and it must not be a folder itself. */
export async function findParentProblem(flag: string, path: string): Promise<string | null> {
  const found = (what: string) => `${flag}: wanted a file that can be written, came ${JSON.stringify(path)}, ${what}`;
  const parent = await stat(dirname(resolve(path))).catch(() => null);
  if (!parent?.isDirectory()) return found('whose folder does not exist');
  const facts = await stat(path).catch(() => null);
  return facts?.isDirectory() ? found('which is a folder') : null;
}
