/** PDF to blocks: one section a page, paragraphs as far as the text layer shows them. */
import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import type { Block, Extracted } from '../document.ts';
import { toLine } from '../document.ts';

/** Of pdf.js, which otherwise writes warnings to the console of whoever reads a damaged file. */
const onlyErrors = 0;

/** Words divided at the end of a line are joined again; a line that ends a sentence ends a paragraph. */
function toParagraphs(page: string): string[] {
  return page
    .replace(/(\p{Ll})-\n(\p{Ll})/gu, '$1$2')
    .split(/\n\s*\n|(?<=[.!?:])\n(?=\s*[\p{Lu}\p{N}•–-])/u)
    .map(toLine)
    .filter((paragraph) => paragraph !== '');
}

/** Rejects where the file is no PDF, is encrypted, or has no text layer. */
export async function extractPdf(bytes: Uint8Array): Promise<Extracted> {
  // The parser takes the buffer over, so it gets a copy.
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: onlyErrors });
  try {
    const { text: pages } = await extractText(pdf, { mergePages: false });
    const meta = await getMeta(pdf).catch(() => null);
    const named: unknown = meta?.info?.Title;
    const blocks = pages.flatMap((page, index): Block[] => {
      const paragraphs = toParagraphs(page);
      if (paragraphs.length === 0) return [];
      const prose = paragraphs.map((text): Block => ({ kind: 'prose', text }));
      return pages.length === 1 ? prose : [{ kind: 'heading', level: 2, text: `Page ${index + 1}` }, ...prose];
    });
    if (blocks.length === 0) throw new Error('it holds no text (scanned pages?)');
    const firstLine = toLine(pages[0]?.split('\n')[0] ?? '');
    const title = typeof named === 'string' && toLine(named) !== '' ? named : firstLine || null;
    return { title, blocks };
  } finally {
    await pdf.destroy();
  }
}
