/** The index over documents: MiniSearch (BM25+) with fields, and the few facts of each document that ranking needs. */
import { sliceText } from '../../domain/text.ts';
import MiniSearch from 'minisearch';
import { toTerms } from '../../domain/language/to-terms.ts';
import { findMentions } from './find-mentions.ts';
import type { CorpusDocument } from './document.ts';

/** What is kept of a document beside its terms. */
export type IndexedDocument = {
  readonly title: string;
  readonly headings: readonly string[];
  /** Its first words of prose. */
  readonly lead: string;
  /** Its own header says that another document has taken its place. */
  readonly isSuperseded: boolean;
  /** Names of documents that it refers to, as `toNames` spells them; they need not exist. */
  readonly mentions: readonly string[];
};

export const fieldWeights = { title: 6, identifiers: 3, headings: 2.5, lead: 2.5, body: 1 } as const;
const maxLeadChars = 700;
const maxHeadings = 60;
const maxIdentifiers = 30;
const minIdentifierUses = 3;

type Fields = { id: string } & Record<keyof typeof fieldWeights, string>;

/** Adjacent words as one, so that "data class" and "dataclass" meet. */
export function toJoinedPairs(terms: readonly string[]): string[] {
  return terms
    .slice(1)
    .map((term, index) => `${terms[index]!}${term}`)
    .filter((pair) => /^[\p{L}\p{N}]+$/u.test(pair));
}

const withPairs = (text: string) => {
  const terms = toTerms(text);
  return [...terms, ...toJoinedPairs(terms)];
};

const indexOptions = {
  fields: Object.keys(fieldWeights),
  tokenize: (text: string, field?: string) =>
    field === 'title' || field === 'headings' ? text.split('\n').flatMap(withPairs) : toTerms(text),
  processTerm: (term: string) => term,
  autoVacuum: false,
};

export type CorpusIndex = MiniSearch<Fields>;

export function createIndex(): CorpusIndex {
  return new MiniSearch<Fields>(indexOptions);
}

/** Throws where `json` is no serialized index. */
export function loadIndex(json: unknown): CorpusIndex {
  return MiniSearch.loadJS<Fields>(json as never, indexOptions);
}

const supersededField = /^(?:Superseded|Obsoleted|Replaced)-By:\s*\S/im;
const maxHeaderChars = 1_000;

/** Prose paragraphs of the document's text, code and headings left out. */
function* readProse(text: string): Generator<string> {
  let fenced = false;
  for (const line of text.split('\n')) {
    if (line === '```') fenced = !fenced;
    else if (!fenced && line !== '' && !line.startsWith('#')) yield line;
  }
}

function toLead(text: string): string {
  let lead = '';
  for (const paragraph of readProse(text)) {
    lead += `${paragraph}\n`;
    if (lead.length >= maxLeadChars) break;
  }
  return sliceText(lead, maxLeadChars);
}

/** Names from the path, and the pieces of inline code that the document comes back to. */
function toIdentifiers(path: string, text: string): string {
  const uses = new Map<string, number>();
  for (const [, code] of text.matchAll(/`([^`\n]{2,60})`/g)) uses.set(code!, (uses.get(code!) ?? 0) + 1);
  const frequent = [...uses].filter(([, count]) => count >= minIdentifierUses).sort(([, a], [, b]) => b - a);
  return [path.replace(/\.[^./]+$/, ''), ...frequent.slice(0, maxIdentifiers).map(([code]) => code)].join('\n');
}

/** Adds a document, in place of the one that had its path. */
export function addDocument(
  index: CorpusIndex,
  path: string,
  document: CorpusDocument,
  source: string,
): IndexedDocument {
  if (index.has(path)) index.discard(path);
  const headings = document.sections.map(({ heading }) => heading).filter((heading) => heading !== document.title);
  const lead = toLead(document.text);
  index.add({
    id: path,
    title: document.title,
    headings: headings.join('\n'),
    identifiers: toIdentifiers(path, document.text),
    lead,
    body: document.text,
  });
  return {
    title: document.title,
    headings: headings.slice(0, maxHeadings),
    lead,
    isSuperseded: supersededField.test(document.text.slice(0, maxHeaderChars)),
    mentions: findMentions(path, source),
  };
}
