/** reStructuredText to blocks: underlined headings, paragraphs, lists, literal blocks, directives. Not a full parser. */
import type { Block, Extracted } from '../document.ts';
import { toLine } from '../document.ts';
import { readHeaderFields } from './header-fields.ts';

const ruleLine = /^([=\-`:.'"~^_*+#<>])\1{1,}\s*$/;
const maxTableLines = 200;
/** The rules of a simple table (`=== ===`) and of a grid table (`+---+---+`). */
const tableRule = /^\s*(?:=+(?: +=+)+|\+(?:[-=]+\+)+)\s*$/;
const listItem = /^(\s*)(?:[-*+•]|\(?(?:\d+|[A-Za-z#])[.)])\s+(?=\S)/;
/** Directives whose content is prose. */
const proseDirectives =
  /^(note|warning|tip|hint|important|caution|danger|attention|error|admonition|epigraph|topic|sidebar|pull-quote|seealso|versionadded|versionchanged|deprecated|container|compound|rubric|function|class|method|data|attribute|describe|option)$/;

/** Inline markup to plain words; literals become `code`, and nothing inside one is taken for markup. */
export function fromRstInline(text: string): string {
  const parts = text.split(/(``.+?``)/);
  return parts.map((part, at) => (at % 2 === 1 ? part.slice(1, -1) : fromRstMarkup(part))).join('');
}

function fromRstMarkup(text: string): string {
  return (
    text
      // Numbers behind a role read as the role and the number: :rfc:`2119` is "RFC 2119".
      .replace(/:([a-z]+):`(\d+)`/g, (_, role: string, number: string) => `${role.toUpperCase()} ${number}`)
      .replace(/(?::[a-zA-Z][\w:.+-]*:)`~?([^`<]+?)\s*(?:<[^`>]*>)?`/g, '$1')
      .replace(/`([^`<]+?)\s*<[^`>]*>`__?/g, '$1')
      .replace(/`([^`]+)`__?/g, '$1')
      .replace(/`([^`]+)`/g, '$1')
      .replace(/\s*\[(?:#\w*|\d+|\*)\]_/g, '')
      .replace(/\|(\S(?:[^|]*\S)?)\|_?/g, '$1')
      .replace(/\*\*(\S(?:.*?\S)?)\*\*/g, '$1')
      .replace(/(^|[\s('"])\*(\S(?:[^*]*[^\s*\\])?)\*(?=$|[\s)'".,;:!?])/g, '$1$2')
      .replace(/(\b[A-Za-z][\w-]*[A-Za-z0-9])_(?=[\s.,;:)]|$)/g, '$1')
      .replace(/\\(.)/g, '$1')
  );
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/** Lines from `at` that are blank or indented deeper than `indent`. */
function takeIndented(lines: readonly string[], at: number, indent: number): { body: string[]; next: number } {
  let next = at;
  while (next < lines.length && (lines[next]!.trim() === '' || indentOf(lines[next]!) > indent)) next++;
  const body = lines.slice(at, next);
  const depth = Math.min(...body.filter((line) => line.trim() !== '').map(indentOf));
  return { body: body.map((line) => line.slice(Number.isFinite(depth) ? depth : 0)), next };
}

class RstReader {
  readonly blocks: Block[] = [];
  private readonly styles: string[] = [];

  read(lines: readonly string[]): void {
    for (let at = 0; at < lines.length;) at = this.readBlock(lines, at);
  }

  private readBlock(lines: readonly string[], at: number): number {
    const line = lines[at]!;
    if (line.trim() === '') return at + 1;
    const indent = indentOf(line);
    const heading = this.readHeading(lines, at);
    if (heading !== null) return heading;
    if (ruleLine.test(line) || tableRule.test(line)) return this.readTable(lines, at);
    if (line.trimStart().startsWith('.. ') || line.trim() === '..') return this.readMarkup(lines, at, indent);
    if (/^\s*(>>>|\$ )/.test(line)) return this.readParagraph(lines, at, indent, true);
    return this.readParagraph(lines, at, indent, false);
  }

  private readHeading(lines: readonly string[], at: number): number | null {
    const [first, second, third] = [lines[at]!, lines[at + 1] ?? '', lines[at + 2] ?? ''];
    const overlined = ruleLine.test(first) && ruleLine.test(third) && second.trim() !== '' && first[0] === third[0];
    if (overlined && third.trim().length >= second.trim().length)
      return this.pushHeading(second, `${first[0]}${first[0]}`, at + 3);
    const underlined = ruleLine.test(second) && !ruleLine.test(first) && indentOf(first) === 0;
    if (underlined && second.trim().length >= Math.min(first.trim().length, 4))
      return this.pushHeading(first, second[0]!, at + 2);
    return null;
  }

  private pushHeading(text: string, style: string, next: number): number {
    if (!this.styles.includes(style)) this.styles.push(style);
    this.blocks.push({ kind: 'heading', level: this.styles.indexOf(style) + 1, text: fromRstInline(text.trim()) });
    return next;
  }

  private readTable(lines: readonly string[], at: number): number {
    let next = at + 1;
    // A simple table may have blank lines inside, but not behind a rule.
    const inside = (line: string, before: string) =>
      line.trim() !== '' || (tableRule.test(lines[at]!) && !tableRule.test(before) && next - at < maxTableLines);
    while (next < lines.length && inside(lines[next]!, lines[next - 1]!)) next++;
    // A rule alone is a transition between paragraphs.
    if (next - at > 1) this.blocks.push({ kind: 'lines', text: lines.slice(at, next).join('\n') });
    return next;
  }

  /** Directives, footnotes, comments, targets. */
  private readMarkup(lines: readonly string[], at: number, indent: number): number {
    const { body, next } = takeIndented(lines, at + 1, indent);
    const head = lines[at]!.trim().slice(2).trim();
    const directive = /^(?:\|[^|]+\|\s*)?([\w-]+(?::[\w-]+)?)::\s*(.*)$/.exec(head);
    const footnote = /^\[[^\]]+\]\s+(.*)$/.exec(head);
    if (footnote) this.read([footnote[1]!, ...body]);
    else if (directive) {
      const content = body.slice(body.findIndex((line) => !/^\s*:[\w-]+:/.test(line)));
      const name = directive[1]!.split(':').at(-1)!;
      if (proseDirectives.test(name)) this.read([...(directive[2] ? [directive[2], ''] : []), ...content]);
      else if (content.some((line) => line.trim() !== ''))
        this.blocks.push({ kind: 'lines', text: content.join('\n') });
    }
    return next;
  }

  private readParagraph(lines: readonly string[], at: number, indent: number, literal: boolean): number {
    const item = listItem.exec(lines[at]!);
    let next = at + 1;
    while (next < lines.length && lines[next]!.trim() !== '') {
      const line = lines[next]!;
      if (!literal && (item ? listItem.test(line) : indentOf(line) !== indent)) break;
      next++;
    }
    const paragraph = lines.slice(at, next);
    if (literal) {
      this.blocks.push({ kind: 'lines', text: paragraph.join('\n') });
      return next;
    }
    const raw = paragraph.map((line) => line.trim()).join(' ');
    const opensLiteral = raw.endsWith('::');
    const text = toLine(fromRstInline(opensLiteral ? raw.replace(/\s*::$/, ':') : raw));
    if (text !== ':') this.blocks.push({ kind: 'prose', text: item ? text.replace(listItem, '- ') : text });
    if (!opensLiteral) return next;
    const block = takeIndented(lines, next, indent);
    if (block.body.some((line) => line.trim() !== '')) this.blocks.push({ kind: 'lines', text: block.body.join('\n') });
    return block.next;
  }
}

export function extractRst(text: string): Extracted {
  const header = readHeaderFields(text.split(/\r\n|\r|\n/).map((line) => line.replaceAll('\t', '        ')));
  const reader = new RstReader();
  reader.read(header.rest);
  return {
    title: header.title === null ? null : fromRstInline(header.title),
    blocks: [...header.blocks, ...reader.blocks],
  };
}
