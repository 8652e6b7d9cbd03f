/** Everything that can be reached from some references, through the blobs that name others. */
import { failureCodeOf } from '../../contract/failure.ts';
import { findRefsInBlob, type FoundRef } from './find-refs.ts';

const maxAtOnce = 16;

export type BlobWalk = (roots: readonly FoundRef[], signal?: AbortSignal) => Promise<Set<string>>;

/**
 * A walk that reads each blob once, however often it is come by: it never changes. What the store does not have leads
 * nowhere; a store that cannot be read rejects, so that nothing is taken for unused.
 */
export function createBlobWalk(readBlob: (hash: string) => Promise<Uint8Array>): BlobWalk {
  const known = new Map<string, readonly FoundRef[]>();

  async function readRefs(hash: string): Promise<readonly FoundRef[]> {
    const before = known.get(hash);
    if (before) return before;
    const refs = await readBlob(hash).then(findRefsInBlob, (error: unknown) => {
      if (failureCodeOf(error) === 'TRANSCRIPT_MISSING') return [];
      throw error;
    });
    known.set(hash, refs);
    return refs;
  }

  return async (roots, signal) => {
    const reached = new Set<string>();
    const take = (refs: readonly FoundRef[]): string[] =>
      refs.flatMap(({ hash, isLeaf }) => {
        if (reached.has(hash)) return [];
        reached.add(hash);
        return isLeaf ? [] : [hash];
      });
    const queue = take(roots);
    while (queue.length > 0) {
      signal?.throwIfAborted();
      const found = await Promise.all(queue.splice(0, maxAtOnce).map(readRefs));
      queue.push(...take(found.flat()));
    }
    return reached;
  };
}
