/** Which documents a text refers to: by file name, or by a numbered name such as "RFC 2119" or "note-0042". */

const fileName = /([\p{L}\p{N}_.-]+)\.(?:md|markdown|mdx|rst|rest|html?|xhtml|txt|text|pdf)\b/giu;
const numberedName = /\b([A-Za-z]{2,16})[\s:`#_-]{1,3}0*([1-9]\d{0,5})\b/g;
const maxMentions = 300;

const toNumberedName = (word: string, number: string) => `${word.toLowerCase()} ${number}`;

/** The names by which others may refer to the document at `path`. */
export function toNames(path: string): string[] {
  const stem = path
    .split('/')
    .at(-1)!
    .replace(/\.[^.]+$/, '')
    .toLowerCase();
  const numbered = /^([a-z]+)[-_ ]?0*([1-9]\d*)$/.exec(stem);
  return numbered ? [stem, toNumberedName(numbered[1]!, numbered[2]!)] : [stem];
}

/** The names in `source` (the text as it stands in the file, so that link targets count), without the document's own. */
export function findMentions(path: string, source: string): string[] {
  const names = new Set<string>();
  for (const [, stem] of source.matchAll(fileName)) names.add(stem!.toLowerCase());
  for (const [, word, number] of source.matchAll(numberedName)) names.add(toNumberedName(word!, number!));
  for (const own of toNames(path)) names.delete(own);
  return [...names].slice(0, maxMentions);
}
