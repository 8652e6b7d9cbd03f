/** Turns a question and the outline of a corpus into goals: the question, its parts, and what else bears on it. */
import type { ModelTask, OutlineEntry } from '../../contract/model.ts';
import { stemWord } from '../../domain/language/stem-word.ts';
import { toTerms } from '../../domain/language/to-terms.ts';
import { framingWords } from '../../domain/language/word-lists.ts';
import { nameInQuotes } from './name-in-quotes.ts';
import { splitQuestion } from './split-question.ts';
import { toQuestionGoal } from './to-question-goal.ts';

/** A document that is weaker than this beside the best has nothing to do with the question. */
const relatedShare = 0.1;
/** One that is this strong comes before the sections of the best; where the question has parts, all related ones do. */
const strongShare = 0.25;
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

/** One goal a document; the weaker ones share one in pairs where there are more than subagents left for them. */
function toDocumentGoals(entries: readonly OutlineEntry[], question: string, topic: string, slots: number): string[] {
  const terms = toTopicTerms(topic);
  if (entries.length > slots) {
    const alone = Math.max(0, 2 * slots - entries.length);
    const pairs = Array.from({ length: slots - alone }, (_, at) => entries.slice(alone + 2 * at, alone + 2 * at + 2));
    const shares = [...entries.slice(0, alone).map((entry) => [entry]), ...pairs];
    return shares.map((share) => askDocuments(share, question, topic));
  }
  return entries.map((entry) => {
    const heading = findHeading(entry, terms);
    if (heading === null) return askDocuments([entry], question, topic);
    return `What does ${nameInQuotes(entry.title)} say under ${nameInQuotes(heading)}?`;
  });
}

/** Goals in the order of their worth; more than there will be subagents, or fewer. */
function proposeGoals(question: string, outline: readonly OutlineEntry[], maxSubagents: number): string[] {
  const goal = toQuestionGoal(question);
  const [best, ...others] = outline;
  if (!best) return [goal];
  const { topic, parts } = splitQuestion(question);
  const partGoals = parts
    .slice(0, Math.floor(maxSubagents * maxPartShare))
    .map((part) => `What is said about ${part}?`);
  const between = (least: number, below: number) =>
    others.filter(({ score }) => score >= best.score * least && score < best.score * below);
  const leastStrong = parts.length > 0 ? relatedShare : strongShare;
  const strong = between(leastStrong, Number.POSITIVE_INFINITY);
  const strongGoals = toDocumentGoals(strong, question, topic, Math.max(0, maxSubagents - 1 - partGoals.length));
  const relatedGoals = between(relatedShare, leastStrong).map((entry) => askDocuments([entry], question, topic));
  const terms = toTopicTerms(topic);
  const sections = best.headings.filter((each) => !commonHeadings.test(each));
  const shared = (heading: string) => [...toTopicTerms(heading)].filter((term) => terms.has(term)).length;
  const toGoal = (heading: string) => `What does ${nameInQuotes(best.title)} say under ${nameInQuotes(heading)}?`;
  // A heading that is the question once more is answered with it.
  const onTopic = sections.filter((heading) => shared(heading) > 0 && shared(heading) < terms.size).map(toGoal);
  const offTopic = sections.filter((heading) => shared(heading) === 0).map(toGoal);
  return [goal, ...partGoals, ...strongGoals, ...onTopic, ...relatedGoals, ...offTopic];
}

/** At most `maxSubagents` goals, the question itself first, no two alike; at least one. */
export function planSubtasks({ question, outline, maxSubagents }: Extract<ModelTask, { kind: 'plan' }>): string[] {
  const goals = proposeGoals(question, outline, maxSubagents);
  const unlike = new Map(goals.map((goal) => [goal.toLowerCase(), goal]));
  return [...unlike.values()].slice(0, Math.max(1, maxSubagents));
}
