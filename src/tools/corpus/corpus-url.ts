/** Names of documents: relative path, `corpus:` URL, source id. */
import { createHash } from 'node:crypto';

/** `corpus:` and the path with each segment URI-encoded. `path` uses `/`. */
export function toCorpusUrl(path: string): string {
  return `corpus:${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** `d-` and ten hex digits of the URL's SHA-256: the same document has the same id in every run. */
export function toSourceId(url: string): string {
  return `d-${createHash('sha256').update(url).digest('hex').slice(0, 10)}`;
}

/** The path in a URL or path as somebody wrote it, or `null` where it cannot be one. Decoded once, never resolved. */
export function toCorpusPath(name: string): string | null {
  if (!name.startsWith('corpus:')) return name.normalize('NFC');
  try {
    return decodeURIComponent(name.slice('corpus:'.length)).normalize('NFC');
  } catch {
    return null;
  }
}
