/** The characters of a page: by its byte order mark, else the header, else what it says of itself, else UTF-8. */
import type { FetchedPage } from './fetch-page.ts';

/** Where a page says what it is written in. */
const headBytes = 2_048;

export function decodePage({ bytes, contentType }: FetchedPage, isHtml: boolean): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, headBytes));
  const named = byMark(bytes) ?? /charset=["']?([^\s"';,]+)/.exec(contentType)?.[1] ?? bySelf(head, isHtml) ?? 'utf-8';
  try {
    return new TextDecoder(named).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // nobody knows that name
  }
}

function byMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : null;
}

function bySelf(head: string, isHtml: boolean): string | null {
  const inXml = /^<\?xml[^>]+encoding=["']([\w-]+)/i.exec(head)?.[1];
  const inHtml = isHtml ? /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1] : undefined;
  const named = inXml ?? inHtml ?? null;
  // It was read byte by byte just now, so it cannot be written in two-byte units.
  return named !== null && /^utf-?16/i.test(named) ? 'utf-8' : named;
}
