/** Cuts an English word to a stem, so that "annotated", "annotation" and "annotations" meet. Lower case in, lower case out. */

type Rule = readonly [suffix: string, replacement: string, shortestStem: number];

/** Longest match first within a step; a rule holds only if enough of the word is left to mean something. */
const plurals: readonly Rule[] = [
  ['sses', 'ss', 1],
  ['ies', 'y', 2],
  ['xes', 'x', 1],
  ['ches', 'ch', 1],
  ['shes', 'sh', 1],
  ['ss', 'ss', 0],
  ['us', 'us', 0],
  ['is', 'is', 0],
  ['s', '', 2],
];
const endings: readonly Rule[] = [
  ['ifications', 'ify', 2],
  ['ification', 'ify', 2],
  ['ators', '', 3],
  ['ation', '', 3],
  ['ating', '', 3],
  ['ator', '', 3],
  ['ated', '', 3],
  ['ate', '', 4],
  ['ition', 'it', 2],
  ['tion', 't', 4],
  ['sion', 's', 4],
  ['ied', 'y', 2],
  ['ying', 'y', 2],
  ['ing', '', 3],
  ['eed', 'ee', 1],
  ['ed', '', 3],
  ['ly', '', 4],
];

function applyFirst(word: string, rules: readonly Rule[]): string {
  for (const [suffix, replacement, shortestStem] of rules) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, word.length - suffix.length);
    if (stem.length >= shortestStem && /[aeiouy]/.test(stem)) return stem + replacement;
  }
  return word;
}

/**
 * The stem of a word in lower case. Words with anything but a to z, and words of up to three letters, come back as
 * they are. A light stemmer after Porter (1980): inflections and the commonest noun endings, no more, since a stem
 * that is cut too far joins words that have nothing to do with each other.
 */
export function stemWord(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  let stem = applyFirst(applyFirst(word, plurals), endings);
  if (stem.length > 3) stem = stem.replace(/e$/, '');
  return stem.replace(/([bdfglmnprstz])\1$/, '$1');
}
