/** A question as weighed terms: what it is about counts, the words it is asked in hardly. */
import { stemWord } from '../../domain/language/stem-word.ts';
import { toTerms, toTokens } from '../../domain/language/to-terms.ts';
import { framingWords, stopWords } from '../../domain/language/word-lists.ts';
import { toJoinedPairs } from './corpus-index.ts';

export type QueryTerm = {
  readonly term: string;
  readonly weight: number;
  /** A word of the question, as against a part, a joined pair or an abbreviation made from it. */
  readonly isAsked: boolean;
  /** A word by which one asks, in a question that has others. */
  readonly isFraming: boolean;
  /** The asked terms that an abbreviation stands for. */
  readonly standsFor: readonly string[];
};

export type Query = {
  readonly terms: readonly QueryTerm[];
  /** The asked terms in order. */
  readonly sequence: readonly string[];
};

const weights = {
  framing: 0.25,
  /** Part of a compound that is known itself. */
  part: 0.35,
  /** "dataclass" for "data class". */
  pair: 0.5,
  /** "gil" for "global interpreter lock". */
  abbreviation: 0.7,
} as const;

/** A question may be a page long; each term is a search of its own. */
const maxTokens = 64;
const framingStems = new Set([...framingWords].map(stemWord));
const isContent = (word: string) => !stopWords.has(word) && !framingWords.has(word);
const abbreviationLengths = [3, 4, 5];

/** What the corpus knows: terms that stand anywhere in it, and names that it writes in capitals, in lower case here. */
export type Vocabulary = {
  hasTerm(term: string): boolean;
  hasAbbreviation(initials: string): boolean;
};

/** Never empty for a question that holds a word: where all of them only ask, all of them count in full. */
export function parseQuery(question: string, vocabulary: Vocabulary): Query {
  const tokens = toTokens(question).slice(0, maxTokens);
  const sequence = tokens.map(({ term }) => term);
  const isAllFraming = sequence.every((term) => framingStems.has(term));
  const found = new Map<string, QueryTerm>();
  const add = (term: string, weight: number, isAsked: boolean, standsFor: readonly string[] = []) => {
    const before = found.get(term);
    // A word that is asked for twice counts more, but not twice.
    const sum =
      before === undefined ? weight : Math.max(before.weight, weight) + (before.isAsked && isAsked ? weight / 2 : 0);
    found.set(term, {
      term,
      weight: sum,
      isAsked: isAsked || (before?.isAsked ?? false),
      isFraming: framingStems.has(term) && !isAllFraming,
      standsFor,
    });
  };
  for (const { term, parts } of tokens) {
    const weight = framingStems.has(term) && !isAllFraming ? weights.framing : 1;
    add(term, weight, true);
    for (const part of parts) add(part, vocabulary.hasTerm(term) ? weight * weights.part : weight, false);
  }
  for (const pair of toJoinedPairs(sequence)) if (vocabulary.hasTerm(pair)) add(pair, weights.pair, false);
  const words: readonly string[] = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const length of abbreviationLengths) {
    for (let at = 0; at + length <= words.length; at++) {
      const long = words.slice(at, at + length);
      const initials = long.map((word) => word[0]!).join('');
      if (long.every(isContent) && !words.includes(initials) && vocabulary.hasAbbreviation(initials)) {
        add(initials, weights.abbreviation, false, long.flatMap(toTerms));
      }
    }
  }
  return { terms: [...found.values()], sequence };
}
