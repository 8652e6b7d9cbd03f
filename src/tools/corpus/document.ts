/** A document once its format is gone: a title, and one plain text with known sections. */
import { sliceText } from '../../domain/text.ts';

/** What every extractor yields, in reading order. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  /** One paragraph or list item, on one line, so that its sentences can be quoted as they stand. */
  | { readonly kind: 'prose'; readonly text: string }
  /** Lines whose breaks matter: code, tables, header fields. */
  | { readonly kind: 'lines'; readonly text: string };

export type Extracted = { readonly title: string | null; readonly blocks: readonly Block[] };

export type Section = {
  readonly heading: string;
  /** 1 for the outermost headings. */
  readonly level: number;
  /** Offsets in the document's text; the section ends before the next heading of its level or above. */
  readonly start: number;
  readonly end: number;
};

export type CorpusDocument = {
  readonly title: string;
  /** Headings as `## Heading`, paragraphs on one line each, other lines between fences. Well-formed, without NUL. */
  readonly text: string;
  readonly sections: readonly Section[];
};

const fence = '```';
const maxTitleChars = 300;

/** One line of clean text: white space folded, no NUL, no lone surrogates. */
export function toLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\0\u00ad\u200b\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(Math.min(block.level, 6))} ${block.text}`;
    case 'prose':
      return block.text;
    case 'lines':
      return `${fence}\n${block.text}\n${fence}`;
    default:
      throw new Error(`unknown block ${JSON.stringify(block satisfies never)}`);
  }
}

function clean(block: Block): Block {
  if (block.kind !== 'lines') return { ...block, text: toLine(block.text) };
  const text = block.text.toWellFormed().replaceAll('\0', '').replaceAll(fence, "'''");
  return { kind: 'lines', text: text.replace(/[ \t]+$/gm, '').replace(/^\n+|\s+$/g, '') };
}

/**
 * Puts blocks together to a document. Without a title of its own the first heading gives one, else `fallbackTitle`
 * does. Empty blocks are dropped; a document of nothing but empty blocks has an empty text.
 */
export function toDocument({ title, blocks }: Extracted, fallbackTitle: string): CorpusDocument {
  const kept = blocks.map(clean).filter((block) => block.text !== '');
  const firstHeading = kept.find((block) => block.kind === 'heading')?.text;
  const name = toLine(title ?? '') || firstHeading || fallbackTitle;
  const open: { heading: string; level: number; start: number }[] = [];
  const sections: Section[] = [];
  const close = (level: number, end: number) => {
    while (open.length > 0 && open[open.length - 1]!.level >= level) sections.push({ ...open.pop()!, end });
  };
  let text = '';
  for (const block of kept) {
    if (block.kind === 'heading') {
      close(block.level, text.length);
      open.push({ heading: block.text, level: block.level, start: text.length });
    }
    text += `${renderBlock(block)}\n\n`;
  }
  text = text.trimEnd();
  close(0, text.length);
  sections.sort((a, b) => a.start - b.start || a.level - b.level);
  return { title: sliceText(name, maxTitleChars), text, sections };
}
