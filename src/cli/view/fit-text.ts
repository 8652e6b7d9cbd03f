/** Text in columns of a terminal: measured as it is shown, cut between characters. */
import stringWidth from 'string-width';
import { signsOf } from '../output/marks.ts';
import type { Style } from '../output/style.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Columns that `text` takes; colour takes none, wide characters take two. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** At most `width` columns of plain (unpainted) text; what was cut shows as an ellipsis. */
export function cutToWidth(text: string, width: number, style: Style): string {
  if (widthOf(text) <= width) return text;
  const { ellipsis } = signsOf(style);
  const room = width - widthOf(ellipsis);
  if (room < 1) return ellipsis.slice(0, Math.max(0, width));
  let used = 0;
  let kept = '';
  for (const { segment } of segmenter.segment(text)) {
    const next = used + widthOf(segment);
    if (next > room) break;
    used = next;
    kept += segment;
  }
  return kept.trimEnd() + ellipsis;
}

/** Exactly `width` columns: cut or padded on the right. */
export function fitToWidth(text: string, width: number, style: Style): string {
  return padToWidth(cutToWidth(text, width, style), width);
}

/** Padded on the right to at least `width` columns. */
export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
