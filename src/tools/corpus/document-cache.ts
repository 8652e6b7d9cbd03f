/** Keeps documents in memory once they were read, the least recently used leave first. */
import type { CorpusDocument } from './document.ts';

/** Some 40 MB of text. */
const maxCachedChars = 20_000_000;

/** `load` is called once for callers that ask at the same time; a load that fails is not kept. */
export function createDocumentCache(
  load: (path: string) => Promise<CorpusDocument>,
): (path: string) => Promise<CorpusDocument> {
  const cached = new Map<string, { loading: Promise<CorpusDocument>; chars: number }>();
  let chars = 0;

  function forget(path: string): void {
    chars -= cached.get(path)?.chars ?? 0;
    cached.delete(path);
  }

  return (path) => {
    const known = cached.get(path);
    if (known) {
      cached.delete(path);
      cached.set(path, known);
      return known.loading;
    }
    const entry = { loading: load(path), chars: 0 };
    cached.set(path, entry);
    entry.loading.then(
      (document) => {
        if (cached.get(path) !== entry) return;
        entry.chars = document.text.length;
        chars += entry.chars;
        for (const oldest of cached.keys()) {
          if (chars <= maxCachedChars || oldest === path) break;
          forget(oldest);
        }
      },
      () => forget(path),
    );
    return entry.loading;
  };
}
