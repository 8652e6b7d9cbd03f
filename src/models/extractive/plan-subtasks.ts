/** Turns a question and the outline of a corpus into goals: the question, its parts, and what else bears on it. */
import type { ModelTask, OutlineEntry } from '../../contract/model.ts';
import { stemWord } from '../../domain/language/stem-word.ts';
import { toTerms } from '../../domain/language/to-terms.ts';
import { framingWords } from '../../domain/language/word-lists.ts';
import { nameInQuotes } from './name-in-quotes.ts';
import { splitQuestion } from './split-question.ts';

/** A document that is this much weaker than the best has nothing to do with the question. */
const minRelativeScore = 0.1;
/** Parts of a question take at most this share of the subagents, so that documents get their turn. */
const maxPartShare = 0.5;
const asksForSentence = /^(how|why|when|does|do|is|are|can|could|should|will|what happens)\b/i;
const maxShownQuestionChars = 120;
/** Headings that any document may have say nothing about its subject. */
const commonHeadings =
  /^(abstract|introduction|overview|summary|contents?|table of contents|references?|copyright|acknowledge?ments?|footnotes?|notes?|see also|further reading|changelog|change history|license|authors?|appendix.*|page \d+|\W*)$/i;

const framingStems = new Set([...framingWords].map(stemWord));
const toTopicTerms = (text: string) => new Set(toTerms(text).filter((term) => !framingStems.has(term)));

/** The heading that shares most words with the topic, if one does and the title does not say as much already. */
function findHeading({ title, headings }: OutlineEntry, topic: ReadonlySet<string>): string | null {
  const inTitle = toTopicTerms(title);
  const score = (heading: string) =>
    [...toTopicTerms(heading)].filter((term) => topic.has(term) && !inTitle.has(term)).length;
  const best = headings
    .filter((heading) => !commonHeadings.test(heading))
    .map((heading) => ({ heading, score: score(heading) }))
    .reduce((a, b) => (b.score > a.score ? b : a), { heading: '', score: 0 });
  return best.score > 0 ? best.heading : null;
}

/** Asks documents about a topic, or for their answer where the question is a sentence rather than a name for one. */
function askDocuments(entries: readonly OutlineEntry[], question: string, topic: string): string {
  const titles = entries.map(({ title }) => nameInQuotes(title)).join(' and ');
  if (asksForSentence.test(question) && question.length <= maxShownQuestionChars) return `${titles} on: ${question}`;
  return `What ${entries.length > 1 ? 'do' : 'does'} ${titles} say about ${topic}?`;
}

/** One goal a document; two share one where more documents bear on the question than subagents are left. */
function toDocumentGoals(entries: readonly OutlineEntry[], question: string, topic: string, slots: number): string[] {
  const terms = toTopicTerms(topic);
  if (entries.length > slots) {
    const pairs = Array.from({ length: slots }, (_, at) => entries.slice(2 * at, 2 * at + 2));
    return pairs.filter((pair) => pair.length > 0).map((pair) => askDocuments(pair, question, topic));
  }
  return entries.map((entry) => {
    const heading = findHeading(entry, terms);
    if (heading === null) return askDocuments([entry], question, topic);
    return `What does ${nameInQuotes(entry.title)} say under ${nameInQuotes(heading)}?`;
  });
}

function proposeGoals(question: string, outline: readonly OutlineEntry[], maxSubagents: number): string[] {
  const [best, ...others] = outline;
  if (!best) return [question];
  const { topic, parts } = splitQuestion(question);
  const partGoals = parts
    .slice(0, Math.floor(maxSubagents * maxPartShare))
    .map((part) => `What is said about ${part}?`);
  const strong = others.filter(({ score }) => score >= best.score * minRelativeScore);
  const documentGoals = toDocumentGoals(strong, question, topic, Math.max(0, maxSubagents - 1 - partGoals.length));
  // Where nothing else bears on it, the best document itself has sections: first those that speak of the topic.
  const terms = toTopicTerms(topic);
  const sections = best.headings.filter((each) => !commonHeadings.test(each));
  const shared = (heading: string) => [...toTopicTerms(heading)].filter((term) => terms.has(term)).length;
  const onTopic = sections.filter((heading) => shared(heading) > 0);
  const sectionGoals = [...onTopic, ...sections]
    .filter((heading) => shared(heading) < terms.size)
    .map((heading) => `What does ${nameInQuotes(best.title)} say under ${nameInQuotes(heading)}?`);
  return [question, ...partGoals, ...documentGoals, ...sectionGoals];
}

/** At most `maxSubagents` goals, the question itself first, no two alike; at least one. */
export function planSubtasks({ question, outline, maxSubagents }: Extract<ModelTask, { kind: 'plan' }>): string[] {
  const goals = proposeGoals(question.replace(/\s+/g, ' ').trim(), outline, maxSubagents);
  const unlike = new Map(goals.map((goal) => [goal.toLowerCase(), goal]));
  return [...unlike.values()].slice(0, Math.max(1, maxSubagents));
}
