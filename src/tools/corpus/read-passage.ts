/** A piece of a document: from its beginning, from an offset, or one section with its subsections. */
import { toTerms } from '../../domain/language/to-terms.ts';
import type { CorpusPassage } from './corpus.ts';
import type { CorpusDocument, Section } from './document.ts';

const maxListedHeadings = 40;
/** A piece ends at a line break if that costs at most this share of it. */
const maxLostShare = 0.2;

/** By its heading as it stands, else by its words in any case and form. */
function findSection(document: CorpusDocument, name: string): Section | undefined {
  const toKey = (text: string) => toTerms(text).join(' ');
  const wanted = name.replace(/^#+\s*/, '').trim();
  return (
    document.sections.find(({ heading }) => heading === wanted) ??
    document.sections.find(({ heading }) => toKey(heading) !== '' && toKey(heading) === toKey(wanted))
  );
}

/** Never cuts a character in two. */
function findEnd(text: string, from: number, maxChars: number): number {
  if (text.length - from <= maxChars) return text.length;
  const end = from + maxChars;
  const lineEnd = text.lastIndexOf('\n', end);
  if (lineEnd > from + maxChars * (1 - maxLostShare)) return lineEnd + 1;
  return isInsidePair(text, end) && end - 1 > from ? end - 1 : end;
}

const isInsidePair = (text: string, at: number) => /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1));

/** Throws, in words for the model, where there is no such section or the offset lies behind the end. */
export function readPassage(
  document: CorpusDocument,
  options: { readonly section?: string; readonly offset?: number; readonly maxChars: number },
): Pick<CorpusPassage, 'section' | 'text' | 'offset' | 'totalChars' | 'nextOffset'> {
  const section = options.section === undefined ? undefined : findSection(document, options.section);
  if (options.section !== undefined && section === undefined) {
    const headings = document.sections.slice(0, maxListedHeadings).map(({ heading }) => heading);
    throw new Error(
      headings.length === 0
        ? `"${document.title}" has no sections; read it without one`
        : `"${document.title}" has no section ${JSON.stringify(options.section)}; it has: ${headings.join(' · ')}`,
    );
  }
  const whole = section ? document.text.slice(section.start, section.end).trimEnd() : document.text;
  const wanted = options.offset ?? 0;
  if (wanted >= whole.length)
    throw new Error(`offset ${wanted} lies behind the end: there are ${whole.length} characters`);
  const offset = wanted > 0 && isInsidePair(whole, wanted) ? wanted + 1 : wanted;
  const end = findEnd(whole, offset, options.maxChars);
  return {
    ...(section && { section: section.heading }),
    text: whole.slice(offset, end),
    offset,
    totalChars: whole.length,
    nextOffset: end < whole.length ? end : null,
  };
}
