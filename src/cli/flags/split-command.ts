/** Splits a command as typed into its words. Quotes and backslashes work as in a shell; nothing is ever expanded. */

/**
 * In single quotes everything stands for itself. In double quotes a backslash makes `"` and `\` stand for themselves, and
 * elsewhere any character. `null`: a quote is not closed, or a backslash has nothing after it.
 */
export function splitCommand(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: '"' | "'" | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index]!;
    const next = text[index + 1];
    if (char === quote) quote = null;
    else if (quote === "'") word += char;
    else if (char === '\\' && (quote === null || next === '"' || next === '\\')) {
      if (next === undefined) return null;
      word = (word ?? '') + next;
      index += 1;
    } else if (quote !== null) word += char;
    else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words;
}
