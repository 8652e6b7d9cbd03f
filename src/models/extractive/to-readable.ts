/** A quoted sentence as a report shows it: footnote marks gone, nothing left that looks like a citation of ours. */

export function toReadable(quote: string): string {
  const text = quote
    .replace(/\s*\[(?:#[\w-]*|\d{1,3}|\*|s\d+(?:\.\d+)*)\]_?/g, '')
    .replace(/\s+/g, ' ')
    .replace(/\s+([.,;:!?])/g, '$1')
    .trim();
  return text === '' ? quote.trim() : text;
}
