/** The words between the marks of a report: entities as the characters they stand for, line breaks, numbered citations. */
import { toDisplayText } from './display-text.ts';
import type { Inline } from './report-node.ts';

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  euro: '€',
  pound: '£',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  copy: '©',
  reg: '®',
  trade: '™',
};
const entity = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,6}));/g;
const breakOrMarker = /(<br\s*\/?>)|\[(\d{1,4})\]/gi;

/** Names that are not known stay as they stand. */
export function decodeEntities(text: string): string {
  return text.replace(entity, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? named[name]! : whole;
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex!, 16);
    return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
  });
}

/**
 * `isCited` says whether a number is a citation of the run. A number behind a word (`rows[0]`) that is none is an index;
 * any other that is none is a citation of something that does not exist.
 */
export function readInlineText(text: string, isCited: (number: number) => boolean): Inline[] {
  const found: Inline[] = [];
  let done = 0;
  const addText = (end: number) => {
    const words = toDisplayText(decodeEntities(text.slice(done, end)));
    if (words !== '') found.push({ kind: 'text', text: words });
  };
  for (const match of text.matchAll(breakOrMarker)) {
    const number = Number(match[2]);
    const isIndex = match[1] === undefined && !isCited(number) && /[\w)]/.test(text[match.index - 1] ?? '');
    if (isIndex) continue;
    addText(match.index);
    done = match.index + match[0].length;
    if (match[1] !== undefined) found.push({ kind: 'break' });
    else found.push({ kind: isCited(number) ? 'citation' : 'unknown-citation', number });
  }
  addText(text.length);
  return found;
}
