/** The tree of a report as HTML. What it can make is the list of elements that an exported page may have. */
import type { Align, Block, Inline } from './report-node.ts';
import { html, type SafeHtml } from './safe-html.ts';

/** Headings of the report begin below those of the page. */
const firstHeading = 3;

export function reportToHtml(blocks: readonly Block[]): SafeHtml {
  const levels = blocks.flatMap((block) => (block.kind === 'heading' ? [block.level] : []));
  return html`${toBlocks(blocks, firstHeading - Math.min(6, ...levels))}`;
}

function toBlocks(blocks: readonly Block[], shift: number): SafeHtml[] {
  return blocks.map((block) => toBlock(block, shift));
}

function toBlock(block: Block, shift: number): SafeHtml {
  switch (block.kind) {
    case 'heading':
      return toHeading(Math.max(firstHeading, block.level + shift), inlinesToHtml(block.children));
    case 'paragraph':
      return html`<p>${inlinesToHtml(block.children)}</p> `;
    case 'list': {
      const items = block.items.map((item) => html`<li>${toItem(item, shift)}</li> `);
      return block.start === null
        ? html`<ul>
            ${items}
          </ul> `
        : html`<ol start="${block.start}">
            ${items}
          </ol> `;
    }
    case 'code':
      return html`<pre tabindex="0"><code>${block.text}</code></pre> `;
    case 'quote':
      return html`<blockquote>${toBlocks(block.children, shift)}</blockquote> `;
    case 'table':
      return html`<div class="wide" role="region" aria-label="Table" tabindex="0">
        <table>
          <thead>
            <tr>
              ${block.head.map((cell, index) => html`<th scope="col" ${toAlign(block.align[index])}>${inlinesToHtml(cell)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${block.rows.map(
              (row) =>
                html`<tr>
                  ${row.map((cell, index) => html`<td${toAlign(block.align[index])}>${inlinesToHtml(cell)}</td>`)}
                </tr> `,
            )}
          </tbody>
        </table>
      </div> `;
    case 'rule':
      return html`<hr /> `;
    default:
      return block satisfies never;
  }
}

/** A single paragraph is the item itself. */
function toItem(item: readonly Block[], shift: number): SafeHtml {
  const [first, ...rest] = item;
  if (first?.kind !== 'paragraph' || rest.some(({ kind }) => kind === 'paragraph'))
    return html`${toBlocks(item, shift)}`;
  return html`${inlinesToHtml(first.children)}${rest.length > 0 ? html` ${toBlocks(rest, shift)}` : null}`;
}

function toHeading(level: number, content: SafeHtml): SafeHtml {
  if (level <= 3) return html`<h3>${content}</h3> `;
  if (level === 4) return html`<h4>${content}</h4> `;
  if (level === 5) return html`<h5>${content}</h5> `;
  return html`<h6>${content}</h6> `;
}

function toAlign(align: Align | undefined): SafeHtml | null {
  if (align === 'right') return html` class="right"`;
  return align === 'center' ? html` class="center"` : null;
}

function inlinesToHtml(inlines: readonly Inline[]): SafeHtml {
  return html`${inlines.map(toInline)}`;
}

function toInline(inline: Inline): SafeHtml {
  switch (inline.kind) {
    case 'text':
      return html`${inline.text}`;
    case 'strong':
      return html`<strong>${inlinesToHtml(inline.children)}</strong>`;
    case 'emphasis':
      return html`<em>${inlinesToHtml(inline.children)}</em>`;
    case 'deleted':
      return html`<del>${inlinesToHtml(inline.children)}</del>`;
    case 'code':
      return html`<code>${inline.text}</code>`;
    case 'break':
      return html`<br />`;
    case 'link':
      return html`${webLink(inline.url, inlinesToHtml(inline.children))}${inline.host === undefined ? null : html` (${inline.host})`}`;
    case 'citation':
      return html`<a class="cite" href="#source-${inline.number}">[${inline.number}]</a>`;
    case 'unknown-citation':
      return html`<del>[${inline.number}]</del> (no such source)`;
    default:
      return inline satisfies never;
  }
}

/** `url` must come from `toWebUrl`. */
export function webLink(url: string, words: string | SafeHtml): SafeHtml {
  return html`<a href="${url}" rel="noopener noreferrer nofollow">${words}</a>`;
}
