/** How well title, headings and opening of a document answer a question as a whole, beyond the sum of its terms. */
import { toTerms } from '../../domain/language/to-terms.ts';
import type { IndexedDocument } from './corpus-index.ts';
import type { FoundTerm } from './find-terms.ts';

/** Each as a share of the score by terms. The order of documents hardly depends on the exact values. */
const weights = {
  titleCoverage: 1,
  titlePrecision: 1,
  titlePhrase: 0.3,
  leadPhrase: 0.2,
  headingPhrase: 0.2,
  leadCoverage: 0.4,
} as const;
const supersededFactor = 0.9;

type Analysis = {
  readonly title: readonly string[];
  readonly lead: readonly string[];
  readonly headings: readonly string[];
};

/** The factor on the score by terms: 1 where nothing but scattered words speaks for the document. */
export type LookCloser = (path: string, found: readonly FoundTerm[], sequence: readonly string[]) => number;

/** Share of the question's weight that is in `terms`. */
function toCoverage(found: readonly FoundTerm[], terms: readonly string[]): number {
  const present = new Set(terms);
  for (const { term, standsFor } of found) if (present.has(term)) for (const long of standsFor) present.add(long);
  const sum = (list: readonly FoundTerm[]) => list.reduce((total, { idf }) => total + idf, 0);
  const whole = sum(found.filter(({ isAsked }) => isAsked));
  return whole === 0 ? 0 : Math.min(1, sum(found.filter(({ term }) => present.has(term))) / whole);
}

/** Share of the question's adjacent pairs of terms that are adjacent in `sequence` too. */
function toPhraseShare(asked: readonly string[], sequence: readonly string[]): number {
  if (asked.length < 2) return 0;
  const pairs = new Set(sequence.slice(1).map((term, index) => `${sequence[index]!}\n${term}`));
  return asked.slice(1).filter((term, index) => pairs.has(`${asked[index]!}\n${term}`)).length / (asked.length - 1);
}

export function createCloserLook(documents: ReadonlyMap<string, IndexedDocument>): LookCloser {
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

  return (path, found, sequence) => {
    const { title, lead, headings } = analyse(path);
    const titleCoverage = toCoverage(found, title);
    const precision = toTitlePrecision(title, new Set(found.map(({ term }) => term)));
    const look =
      1 +
      weights.titleCoverage * titleCoverage +
      weights.titlePrecision * precision * Math.sqrt(titleCoverage) +
      weights.titlePhrase * toPhraseShare(sequence, title) +
      weights.leadPhrase * toPhraseShare(sequence, lead) +
      weights.headingPhrase * toPhraseShare(sequence, headings) +
      weights.leadCoverage * toCoverage(found, lead);
    return look * (documents.get(path)!.isSuperseded ? supersededFactor : 1);
  };
}
