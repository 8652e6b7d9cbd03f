/**
 * Reads the Markdown of a report into the tree of what may be shown. Raw HTML is text like any other, images become links,
 * link definitions are not obeyed: `[1]` is a citation, wherever the report would have it lead.
 */
import { Lexer, Tokenizer, type MarkedToken, type Token, type Tokens } from 'marked';
import { toDisplayText } from './display-text.ts';
import { decodeEntities, readInlineText } from './read-inline-text.ts';
import type { Block, Inline } from './report-node.ts';
import { hostOf, toWebUrl } from './to-web-url.ts';

/** What is nested deeper is shown as text; the lexer itself gives up at some thousands. */
const maxDepth = 24;
/** A paragraph longer than this is shown without its marks: the time to read them grows with the square of the length. */
const maxMarkedChars = 10_000;

type Reading = { readonly isCited: (number: number) => boolean };

class SafeTokenizer extends Tokenizer {
  override html(): undefined {}
  override tag(): undefined {}
  override def(): undefined {}
}

/** `citations` = how many there are: markers from `[1]` to `[citations]` name a source. Never throws. */
export function readReport(markdown: string, citations: number): Block[] {
  const reading: Reading = { isCited: (number) => number >= 1 && number <= citations };
  try {
    return toBlocks(lex(markdown), reading, 0);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ kind: 'code', text: toDisplayText(markdown) }]; // nested too deeply for the lexer
  }
}

function lex(markdown: string): Token[] {
  const lexer = new Lexer({ gfm: true, tokenizer: new SafeTokenizer() });
  const tokens = lexer.blockTokens(markdown.replace(/\r\n?/g, '\n'), lexer.tokens);
  // Inline text is queued; as the lexer's own loop, but for paragraphs without bounds.
  for (const { src, tokens: into } of lexer.inlineQueue) {
    if (src.length > maxMarkedChars) into.push({ type: 'text', raw: src, text: src });
    else lexer.inlineTokens(src, into);
  }
  return tokens;
}

function toBlocks(tokens: readonly Token[], reading: Reading, depth: number): Block[] {
  if (depth > maxDepth) return tokens.map(({ raw }) => ({ kind: 'paragraph', children: [toText(raw)] }));
  return tokens.flatMap((token) => toBlock(token as MarkedToken, reading, depth));
}

function toBlock(token: MarkedToken, reading: Reading, depth: number): Block[] {
  switch (token.type) {
    case 'heading':
      return [{ kind: 'heading', level: token.depth, children: toInlines(token.tokens, reading, depth) }];
    case 'list':
      return [
        {
          kind: 'list',
          start: token.ordered ? Number(token.start) || 1 : null,
          items: token.items.map(({ tokens }) => toBlocks(tokens, reading, depth + 1)),
        },
      ];
    case 'code':
      return [{ kind: 'code', text: toDisplayText(token.text) }];
    case 'blockquote':
      return [{ kind: 'quote', children: toBlocks(token.tokens, reading, depth + 1) }];
    case 'table':
      return [toTable(token, reading, depth)];
    case 'hr':
      return [{ kind: 'rule' }];
    case 'space':
    case 'def':
      return [];
    case 'checkbox':
      return [{ kind: 'paragraph', children: [toText(token.raw)] }];
    default: {
      const inlines = 'tokens' in token && token.tokens ? token.tokens : [token];
      const children = toInlines(inlines, reading, depth);
      return children.length > 0 ? [{ kind: 'paragraph', children }] : [];
    }
  }
}

function toTable(token: Tokens.Table, reading: Reading, depth: number): Block {
  const toCells = (cells: readonly Tokens.TableCell[]) => cells.map(({ tokens }) => toInlines(tokens, reading, depth));
  return { kind: 'table', align: token.align, head: toCells(token.header), rows: token.rows.map(toCells) };
}

function toInlines(tokens: readonly Token[], reading: Reading, depth: number): Inline[] {
  if (depth > maxDepth) return [toText(tokens.map(({ raw }) => raw).join(''))];
  return joinTexts(tokens).flatMap((token) => toInline(token as MarkedToken, reading, depth + 1));
}

/** The lexer cuts text where a mark could begin; a citation may stand across the cut. */
function joinTexts(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (isBareText(token) && last && isBareText(last)) {
      joined[joined.length - 1] = { ...last, raw: last.raw + token.raw, text: last.text + token.text };
    } else joined.push(token);
  }
  return joined;
}

function isBareText(token: Token): token is Tokens.Text {
  return token.type === 'text' && !token.tokens;
}

function toInline(token: MarkedToken, reading: Reading, depth: number): Inline[] {
  switch (token.type) {
    case 'strong':
      return [{ kind: 'strong', children: toInlines(token.tokens, reading, depth) }];
    case 'em':
      return [{ kind: 'emphasis', children: toInlines(token.tokens, reading, depth) }];
    case 'del':
      return [{ kind: 'deleted', children: toInlines(token.tokens, { isCited: () => true }, depth).map(toPlain) }];
    case 'codespan':
      return [{ kind: 'code', text: toDisplayText(token.text) }];
    case 'br':
      return [{ kind: 'break' }];
    case 'escape':
      return [toText(token.text)];
    case 'link':
    case 'image':
      return toLink(token, reading, depth);
    case 'text':
      return token.tokens
        ? toInlines(token.tokens, reading, depth)
        : readInlineText(token.text, (number) => reading.isCited(number));
    default:
      return [toText(token.raw)];
  }
}

/** What is struck out already needs no second mark. */
function toPlain(inline: Inline): Inline {
  return inline.kind === 'citation' || inline.kind === 'unknown-citation' ? toText(`[${inline.number}]`) : inline;
}

/** A link where it leads somewhere on the web, else its words. No words of a link pass for a citation or another address. */
function toLink(token: Tokens.Link | Tokens.Image, reading: Reading, depth: number): Inline[] {
  const url = toWebUrl(decodeEntities(token.href));
  const words = token.type === 'image' ? [toText(token.text)] : toInlines(token.tokens, reading, depth);
  if (url === null) return words;
  const text = textOf(words).trim();
  if (/^[[(\s]*\d*[\])\s]*$/.test(text)) return [{ kind: 'link', url, children: [toText(url)] }];
  const host = hostOf(url);
  return [{ kind: 'link', url, ...(seemsToLeadElsewhere(text, host) && { host }), children: words.map(toLinkWord) }];
}

/** The words look like an address, and it is not this one. */
function seemsToLeadElsewhere(text: string, host: string): boolean {
  if (!/:\/\/|[\p{L}\d-]\.\p{L}{2,}/u.test(text)) return false;
  const shown = toWebUrl(text) ?? toWebUrl(`https://${text}`);
  const bare = (name: string) => name.replace(/^www\./, '');
  return shown === null || bare(hostOf(shown)) !== bare(host);
}

/** No link stands in a link, and no citation. */
function toLinkWord(inline: Inline): Inline {
  if (inline.kind === 'link') return toText(textOf(inline.children));
  return 'children' in inline ? { ...inline, children: inline.children.map(toLinkWord) } : toPlain(inline);
}

function toText(text: string): Inline {
  return { kind: 'text', text: toDisplayText(text) };
}

/** The words alone. */
function textOf(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) =>
      'children' in inline
        ? textOf(inline.children)
        : 'text' in inline
          ? inline.text
          : 'number' in inline
            ? `[${inline.number}]`
            : ' ',
    )
    .join('');
}
