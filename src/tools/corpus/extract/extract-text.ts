/** Plain text to blocks: paragraphs by blank lines, underlined headings, a header block where there is one. */
import type { Block, Extracted } from '../document.ts';
import { toLine } from '../document.ts';
import { readHeaderFields } from './header-fields.ts';

const maxTitleChars = 120;

/** Without a header the first line is the title when it stands alone and is short. */
export function extractText(text: string): Extracted {
  const header = readHeaderFields(text.split(/\r\n|\r|\n|\f/));
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    // Indented or aligned text is a table or code.
    const isLaidOut = paragraph.length > 1 && paragraph.every((line) => /^\s{2,}|\S\s{3,}\S/.test(line));
    if (isLaidOut) blocks.push({ kind: 'lines', text: paragraph.join('\n') });
    else if (paragraph.length > 0) blocks.push({ kind: 'prose', text: toLine(paragraph.join(' ')) });
    paragraph = [];
  };
  for (const line of header.rest) {
    const underline = /^\s*([=\-~])\1{2,}\s*$/.exec(line);
    if (underline && paragraph.length === 1) {
      blocks.push({ kind: 'heading', level: underline[1] === '=' ? 1 : 2, text: paragraph[0]!.trim() });
      paragraph = [];
    } else if (line.trim() === '') flush();
    else paragraph.push(line);
  }
  flush();
  const first = blocks[0];
  const standsAlone = first?.kind === 'prose' && first.text.length <= maxTitleChars && !/[.;,]$/.test(first.text);
  return { title: header.title ?? (standsAlone ? first.text : null), blocks: [...header.blocks, ...blocks] };
}
