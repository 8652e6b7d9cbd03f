/** From the bytes of a page to readable text. */
import type { CorpusDocument } from '../corpus/document.ts';
import { toDocument } from '../corpus/document.ts';
import { extractHtml } from '../corpus/extract/extract-html.ts';
import { extractMarkdown } from '../corpus/extract/extract-markdown.ts';
import { extractPdf } from '../corpus/extract/extract-pdf.ts';
import { extractText } from '../corpus/extract/extract-text.ts';
import { refused } from './check-url.ts';
import type { FetchedPage } from './fetch-page.ts';

/** Beyond this the libraries for HTML take too long; what comes first is read. */
const maxHtmlChars = 2_000_000;

/** Throws, in words for the model, where the page is no text, or holds none. */
export async function readPage({ url, contentType, bytes }: FetchedPage): Promise<CorpusDocument> {
  const document = await toText(url, contentType, bytes);
  if (document.text === '') throw new Error('the page holds no text; it may need a browser');
  return document;
}

async function toText(url: string, contentType: string, bytes: Uint8Array): Promise<CorpusDocument> {
  const type = contentType.split(';', 1)[0]!.trim();
  const title = titleOf(url);
  if (type === 'application/pdf' || isPdf(bytes)) return toDocument(await extractPdf(bytes), title);
  const isHtml = /^(text\/html|application\/xhtml\+xml)$/.test(type) || (type === '' && looksLikeHtml(bytes));
  if (isHtml) return toDocument(extractHtml(decode(bytes, contentType).slice(0, maxHtmlChars)), title);
  if (type === 'text/markdown') return toDocument(extractMarkdown(decode(bytes, contentType)), title);
  if (type === '' || /^text\/|^application\/(.+\+)?(json|xml|yaml)$/.test(type)) {
    return toDocument(extractText(decode(bytes, contentType)), title);
  }
  throw refused(`a page of type ${/^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'unknown'} is no text`);
}

/** By the header, else by what an HTML page says of itself, else UTF-8. */
function decode(bytes: Uint8Array, contentType: string): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 2_048));
  const named =
    /charset=["']?([\w-]+)/.exec(contentType)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(named).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function isPdf(bytes: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-';
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  return /<(!doctype html|html|head|body)[\s>]/i.test(new TextDecoder('latin1').decode(bytes.subarray(0, 1_024)));
}

function titleOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname === '/' ? '' : pathname}`;
}
