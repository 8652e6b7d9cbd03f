/** Which sentences of what was read bear most on a goal. */
import type { ReadText } from '../../domain/corpus-reading.ts';
import { stemWord } from '../../domain/language/stem-word.ts';
import { toTerms } from '../../domain/language/to-terms.ts';
import { framingWords } from '../../domain/language/word-lists.ts';
import { namesInQuotes } from './name-in-quotes.ts';
import { splitSentences } from './split-sentences.ts';
import { toQuestionGoal } from './to-question-goal.ts';

export type RankedSentence = {
  readonly sourceId: string;
  /** As it stands in the text. */
  readonly quote: string;
  readonly terms: ReadonlySet<string>;
  readonly score: number;
  /** Its place among all sentences that were read. */
  readonly position: number;
};

/** What the goal asks, and what the whole run asks: both count, the goal more. */
export type SentenceQuery = { readonly goal: string; readonly question: string };

const minWords = 5;
const maxChars = 420;
const minChars = 24;
const questionWeight = 0.5;
const framingWeight = 0.2;
/** Shares of a full match of the goal's words. */
const bonus = { heading: 0.25, namedHeading: 1, phrase: 0.25, opening: 0.6, definition: 0.3 } as const;
/** Share of the goal's words from which on a sentence is about the goal. */
const fullRelevance = 0.3;
/** The opening of a text says what it is about; its weight halves after so many sentences. */
const openingHalfLife = 4;
const penalty = { reference: 0.15, introducesList: 0.6, noStop: 0.2 } as const;
/** Sections that are about the text, not about its subject. */
const sideSections =
  /^(references?|copyright|acknowledge?ments?|footnotes?|change ?log|change history|license|see also|further reading|contents?|table of contents)$/i;
/** Leans on the sentence before. */
const leaning =
  /^(it|they|he|she|these|those|however|therefore|thus|hence|so|but|and|also|then|here|such|otherwise|instead|for example|in addition|as a result|this is|that is|this means)\b/i;
/** Says what a text or a thing is for. */
const defining =
  /\b(this (document|proposal|page|paper|specification|guide|module|article|[A-Z]{2,6}|section)\b|(?:is|are) (?:a|an|the)\b|(?:propos|describ|defin|specif|introduc|provid)\w+)/;

const framingStems = new Set([...framingWords].map(stemWord));

type Located = { readonly quote: string; readonly heading: string; readonly at: number };

function* readSentences(body: string): Generator<Located> {
  let fenced = false;
  let heading = '';
  let at = 0;
  for (const line of body.split('\n')) {
    if (line === '```') fenced = !fenced;
    else if (fenced || line === '') continue;
    else if (/^#{1,6} /.test(line)) heading = line.replace(/^#+ /, '');
    else if (!sideSections.test(heading)) {
      for (const quote of splitSentences(line.replace(/^- /, ''))) yield { quote, heading, at: at++ };
    }
  }
}

function isSentence(quote: string): boolean {
  return (
    quote.length >= minChars &&
    quote.length <= maxChars &&
    quote.split(/\s+/).length >= minWords &&
    /\p{L}{3}/u.test(quote)
  );
}

function toWeights(
  { goal, question }: SentenceQuery,
  sentences: readonly { terms: ReadonlySet<string> }[],
): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, share: number) => {
    for (const term of new Set(toTerms(text))) {
      const uses = sentences.filter(({ terms }) => terms.has(term)).length;
      const idf = Math.log(1 + sentences.length / (uses + 0.5));
      const weight = share * (framingStems.has(term) ? framingWeight : 1) * (uses === 0 ? 0 : idf);
      weights.set(term, Math.max(weights.get(term) ?? 0, weight));
    }
  };
  add(goal, 1);
  if (goal !== toQuestionGoal(question)) add(question, questionWeight);
  return weights;
}

const toPairs = (terms: readonly string[]) => new Set(terms.slice(1).map((term, at) => `${terms[at]!} ${term}`));

/**
 * Whole sentences of the readings, best first, ties in reading order; the same sentence once per source. Code, tables,
 * headings, and sections about the text itself give none. `score` is about 1 where all words of the goal are there.
 */
export function rankSentences(readings: readonly ReadText[], query: SentenceQuery): RankedSentence[] {
  const located = readings.flatMap(({ sourceId, title, body, isOpening }) =>
    [...readSentences(body)]
      .filter(({ quote }) => isSentence(quote))
      .map((each) => ({
        ...each,
        sourceId,
        title,
        isOpening,
        sequence: toTerms(each.quote),
        terms: new Set(toTerms(each.quote)),
      })),
  );
  const weights = toWeights(query, located);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  const coverage = (terms: Iterable<string>) =>
    [...new Set(terms)].reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) / total;
  const goalPairs = toPairs(toTerms(query.goal));
  const seen = new Set<string>();
  const ranked: RankedSentence[] = [];
  for (const [position, each] of located.entries()) {
    const { sourceId, title, quote, heading, at, isOpening, sequence, terms } = each;
    const key = `${sourceId}\n${quote}`;
    const own = coverage(terms);
    // A title that stands as a heading names the whole document.
    const isNamed = heading !== title && namesInQuotes(query.goal, heading);
    if (seen.has(key) || (own === 0 && !isNamed)) continue;
    seen.add(key);
    // An opening or a definition is worth something as far as it is about the goal at all.
    const relevance = Math.min(1, own / fullRelevance);
    const phrases = [...toPairs(sequence)].filter((pair) => goalPairs.has(pair)).length / Math.max(1, goalPairs.size);
    const score =
      own +
      bonus.heading * coverage(toTerms(heading)) +
      (isNamed ? bonus.namedHeading : 0) +
      bonus.phrase * phrases +
      (isOpening ? bonus.opening * relevance * 0.5 ** (at / openingHalfLife) : 0) +
      (defining.test(quote) ? bonus.definition * relevance : 0) -
      (leaning.test(quote) ? penalty.reference : 0) -
      (quote.endsWith(':') ? penalty.introducesList : /[.!?)"'”`]$/.test(quote) ? 0 : penalty.noStop);
    ranked.push({ sourceId, quote, terms, score, position });
  }
  return ranked.sort((a, b) => b.score - a.score);
}

/** Whether two sentences say nearly the same: most of their words in common. */
export function isNearDuplicate(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const common = [...a].filter((term) => b.has(term)).length;
  return common / Math.max(1, a.size + b.size - common) >= 0.7;
}
