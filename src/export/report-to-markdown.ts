/**
 * The tree of a report as Markdown again, in one canonical form: whatever reads it sees the same marks as the tree has.
 * Words are escaped, raw HTML with them, so that what comes out can open no tag, no link and no heading of ours.
 */
import type { Align, Block, Inline } from './report-node.ts';
import { toWebUrl } from './to-web-url.ts';

const firstHeading = 3;

export function reportToMarkdown(blocks: readonly Block[]): string {
  const levels = blocks.flatMap((block) => (block.kind === 'heading' ? [block.level] : []));
  return toBlocks(blocks, firstHeading - Math.min(6, ...levels));
}

/** Words as a part of a line: no mark in them is obeyed. At the beginning of a line, `escapeLine` does the rest. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*[\]~|$]/g, '\\$&')
    .replace(/(?<![\p{L}\d])_|_(?![\p{L}\d])/gu, '\\_')
    .replace(/&(?=#|[a-z]+\d*;)/gi, '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/\b(https?|ftp):\/\//gi, '$1\\://') // no address becomes a link by itself
    .replace(/\b(www)\./gi, '$1\\.')
    .replace(/!$/, '\\!');
}

/** A code span with a fence longer than any in it. */
export function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const fence = '`'.repeat(longestFence(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line.trim() === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** `url` must come from `toWebUrl`. */
export function markdownLink(url: string, words: string): string {
  const target = url.replace(/[|\\`]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return words === '' ? `<${target}>` : `[${words}](<${target}>)`;
}

/** The same for the beginning of a line, where signs make headings, lists, quotes and underlines. */
export function escapeLine(text: string): string {
  return guardLines(escapeMarkdown(text));
}

function guardLines(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^[#>+=-]/, '\\$&')
        .replace(/^(\d{1,9})([.)])/, '$1\\$2'),
    )
    .join('\n');
}

function toBlocks(blocks: readonly Block[], shift: number): string {
  return blocks.map((block) => toBlock(block, shift)).join('\n\n');
}

function toBlock(block: Block, shift: number): string {
  switch (block.kind) {
    case 'heading': {
      const level = Math.min(6, Math.max(firstHeading, block.level + shift));
      return `${'#'.repeat(level)} ${inlinesToMarkdown(block.children).replaceAll('\\\n', ' ').trim()}`;
    }
    case 'paragraph':
      return guardLines(inlinesToMarkdown(block.children));
    case 'list':
      return block.items
        .map((item, index) => {
          const mark = block.start === null ? '- ' : `${block.start + index}. `;
          return mark + (indent(toItem(item, shift), ' '.repeat(mark.length)).trimStart() || '…');
        })
        .join('\n');
    case 'code': {
      const fence = '`'.repeat(Math.max(3, longestFence(block.text) + 1));
      return `${fence}\n${block.text}\n${fence}`;
    }
    case 'quote':
      return indent(toBlocks(block.children, shift), '> ');
    case 'table': {
      const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
      return [
        row(block.head.map(toCell)),
        row(block.head.map((_, index) => toDelimiter(block.align[index] ?? null))),
        ...block.rows.map((cells) => row(cells.map(toCell))),
      ].join('\n');
    }
    case 'rule':
      return '* * *';
    default:
      return block satisfies never;
  }
}

/** A list below a line of words stands close to it. */
function toItem(item: readonly Block[], shift: number): string {
  const [first, second, ...rest] = item;
  if (first?.kind !== 'paragraph' || second?.kind !== 'list' || rest.length > 0) return toBlocks(item, shift);
  return `${toBlock(first, shift)}\n${toBlock(second, shift)}`;
}

/** Pipes end a cell, in code too; words have theirs escaped already. */
function toCell(inlines: readonly Inline[]): string {
  return inlinesToMarkdown(inlines)
    .replaceAll('\\\n', ' ')
    .replace(/(?<!\\)\|/g, '\\|');
}

function toDelimiter(align: Align): string {
  if (align === null) return '---';
  return { left: ':--', right: '--:', center: ':-:' }[align];
}

function indent(text: string, prefix: string): string {
  return text.replace(/^/gm, prefix).replace(/[ \t]+$/gm, '');
}

function inlinesToMarkdown(inlines: readonly Inline[]): string {
  return mergeTexts(inlines)
    .map((inline, index, all) => {
      const text = toInline(inline);
      // Behind a marker, these would make a link or a definition of it.
      return inline.kind === 'text' && all[index - 1]?.kind === 'citation' ? text.replace(/^[(:]/, '\\$&') : text;
    })
    .join('');
}

/** Escapes look at what stands beside a sign. */
function mergeTexts(inlines: readonly Inline[]): Inline[] {
  const merged: Inline[] = [];
  for (const inline of inlines) {
    const last = merged.at(-1);
    if (inline.kind === 'text' && last?.kind === 'text') {
      merged[merged.length - 1] = { kind: 'text', text: last.text + inline.text };
    } else merged.push(inline);
  }
  return merged;
}

function toInline(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
      return escapeMarkdown(inline.text);
    case 'strong':
      return wrap('**', inlinesToMarkdown(inline.children));
    case 'emphasis':
      return wrap('*', inlinesToMarkdown(inline.children));
    case 'deleted':
      return wrap('~~', inlinesToMarkdown(inline.children));
    case 'code':
      return codeSpan(inline.text);
    case 'break':
      return '\\\n';
    case 'link': {
      const words = inlinesToMarkdown(inline.children).replaceAll('\\\n', ' ');
      const [word, ...others] = inline.children;
      const isBare = word?.kind === 'text' && others.length === 0 && toWebUrl(word.text) === inline.url;
      return `${markdownLink(inline.url, isBare ? '' : words)}${inline.host === undefined ? '' : ` (${inline.host})`}`;
    }
    case 'citation':
      return `[${inline.number}]`;
    case 'unknown-citation':
      return `~~[${inline.number}]~~ (no such source)`;
    default:
      return inline satisfies never;
  }
}

/** Marks with a space inside would not be marks. */
function wrap(mark: string, words: string): string {
  const inner = words.trim();
  if (inner === '') return words;
  const [before, after] = words.split(inner) as [string, string];
  return `${before}${mark}${inner}${mark}${after}`;
}

function longestFence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
