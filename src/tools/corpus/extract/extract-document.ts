/** Picks the extractor by the file's extension. */
import type { CorpusDocument, Extracted } from '../document.ts';
import { toDocument } from '../document.ts';
import { extractHtml } from './extract-html.ts';
import { extractMarkdown } from './extract-markdown.ts';
import { extractPdf } from './extract-pdf.ts';
import { extractRst } from './extract-rst.ts';
import { extractText } from './extract-text.ts';

const fromText: Record<string, (text: string) => Extracted> = {
  md: extractMarkdown,
  markdown: extractMarkdown,
  mdx: extractMarkdown,
  rst: extractRst,
  rest: extractRst,
  html: extractHtml,
  htm: extractHtml,
  xhtml: extractHtml,
  txt: extractText,
  text: extractText,
};

const extensionOf = (path: string) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** Whether a file of this name is a document: Markdown, reStructuredText, HTML, plain text, PDF. */
export function isDocumentPath(path: string): boolean {
  return extensionOf(path) === 'pdf' || extensionOf(path) in fromText;
}

/**
 * The document in `bytes`, read as its extension says; bytes that are no UTF-8 become U+FFFD. Rejects, in words that
 * can be shown, where the file is no text, or a PDF without any.
 */
export async function extractDocument(path: string, bytes: Uint8Array): Promise<CorpusDocument> {
  const fallbackTitle = path
    .split('/')
    .at(-1)!
    .replace(/\.[^.]+$/, '');
  const extension = extensionOf(path);
  if (extension === 'pdf') return toDocument(await extractPdf(bytes), fallbackTitle);
  const extract = fromText[extension];
  if (!extract) throw new Error(`".${extension}" is no format that is read`);
  if (isBinary(bytes)) throw new Error('it is a binary file in spite of its name');
  const document = toDocument(extract(new TextDecoder().decode(bytes)), fallbackTitle);
  if (document.text === '') throw new Error('it holds no text');
  return document;
}

/** Control characters in number: some NULs in a text are dropped, a file full of them is something else. */
function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 8_192);
  const controls = head.reduce(
    (count, byte) => count + (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) ? 1 : 0),
    0,
  );
  return head.length > 0 && controls / head.length > 0.1;
}
