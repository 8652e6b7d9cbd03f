/** Text that may travel: counted in UTF-8 bytes, cut by whole characters, always well-formed. Runs in the workflow sandbox. */

/** Below this many characters a marker would eat the text that it describes, so it is put behind it instead. */
const minCharsForMarkerInside = 80;

/** Bytes of `text` in UTF-8; a lone surrogate counts as the three bytes of its replacement character. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** `text` without what providers and payloads refuse: NUL is removed, a lone surrogate becomes U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** The longest beginning of a well-formed text with at most `maxChars` UTF-16 units that splits no surrogate pair. */
export function sliceText(text: string, maxChars: number): string {
  const end = Math.max(0, Math.floor(maxChars));
  if (text.length <= end) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end);
}

/**
 * `text` cleaned and cut to `maxChars` UTF-16 units. What was cut says so in its last line, with the original size:
 * `[cut: 15,962 of 5,242,880 characters]`. The marker counts towards `maxChars` from 80 characters on; below that it is
 * added to them.
 */
export function cutText(text: string, maxChars: number): string {
  const clean = cleanText(text);
  if (clean.length <= maxChars) return clean;
  const marker = (kept: number) => `\n[cut: ${formatCount(kept)} of ${formatCount(text.length)} characters]`;
  const room = maxChars >= minCharsForMarkerInside ? maxChars - marker(maxChars).length : maxChars;
  const kept = sliceText(clean, room);
  return kept + marker(kept.length);
}

/** The beginning of `text` on one line, for people: white space and control characters folded to single spaces. */
export function previewText(text: string, maxChars = 120): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length <= maxChars ? line : `${sliceText(line, maxChars - 1).trimEnd()}…`;
}

/** A whole number as people read it: `1,200`. The same in every locale, since it ends up in recorded messages. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
