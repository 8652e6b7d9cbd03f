/** HTML to blocks: the article as Readability finds it, else the body without its navigation. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { Block, Extracted } from '../document.ts';
import { toLine } from '../document.ts';

/** The little of the DOM that is used; the library's own types want a browser's globals. */
type HtmlNode = {
  readonly nodeType: number;
  readonly tagName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<HtmlNode>;
  querySelector(selector: string): HtmlNode | null;
  querySelectorAll(selector: string): Iterable<HtmlNode>;
};
type HtmlDocument = HtmlNode & { readonly body: HtmlNode };

const parse = (source: string) => (parseHTML(source) as unknown as { document: HtmlDocument }).document;

const skipped = new Set(['SCRIPT', 'STYLE', 'NAV', 'TEMPLATE', 'NOSCRIPT', 'SVG', 'IFRAME', 'BUTTON', 'FORM', 'HEAD']);
const laidOut = new Set(['PRE', 'TABLE', 'TEXTAREA']);
const containers = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER HEADER HR LI MAIN OL P SECTION SUMMARY UL'.split(
    ' ',
  ),
);
/** Readability takes seconds beyond this, and a page of that size is hardly an article with a frame around it. */
const maxReadabilityChars = 300_000;
/** An article that holds less than this share of the page's words was cut too far. */
const minArticleShare = 0.4;

class HtmlReader {
  readonly blocks: Block[] = [];
  private line = '';

  read(node: HtmlNode): void {
    for (const child of node.childNodes) {
      if (child.nodeType === 3) this.line += child.textContent ?? '';
      else if (child.nodeType === 1) this.readElement(child);
    }
  }

  flush(prefix = ''): void {
    const text = toLine(this.line);
    this.line = '';
    if (text !== '') this.blocks.push({ kind: 'prose', text: `${prefix}${text}` });
  }

  private readElement(element: HtmlNode): void {
    const tag = element.tagName.toUpperCase();
    if (skipped.has(tag)) return;
    const heading = /^H([1-6])$/.exec(tag);
    if (heading) {
      this.flush();
      const text = toLine(element.textContent ?? '').replace(/\s*[¶#§]$/, '');
      this.blocks.push({ kind: 'heading', level: Number(heading[1]), text });
    } else if (laidOut.has(tag)) {
      this.flush();
      this.blocks.push({ kind: 'lines', text: tag === 'TABLE' ? toRows(element) : (element.textContent ?? '') });
    } else if (tag === 'BR') this.line += ' ';
    else if (tag === 'CODE') this.line += `\`${element.textContent ?? ''}\``;
    else if (containers.has(tag)) {
      this.flush();
      this.read(element);
      this.flush(tag === 'LI' ? '- ' : '');
    } else this.read(element);
  }
}

function toRows(table: HtmlNode): string {
  return [...table.querySelectorAll('tr')]
    .map((row) => [...row.querySelectorAll('th,td')].map((cell) => toLine(cell.textContent ?? '')).join(' | '))
    .join('\n');
}

function toBlocks(root: HtmlNode): Block[] {
  const reader = new HtmlReader();
  reader.read(root);
  reader.flush();
  return reader.blocks;
}

const countChars = (blocks: readonly Block[]) => blocks.reduce((sum, block) => sum + block.text.length, 0);

export function extractHtml(text: string): Extracted {
  const source = /<body[\s>]/i.test(text) ? text : `<html><body>${text}</body></html>`;
  const document = parse(source);
  const title = document.querySelector('title')?.textContent || document.querySelector('h1')?.textContent || null;
  // Readability takes the document apart: what it must not lose is read before.
  const whole = toBlocks(document.body);
  if (text.length > maxReadabilityChars) return { title, blocks: whole };
  const article = new Readability(document).parse();
  if (!article?.content) return { title, blocks: whole };
  const body = parse(`<html><body>${article.content}</body></html>`).body;
  const blocks = toBlocks(body);
  return { title, blocks: countChars(blocks) >= minArticleShare * countChars(whole) ? blocks : whole };
}
