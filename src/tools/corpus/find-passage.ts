/** The part of one document that bears most on a question: its section, and a few words of it. */
import { toTerms } from '../../domain/language/to-terms.ts';
import type { CorpusDocument, Section } from './document.ts';

export type Passage = { readonly section: string | null; readonly snippet: string };

const maxSnippetChars = 280;
/** A word in a heading says more than the same word below it. */
const headingWeight = 1.5;
/** Frequency of a word beyond which more of it hardly counts (BM25's k1). */
const saturation = 1.2;

/** Cuts to `maxChars` at the end of a word; what was cut is marked. */
export function toSnippet(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars - 1).replace(/\s+\S*$/, '');
  return `${cut.toWellFormed()}…`;
}

/** The part of each section above its first subsection, and the text before the first heading. */
function toParts(document: CorpusDocument): { section: Section | null; text: string }[] {
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

/** Without any word of the question in the document: its beginning. */
export function findPassage(document: CorpusDocument, question: string): Passage {
  const terms = [...new Set(toTerms(question))];
  const parts = toParts(document).map((part) => ({ ...part, counts: countTerms(part.text) }));
  const weights = terms.map((term) => {
    const uses = parts.filter(({ counts }) => counts.has(term)).length;
    return { term, weight: Math.log(1 + parts.length / (uses + 0.5)) };
  });
  const score = (counts: ReadonlyMap<string, number>) =>
    weights.reduce((sum, { term, weight }) => {
      const count = counts.get(term) ?? 0;
      return sum + (weight * count) / (count + saturation);
    }, 0);
  const scored = parts.map((part) => ({
    ...part,
    score: score(part.counts) + headingWeight * score(countTerms(part.section?.heading ?? '')),
  }));
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  const lines = best.text.split('\n').filter((line) => line !== '' && line !== '```' && !line.startsWith('#'));
  const line = lines
    .map((text) => ({ text, score: score(countTerms(text)) }))
    .reduce((a, b) => (b.score > a.score ? b : a), {
      text: '',
      score: -1,
    });
  return { section: best.section?.heading ?? null, snippet: toSnippet(line.text, maxSnippetChars) };
}
