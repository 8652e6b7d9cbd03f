/** Text of a model, a tool or a page, made fit to be shown: no control characters, nothing that reorders what is read. */

// C0 and C1 controls but line break and tab, and the marks that change the direction of text without being seen.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g; // eslint-disable-line no-control-regex

/** Keeps line breaks and tabs. */
export function toDisplayText(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(unseen, '');
}

/** One line, white space collapsed. */
export function toDisplayLine(text: string): string {
  return toDisplayText(text.replace(/\s+/g, ' ')).replace(/ +/g, ' ').trim();
}
