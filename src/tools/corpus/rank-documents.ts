/** Which documents bear on a question: BM25+ term by term, then how well title, headings and lead answer it as a whole. */
import { toTerms } from '../../domain/language/to-terms.ts';
import type { CorpusIndex, IndexedDocument } from './corpus-index.ts';
import { fieldWeights } from './corpus-index.ts';
import { toNames } from './find-mentions.ts';
import type { QueryTerm } from './parse-query.ts';
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

const minPrefixChars = 5;
/** A match by prefix or by spelling counts this share of an exact one. */
const inexactWeight = 0.3;
/** … and makes up for this share of the word in the coverage of a question. */
const inexactShare = 0.5;
/** Letters. */
const maxSpellingDistance = 1;
/** How many of the best by terms are looked at closely, and how many of those refer to one another. */
const maxCandidates = 60;
const maxReferring = 12;
/** Below 1: the second best document for a term is nearly as good as the best. */
const relativeExponent = 0.6;

/** The closer look, each as a share of the score by terms. The order of documents hardly depends on the exact values. */
const closer = {
  titleCoverage: 1,
  titlePrecision: 1,
  titlePhrase: 0.3,
  leadPhrase: 0.2,
  headingPhrase: 0.2,
  leadCoverage: 0.4,
  authority: 1.3,
  /** As a share of the best score: the origin of a thing need not have it in its title. */
  origin: 0.3,
};
const supersededFactor = 0.9;

/** A term with how rare it is and how strong each document is in it, from 0 to 1. */
type Found = QueryTerm & {
  readonly idf: number;
  readonly strengths: ReadonlyMap<string, number>;
  readonly exact: ReadonlySet<string>;
};

type Analysis = {
  readonly title: readonly string[];
  readonly lead: readonly string[];
  readonly headings: readonly string[];
};

const asOneTerm = { tokenize: (text: string) => [text] };

function findTerm(index: CorpusIndex, query: QueryTerm, documents: number): Found {
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
function spreadAbbreviations(found: readonly Found[]): Found[] {
  return found.map((each) => {
    const strengths = new Map(each.strengths);
    for (const short of found.filter(({ standsFor }) => standsFor.includes(each.term))) {
      for (const [path, strength] of short.strengths) strengths.set(path, Math.max(strength, strengths.get(path) ?? 0));
    }
    return { ...each, strengths };
  });
}

/** Share of the question's weight that is in `terms`. */
function toCoverage(found: readonly Found[], terms: readonly string[]): number {
  const present = new Set(terms);
  for (const { term, standsFor } of found) if (present.has(term)) for (const long of standsFor) present.add(long);
  const sum = (list: readonly Found[]) => list.reduce((total, { idf }) => total + idf, 0);
  const whole = sum(found.filter(({ isAsked }) => isAsked));
  return whole === 0 ? 0 : Math.min(1, sum(found.filter(({ term }) => present.has(term))) / whole);
}

/** Share of the question's adjacent pairs of terms that are adjacent in `sequence` too. */
function toPhraseShare(asked: readonly string[], sequence: readonly string[]): number {
  if (asked.length < 2) return 0;
  const pairs = new Set(sequence.slice(1).map((term, index) => `${sequence[index]!}\n${term}`));
  return asked.slice(1).filter((term, index) => pairs.has(`${asked[index]!}\n${term}`)).length / (asked.length - 1);
}

const byScore = (a: RankedDocument, b: RankedDocument) => b.score - a.score || (a.path < b.path ? -1 : 1);

/** Ranks over one state of the index; made anew when documents change. */
export function createRanking(index: CorpusIndex, documents: ReadonlyMap<string, IndexedDocument>): RankDocuments {
  const analyses = new Map<string, Analysis>();
  const titleUses = new Map<string, number>();
  for (const { title } of documents.values()) {
    for (const term of new Set(toTerms(title))) titleUses.set(term, (titleUses.get(term) ?? 0) + 1);
  }
  const titleIdf = (term: string) => Math.log(1 + documents.size / (titleUses.get(term) ?? 1));

  function analyse(path: string): Analysis {
    const known = analyses.get(path);
    if (known) return known;
    const { title, lead, headings } = documents.get(path)!;
    const analysis = {
      title: toTerms(title),
      lead: toTerms(lead),
      headings: headings.flatMap((heading) => [...toTerms(heading), '\n']),
    };
    analyses.set(path, analysis);
    return analysis;
  }

  /** Share of the title that the question speaks of; a word that many titles have counts little. */
  function toTitlePrecision(title: readonly string[], asked: ReadonlySet<string>): number {
    const sum = (terms: readonly string[]) => terms.reduce((total, term) => total + titleIdf(term), 0);
    return title.length === 0 ? 0 : sum(title.filter((term) => asked.has(term))) / sum(title);
  }

  function toFactor(path: string, found: readonly Found[], sequence: readonly string[]): number {
    const { title, lead, headings } = analyse(path);
    const titleCoverage = toCoverage(found, title);
    const precision = toTitlePrecision(title, new Set(found.map(({ term }) => term)));
    const look =
      1 +
      closer.titleCoverage * titleCoverage +
      closer.titlePrecision * precision * Math.sqrt(titleCoverage) +
      closer.titlePhrase * toPhraseShare(sequence, title) +
      closer.leadPhrase * toPhraseShare(sequence, lead) +
      closer.headingPhrase * toPhraseShare(sequence, headings) +
      closer.leadCoverage * toCoverage(found, lead);
    return look * (documents.get(path)!.isSuperseded ? supersededFactor : 1);
  }

  /** Where good matches refer to one another, the one that they refer to is the likelier source. */
  function addAuthority(ranked: readonly RankedDocument[]): RankedDocument[] {
    const referring = ranked.slice(0, maxReferring);
    const total = referring.reduce((sum, { score }) => sum + score, 0);
    return ranked.map((each) => {
      const names = toNames(each.path);
      const share = referring
        .filter(({ path }) => path !== each.path && names.some((name) => documents.get(path)!.mentions.includes(name)))
        .reduce((sum, { score }) => sum + score / total, 0);
      const origin = closer.origin * share * each.coverage * referring[0]!.score;
      return { ...each, score: each.score * (1 + closer.authority * share) + origin };
    });
  }

  return (question, limit) => {
    const { terms, sequence } = parseQuery(question, (term) => index.search(term, asOneTerm).length > 0);
    const found = spreadAbbreviations(terms.map((term) => findTerm(index, term, documents.size)));
    const sums = new Map<string, number>();
    for (const { idf, strengths } of found) {
      for (const [path, strength] of strengths) sums.set(path, (sums.get(path) ?? 0) + idf * strength);
    }
    const asked = found.filter(({ isAsked }) => isAsked);
    const whole = asked.reduce((sum, { idf }) => sum + idf, 0);
    const share = ({ idf, exact, strengths }: Found, path: string) =>
      exact.has(path) ? idf : strengths.has(path) ? idf * inexactShare : 0;
    const candidates = [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, maxCandidates);
    const ranked = candidates.map(([path, score]): RankedDocument => {
      return {
        path,
        score: score * toFactor(path, found, sequence),
        matched: asked.filter(({ exact }) => exact.has(path)).map(({ term }) => term),
        coverage: whole === 0 ? 0 : asked.reduce((sum, term) => sum + share(term, path), 0) / whole,
      };
    });
    return addAuthority(ranked.sort(byScore)).sort(byScore).slice(0, limit);
  };
}
