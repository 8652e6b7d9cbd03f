/** Which of the documents that searches found are worth reading, and in which order. */
import type { SearchHit } from '../../domain/corpus-reading.ts';

/** Below this share of the question's weight a document speaks of something else. */
const minCoverage = 0.35;
/** A document that is this much weaker than the best of its search, or speaks of that much less, is left out. */
const minRelativeScore = 0.1;
const minRelativeCoverage = 0.5;

/**
 * The hits of the first search first, then what the others add, each document once. A search whose best hit hardly
 * speaks of what was asked gives none.
 */
export function chooseHits(searches: readonly { readonly hits: readonly SearchHit[] | null }[]): SearchHit[] {
  const chosen = new Map<string, SearchHit>();
  const queues = searches.map(({ hits }) => {
    const best = hits?.[0];
    if (!best || best.coverage < minCoverage) return [];
    const isRelated = ({ coverage }: SearchHit) =>
      coverage >= Math.max(minCoverage, best.coverage * minRelativeCoverage);
    return hits.filter((hit) => isRelated(hit) && hit.score >= best.score * minRelativeScore);
  });
  const [first = [], ...others] = queues;
  // The two best of the question itself, then the best of each other search, then the rest in turn.
  for (const hit of [...first.slice(0, 2), ...others.flatMap((queue) => queue.slice(0, 1))])
    chosen.set(hit.url, chosen.get(hit.url) ?? hit);
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  for (let at = 0; at < longest; at++) {
    for (const queue of queues) {
      const hit = queue[at];
      if (hit && !chosen.has(hit.url)) chosen.set(hit.url, hit);
    }
  }
  return [...chosen.values()];
}
