/** The part of one document that bears most on a question: its section, and a few words of it. */
import { sliceText } from '../../domain/text.ts';
import { toTerms } from '../../domain/language/to-terms.ts';
import type { CorpusDocument, Section } from './document.ts';

export type Passage = { readonly section: string | null; readonly snippet: string };

const maxParts = 30;
const maxSnippetChars = 280;
/** A word in a heading says more than the same word below it. */
const headingWeight = 1.5;
/** Frequency of a word beyond which more of it hardly counts (BM25's k1). */
const saturation = 1.2;

/** Cuts to `maxChars` at the end of a word; what was cut is marked. */
export function toSnippet(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = sliceText(text, maxChars - 1).replace(/\s+\S*$/, '');
  return `${cut}…`;
}

/** The part of each section above its first subsection, and the text before the first heading. */
type Part = { readonly section: Section | null; readonly text: string };

function toParts(document: CorpusDocument): Part[] {
  const starts = [...document.sections.map(({ start }) => start), document.text.length];
  const before = { section: null, text: document.text.slice(0, starts[0]) };
  return [
    before,
    ...document.sections.map((section, at) => ({ section, text: document.text.slice(section.start, starts[at + 1]) })),
  ];
}

function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of toTerms(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** The parts that hold most of the terms, found by their beginnings: counting the words of every part takes too long. */
function preselect(parts: readonly Part[], terms: readonly string[]): readonly Part[] {
  const beginnings = terms.map((term) => term.slice(0, Math.max(3, term.length - 2)));
  const hits = ({ text }: Part) => {
    const lower = text.toLowerCase();
    return beginnings.filter((beginning) => lower.includes(beginning)).length;
  };
  const counted = parts.map((part) => ({ part, hits: hits(part) }));
  return counted
    .sort((a, b) => b.hits - a.hits)
    .slice(0, maxParts)
    .map(({ part }) => part);
}

/** Without any word of the question in the document: its beginning. */
export function findPassage(document: CorpusDocument, question: string): Passage {
  const terms = [...new Set(toTerms(question))];
  const parts = preselect(toParts(document), terms).map((part) => ({ ...part, counts: countTerms(part.text) }));
  const weights = terms.map((term) => {
    const uses = parts.filter(({ counts }) => counts.has(term)).length;
    return { term, weight: Math.log(1 + parts.length / (uses + 0.5)) };
  });
  const score = (counts: ReadonlyMap<string, number>) =>
    weights.reduce((sum, { term, weight }) => {
      const count = counts.get(term) ?? 0;
      return sum + (weight * count) / (count + saturation);
    }, 0);
  const scorePart = ({ section, counts }: Part & { counts: ReadonlyMap<string, number> }) =>
    score(counts) + headingWeight * score(countTerms(section?.heading ?? ''));
  const best = pickBest(parts, scorePart)!;
  const lines = best.text.split('\n').filter((line) => line !== '' && line !== '```' && !line.startsWith('#'));
  const line = pickBest(lines, (text) => score(countTerms(text))) ?? '';
  return { section: best.section?.heading ?? null, snippet: toSnippet(line, maxSnippetChars) };
}

/** The first of those with the highest score. */
function pickBest<T>(items: readonly T[], score: (item: T) => number): T | undefined {
  let best: { item: T; score: number } | undefined;
  for (const item of items) {
    const next = score(item);
    if (best === undefined || next > best.score) best = { item, score: next };
  }
  return best?.item;
}
