/** What a question is about, and the parts it falls into. Works on the words alone. */
import { toTerms } from '../../domain/language/to-terms.ts';
import { framingWords, stopWords } from '../../domain/language/word-lists.ts';

export type QuestionParts = {
  /** The question without the words by which it asks: "formatted string literals (f-strings)". Never empty. */
  readonly topic: string;
  /** Topics of their own inside the question: both ends of "from … to …", the halves of a long "… and …". */
  readonly parts: readonly string[];
};

const minPartTerms = 2;
const maxPartWords = 12;
const toWord = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}']/gu, '');

function isEmpty(word: string): boolean {
  // Symbols of code are no empty words.
  if (toWord(word) === '') return /^[\s,;:.?!()"'-]*$/.test(word);
  return stopWords.has(toWord(word)) || framingWords.has(toWord(word));
}

/** Drops words that only ask or join from both ends. */
function trimWords(text: string): string {
  const words = text
    .trim()
    .replace(/[?!.\s]+$/, '')
    .split(/\s+/);
  while (words.length > 0 && isEmpty(words[0]!)) words.shift();
  while (words.length > 0 && isEmpty(words.at(-1)!)) words.pop();
  return words.join(' ').replace(/^[,;:(]+|[,;:]+$/g, '');
}

const hasOwnTopic = (part: string) =>
  new Set(toTerms(part)).size >= minPartTerms && part.split(' ').length <= maxPartWords;

export function splitQuestion(question: string): QuestionParts {
  const line = question.replace(/\s+/g, ' ').trim();
  const range = /^(.*?)[,;:]?\s*\bfrom\s+(.+?)\s+(?:up )?to\s+([^,;?]+)[?.!]*(.*)$/i.exec(line);
  const main = range ? `${range[1]!} ${range[4]!}` : line;
  const ends = range ? [range[2]!, range[3]!].map(trimWords).filter((end) => end !== '') : [];
  const clauses = main.split(/\s*[,;]\s*(?:and\s+)?|\s+and\s+|[?.!]\s+/i).map(trimWords);
  const halves = clauses.length > 1 && clauses.every(hasOwnTopic) ? clauses : [];
  return { topic: trimWords(main) || trimWords(line) || line, parts: [...new Set([...ends, ...halves])] };
}
