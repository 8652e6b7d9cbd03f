/** Markdown to blocks: headings, paragraphs, list items, fences, tables, front matter. Not a full parser. */
import type { Block, Extracted } from '../document.ts';
import { toLine } from '../document.ts';

const fencePattern = /^\s{0,3}(`{3,}|~{3,})/;
const atxHeading = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const listItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(?=\S)/;
const tableLine = /^\s*\|.*\|\s*$/;

/** Inline markup to plain words; `code` keeps its backticks. */
export function fromMarkdownInline(text: string): string {
  return (
    text
      // Code spans first, so that nothing inside one is taken for markup.
      .split(/(`+[^`]+`+)/)
      .map((part, index) =>
        index % 2 === 1
          ? part.replace(/^`+\s?|\s?`+$/g, '`')
          : part
              .replace(/<!--.*?-->/g, '')
              .replace(/!\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
              .replace(/\[([^\]]+)\](?:\((?:[^()]|\([^)]*\))*\)|\[[^\]]*\])/g, '$1')
              .replace(/\[\^[^\]]+\]/g, '')
              .replace(/<((?:https?:|mailto:)[^>\s]+)>/g, '$1')
              .replace(/<\/?[a-zA-Z][^>]*>/g, '')
              .replace(/(\*\*|__)(?=\S)(.*?\S)\1/g, '$2')
              .replace(/(^|[^\w*])\*(?=[^\s*])([^*]*[^\s*])\*(?!\w)/g, '$1$2')
              .replace(/(^|[^\w_])_(?=[^\s_])([^_]*[^\s_])_(?!\w)/g, '$1$2')
              .replace(/~~(\S.*?)~~/g, '$1')
              .replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, '$1'),
      )
      .join('')
      // Links around code spans: [`name`](url) lost its middle to the split above.
      .replace(/\[(`[^`]+`)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
  );
}

/** `title: …` of a front matter between `---` lines, and the lines after it. */
function readFrontMatter(lines: readonly string[]): { title: string | null; rest: readonly string[] } {
  if (lines[0]?.trim() !== '---') return { title: null, rest: lines };
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line));
  if (end < 0) return { title: null, rest: lines };
  const title = lines.slice(1, end).flatMap((line) => /^title:\s*(.+)$/i.exec(line)?.[1] ?? [])[0];
  return { title: title?.trim().replace(/^(["'])(.*)\1$/, '$2') ?? null, rest: lines.slice(end + 1) };
}

/** `title` is the front matter's; without one the first heading names the document. */
export function extractMarkdown(text: string): Extracted {
  const { title, rest } = readFrontMatter(text.replace(/<!--[\s\S]*?-->/g, '').split(/\r\n|\r|\n/));
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    const line = toLine(fromMarkdownInline(paragraph.join(' ')));
    if (line !== '') blocks.push({ kind: 'prose', text: line.replace(listItem, '- ') });
    paragraph = [];
  };
  const pushHeading = (level: number, heading: string) => {
    blocks.push({ kind: 'heading', level, text: fromMarkdownInline(heading.trim()) });
  };
  const takeWhile = (at: number, holds: (line: string) => boolean) => {
    let next = at;
    while (next < rest.length && holds(rest[next]!)) next++;
    return next;
  };
  for (let at = 0; at < rest.length; at++) {
    const line = rest[at]!.replace(/^(\s*>\s?)+/, '');
    const fence = fencePattern.exec(line)?.[1];
    const heading = atxHeading.exec(line);
    if (fence !== undefined) {
      flush();
      const end = takeWhile(at + 1, (each) => !each.trim().startsWith(fence));
      blocks.push({ kind: 'lines', text: rest.slice(at + 1, end).join('\n') });
      at = end;
    } else if (heading) {
      flush();
      pushHeading(heading[1]!.length, heading[2] ?? '');
    } else if (paragraph.length > 0 && /^\s{0,3}(=+|-+)\s*$/.test(line)) {
      const level = line.trim().startsWith('=') ? 1 : 2;
      const underlined = paragraph.join(' ');
      paragraph = [];
      pushHeading(level, underlined);
    } else if (tableLine.test(line) || (paragraph.length === 0 && /^( {4}|\t)\S/.test(line) && !listItem.test(line))) {
      flush();
      const same = tableLine.test(line) ? tableLine : /^( {4}|\t)|^\s*$/;
      const end = takeWhile(at, (each) => same.test(each));
      blocks.push({ kind: 'lines', text: rest.slice(at, end).join('\n') });
      at = end - 1;
    } else if (line.trim() === '' || /^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line) || /^\s*\[[^\]]+\]:\s/.test(line)) {
      flush();
    } else {
      if (listItem.test(line)) flush();
      paragraph.push(line.trim());
    }
  }
  flush();
  return { title, blocks };
}
