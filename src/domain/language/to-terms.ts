/** Turns text into the terms that are indexed and searched: stems of words, parts of compound names, symbols of code. */
import { sliceText } from '../text.ts';
import { stemWord } from './stem-word.ts';
import { stopWords } from './word-lists.ts';

/** A word with its inner dots, hyphens, underscores and apostrophes, and a sign that belongs to it (`except*`, `C++`, `C#`). */
const wordPattern = /[\p{L}\p{N}_]+(?:[.'’\-/][\p{L}\p{N}_]+)*(?:\*+(?![\p{L}\p{N}])|\+\+|#(?![\p{L}\p{N}]))?/u;
/** Symbols of code that stand alone: `:=`, `->`, `@`, `|=`. Three characters at most: longer runs are rules and tables. */
const symbolPattern = /(?<=^|[\s"'`“‘(])[:=<>!@*|&^%+\-/~?.]{1,3}(?=$|[\s"'`”’),.;?])/u;
const tokenPattern = new RegExp(`${wordPattern.source}|${symbolPattern.source}`, 'gu');
const meaninglessSymbols = new Set([
  '-',
  '--',
  '---',
  '.',
  '..',
  '...',
  ':',
  '::',
  '!',
  '?',
  '/',
  '*',
  '=',
  '==',
  '===',
]);
const maxTermChars = 64;

/** One token of the text: what it is looked up as, and the further terms that its parts give. */
export type Token = { readonly term: string; readonly parts: readonly string[] };

/** "0498" is also looked for as "498". */
const toNumber = (word: string) => /^0+([1-9]\d*)$/.exec(word)?.slice(1) ?? [];
const cut = (term: string) => sliceText(term, maxTermChars);

function toCompound(word: string): Token | null {
  const whole = word.toLowerCase().replace(/^_+|_+$/g, '');
  const parts = word
    .replace(/([\p{Ll}\p{N}])(\p{Lu})|(?<=\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2$3')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
  if (parts.length === 0) return null;
  const last = parts[parts.length - 1]!;
  // The last part inflects: "f-strings" is looked for as "f-string".
  const term = whole.endsWith(last) ? whole.slice(0, whole.length - last.length) + stemWord(last) : whole;
  const told = parts.filter((part) => part.length > 1 && !stopWords.has(part));
  return {
    term: cut(term),
    parts: parts.length > 1 ? told.flatMap((part) => [cut(stemWord(part)), ...toNumber(part)]) : [],
  };
}

function toToken(match: string): Token | null {
  const text = match.replace(/’/g, "'").replace(/'s$/i, '');
  if (!/[\p{L}\p{N}]/u.test(text)) return meaninglessSymbols.has(text) ? null : { term: text, parts: [] };
  const sign = /[*+#]+$/.exec(text);
  const word = sign ? text.slice(0, sign.index) : text;
  if (sign)
    return {
      term: cut(text.toLowerCase()),
      parts: stopWords.has(word.toLowerCase()) ? [] : [cut(stemWord(word.toLowerCase()))],
    };
  const plain = word.toLowerCase();
  if (stopWords.has(plain)) return null;
  if (/[^\p{L}\p{N}]|[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word)) return toCompound(word);
  return { term: cut(stemWord(plain)), parts: toNumber(plain) };
}

/** Texts repeat their words: a token is made once. Bounded, since a worker lives long. */
const known = new Map<string, Token | null>();
const maxKnown = 100_000;

function recall(match: string): Token | null {
  const before = known.get(match);
  if (before !== undefined) return before;
  if (known.size >= maxKnown) known.clear();
  const token = toToken(match);
  known.set(match, token);
  return token;
}

/**
 * The tokens of `text`, in order, repeats kept. A compound (`f-strings`, `pyproject.toml`, `TypedDict`) has its parts
 * beside it, a word with a sign (`except*`) the bare word; symbols of code stand for themselves. Stop words are left out.
 */
export function toTokens(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.normalize('NFKC').match(tokenPattern) ?? []) {
    const token = recall(match);
    if (token) tokens.push(token);
  }
  return tokens;
}

/** The terms of `text` as they are indexed: every token and every part of one. */
export function toTerms(text: string): string[] {
  const terms: string[] = [];
  for (const { term, parts } of toTokens(text)) terms.push(term, ...parts);
  return terms;
}
