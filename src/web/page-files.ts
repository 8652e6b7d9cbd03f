/** The page as it was built, read once: what is not among its files cannot be asked for. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

type PageFile = { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string };
/** By path, such as `/assets/index-1f2e.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** `null` where the folder holds no page. */
export async function readPageFiles(folder: string): Promise<PageFiles | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<string, PageFile>();
  for (const entry of entries) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = new Uint8Array(await readFile(path));
    files.set(`/${relative(folder, path).split(sep).join('/')}`, { bytes, type });
  }
  return files.has('/index.html') ? files : null;
}

/** Paths that are no file are the page's own; `null` = there is no such file. */
export function toPageResponse(files: PageFiles, path: string): Response | null {
  const file = files.get(path) ?? (extname(path) === '' ? files.get('/index.html') : undefined);
  if (!file) return null;
  // Names of assets change with what is in them.
  const isHashed = path.startsWith('/assets/') && files.has(path);
  const cache = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
  return new Response(file.bytes, { headers: { 'content-type': file.type, 'cache-control': cache } });
}
