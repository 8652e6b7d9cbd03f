/** Text of a model, a document or a user, made safe for a terminal: no escape sequence, no control character. */
import { stripVTControlCharacters } from 'node:util';

// C0 and C1 controls, and the characters that reorder text on screen without being seen.
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g; // eslint-disable-line no-control-regex

/** Keeps line breaks and tabs; for reports. */
export function toPlainText(text: string): string {
  return stripVTControlCharacters(text.toWellFormed().replaceAll('\r\n', '\n')).replace(invisible, '');
}

/** One line, white space collapsed; for titles, goals and messages. */
export function toPlainLine(text: string): string {
  return toPlainText(text.replace(/[\r\n\t\v\f\u2028\u2029]+/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}
