/** How strong each document is in each term of a question. */
import type { CorpusIndex } from './corpus-index.ts';
import { fieldWeights } from './corpus-index.ts';
import type { QueryTerm } from './parse-query.ts';

const minPrefixChars = 5;
/** A match by prefix or by spelling counts this share of an exact one. */
const inexactWeight = 0.3;
/** Letters. */
const maxSpellingDistance = 1;
/** Below 1: the second best document for a term is nearly as good as the best. */
const relativeExponent = 0.6;

/** A term with its weight by rarity. */
export type FoundTerm = QueryTerm & {
  readonly idf: number;
  /** By path: 1 is the best document for the term. Documents with a word close to it are there too … */
  readonly strengths: ReadonlyMap<string, number>;
  /** … those that have the term itself are here. */
  readonly exact: ReadonlySet<string>;
};

const asOneTerm = { tokenize: (text: string) => [text] };

export function hasTerm(index: CorpusIndex, term: string): boolean {
  return index.search(term, asOneTerm).length > 0;
}

function findTerm(index: CorpusIndex, query: QueryTerm, documents: number): FoundTerm {
  const base = { ...asOneTerm, fields: Object.keys(fieldWeights), boost: fieldWeights };
  const exact = index.search(query.term, base);
  const isLongWord = query.isAsked && /^\p{L}+$/u.test(query.term) && query.term.length >= minPrefixChars;
  const results = isLongWord
    ? index.search(query.term, {
        ...base,
        prefix: true,
        // Spelling is doubted only where the word stands nowhere.
        fuzzy: exact.length === 0 ? maxSpellingDistance : false,
        weights: { prefix: inexactWeight, fuzzy: inexactWeight },
      })
    : exact;
  const scores = results.map(({ id, score, terms }) => ({ path: id as string, score: score / terms.length }));
  const best = Math.max(...scores.map(({ score }) => score));
  const idf = Math.log(1 + documents / (exact.length + 0.5));
  return {
    ...query,
    // A word of asking is none the more important for being rare.
    idf: query.weight * (query.isFraming ? Math.min(idf, 1) : idf),
    exact: new Set(exact.map(({ id }) => id as string)),
    strengths: new Map(scores.map(({ path, score }) => [path, (score / best) ** relativeExponent])),
  };
}

/** A document is as strong in a word as in the abbreviation that stands for it. */
function spreadAbbreviations(found: readonly FoundTerm[]): FoundTerm[] {
  return found.map((each) => {
    const strengths = new Map(each.strengths);
    for (const short of found.filter(({ standsFor }) => standsFor.includes(each.term))) {
      for (const [path, strength] of short.strengths) strengths.set(path, Math.max(strength, strengths.get(path) ?? 0));
    }
    return { ...each, strengths };
  });
}

/** Relative to the best document for a term, so that a rare word in the body outweighs a common one in a title. */
export function findTerms(index: CorpusIndex, terms: readonly QueryTerm[], documents: number): FoundTerm[] {
  return spreadAbbreviations(terms.map((term) => findTerm(index, term, documents)));
}
