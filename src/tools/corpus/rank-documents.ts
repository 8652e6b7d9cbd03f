/** Which documents bear on a question: BM25+ term by term, a closer look at the best, and which of those the others refer to. */
import type { CorpusIndex, IndexedDocument } from './corpus-index.ts';
import { toNames } from './find-mentions.ts';
import type { FoundTerm } from './find-terms.ts';
import { findTerms, hasTerm } from './find-terms.ts';
import { createCloserLook } from './look-closer.ts';
import { parseQuery } from './parse-query.ts';

export type RankedDocument = {
  readonly path: string;
  readonly score: number;
  /** Terms of the question that stand in the document. */
  readonly matched: readonly string[];
  /** Share of the question's weight that those terms have, from 0 to 1. */
  readonly coverage: number;
};

/** Best first, ties by path; only documents with at least one term of the question or one close to it. */
export type RankDocuments = (question: string, limit: number) => RankedDocument[];

/** How many of the best by terms are looked at closely, and how many of those refer to one another. */
const maxCandidates = 60;
const maxReferring = 12;
/** What the good matches that refer to a document add to its score, as a share of that score … */
const authorityWeight = 1.3;
/** … and of the best score: the origin of a thing need not have it in its title. */
const originWeight = 0.3;
/** A word close to one of the question makes up for this share of it in the coverage. */
const inexactShare = 0.5;

const byScore = (a: RankedDocument, b: RankedDocument) => b.score - a.score || (a.path < b.path ? -1 : 1);

/** Names that the corpus writes in capitals, in lower case. */
function findAbbreviations(documents: Iterable<IndexedDocument>): Set<string> {
  const found = new Set<string>();
  for (const { title, headings, lead } of documents) {
    const text = [title, ...headings, lead].join('\n');
    for (const [name] of text.matchAll(/\b\p{Lu}{2,6}\b/gu)) found.add(name.toLowerCase());
  }
  return found;
}

function toCandidate(path: string, score: number, asked: readonly FoundTerm[]): RankedDocument {
  const whole = asked.reduce((sum, { idf }) => sum + idf, 0);
  const covered = asked.reduce((sum, { idf, exact, strengths }) => {
    return sum + (exact.has(path) ? idf : strengths.has(path) ? idf * inexactShare : 0);
  }, 0);
  return {
    path,
    score,
    matched: asked.filter(({ exact }) => exact.has(path)).map(({ term }) => term),
    coverage: whole === 0 ? 0 : covered / whole,
  };
}

/** Ranks over one state of the index; made anew when documents change. */
export function createRanking(index: CorpusIndex, documents: ReadonlyMap<string, IndexedDocument>): RankDocuments {
  const lookCloser = createCloserLook(documents);
  const abbreviations = findAbbreviations(documents.values());
  const vocabulary = {
    hasTerm: (term: string) => hasTerm(index, term),
    hasAbbreviation: (initials: string) => abbreviations.has(initials),
  };

  /** Where good matches refer to one another, the one that they refer to is the likelier source. */
  function addAuthority(ranked: readonly RankedDocument[]): RankedDocument[] {
    const referring = ranked.slice(0, maxReferring);
    const total = referring.reduce((sum, { score }) => sum + score, 0);
    return ranked.map((each) => {
      const names = toNames(each.path);
      const share = referring
        .filter(({ path }) => path !== each.path && names.some((name) => documents.get(path)!.mentions.includes(name)))
        .reduce((sum, { score }) => sum + score / total, 0);
      const origin = originWeight * share * each.coverage * referring[0]!.score;
      return { ...each, score: each.score * (1 + authorityWeight * share) + origin };
    });
  }

  return (question, limit) => {
    const { terms, sequence } = parseQuery(question, vocabulary);
    const found = findTerms(index, terms, documents.size);
    const asked = found.filter(({ isAsked }) => isAsked);
    const sums = new Map<string, number>();
    for (const { idf, strengths } of found) {
      for (const [path, strength] of strengths) sums.set(path, (sums.get(path) ?? 0) + idf * strength);
    }
    const best = [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, maxCandidates);
    const ranked = best.map(([path, sum]) => toCandidate(path, sum * lookCloser(path, found, sequence), asked));
    return addAuthority(ranked.sort(byScore)).sort(byScore).slice(0, limit);
  };
}
