/** From the bytes of a page to readable text. */
import type { CorpusDocument, Extracted } from '../corpus/document.ts';
import { toDocument } from '../corpus/document.ts';
import { extractHtml } from '../corpus/extract/extract-html.ts';
import { extractMarkdown } from '../corpus/extract/extract-markdown.ts';
import { extractPdf } from '../corpus/extract/extract-pdf.ts';
import { extractText } from '../corpus/extract/extract-text.ts';
import { refused } from './check-url.ts';
import { completeHtml } from './complete-html.ts';
import { decodePage } from './decode-page.ts';
import type { FetchedPage } from './fetch-page.ts';
import { runWithin } from './run-within.ts';
import { PlainError } from './to-fetch-error.ts';

/** Beyond this the libraries for HTML take too long; what comes first is read. */
const maxHtmlChars = 500_000;
/** Below the heartbeat time-out: nothing else of the worker runs meanwhile. */
const extractMs = 3_500;

export type ReadPage = {
  readonly document: CorpusDocument;
  /** Only the beginning of the page was read. */
  readonly isCut: boolean;
};

/** Throws, in words for the model, where the page is no text, or holds none, or is made to take for ever. */
export async function readPage(page: FetchedPage): Promise<ReadPage> {
  const { document, isCut } = isPdf(page) ? await readPdf(page) : readText(page);
  if (document.text === '') throw new PlainError('the page holds no text; it may need a browser');
  // Titles are shown on terminals.
  const title = document.title.replace(/\p{Cc}/gu, '').trim() || titleOf(page.url);
  return { document: { ...document, title }, isCut };
}

async function readPdf({ url, bytes }: FetchedPage): Promise<ReadPage> {
  const extracted = await extractPdf(bytes).catch((error: unknown) => {
    throw new PlainError(`the PDF could not be read: ${String((error as Error).message)}`);
  });
  return { document: toDocument(extracted, titleOf(url)), isCut: false };
}

function readText(page: FetchedPage): ReadPage {
  const type = mediaTypeOf(page);
  const isHtml = /^(text\/html|application\/xhtml\+xml)$/.test(type) || (type === '' && looksLikeHtml(page));
  const isText = isHtml || type === '' || /^text\/|^application\/(.+\+)?(json|xml|yaml)$/.test(type);
  if (!isText) throw refused(`a page of type ${/^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'unknown'} is no text`);
  const text = decodePage(page, isHtml);
  if (text.slice(0, 1_024).includes('\0')) throw refused('the page is no text');
  const extract = isHtml
    ? (html: string) => extractHtml(completeHtml(html))
    : type === 'text/markdown'
      ? extractMarkdown
      : extractText;
  const read = isHtml ? text.slice(0, maxHtmlChars) : text;
  return { document: runExtract(() => extract(read), titleOf(page.url)), isCut: read.length < text.length };
}

/** A page can be written so that the parsers need hours for it, or nest it deeper than the stack. */
function runExtract(extract: () => Extracted, title: string): CorpusDocument {
  const outcome = runWithin(extractMs, () => toDocument(extract(), title));
  if (outcome.kind === 'done') return outcome.value;
  throw new PlainError('the page is built in a way that cannot be turned into text');
}

function mediaTypeOf({ contentType }: FetchedPage): string {
  return contentType.split(';', 1)[0]!.trim();
}

function isPdf(page: FetchedPage): boolean {
  return mediaTypeOf(page) === 'application/pdf' || headOf(page, 5) === '%PDF-';
}

function looksLikeHtml(page: FetchedPage): boolean {
  return /<(!doctype html|html|head|body)[\s>]/i.test(headOf(page, 1_024));
}

function headOf({ bytes }: FetchedPage, length: number): string {
  return new TextDecoder('latin1').decode(bytes.subarray(0, length));
}

function titleOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname === '/' ? '' : pathname}`;
}
