/** One turn of a subagent: search, then read, then hand back what was found. Decided from the messages alone. */
import { sliceText } from '../../domain/text.ts';
import type { ModelReply, ModelTask } from '../../contract/model.ts';
import type { SearchHit } from '../../domain/corpus-reading.ts';
import { toTerms } from '../../domain/language/to-terms.ts';
import type { ModelRequest } from '../model.ts';
import { chooseHits } from './choose-hits.ts';
import type { Progress } from './read-transcript.ts';
import { readTranscript } from './read-transcript.ts';
import { splitQuestion } from './split-question.ts';
import { toQuestionGoal } from './to-question-goal.ts';
import { writeFindings } from './write-findings.ts';

type ResearchTask = Extract<ModelTask, { kind: 'research' }>;
type Turn = Pick<ModelReply, 'text' | 'toolCalls'>;

const maxShortTerms = 4;
const maxQueryChars = 1_000;
const maxDocuments = 7;
/** The best document is read as far as one answer goes, the others as far as their opening. */
const openingChars = 6_000;
/** A document that could not be read is made up for once. */
const maxReadRounds = 2;

/** A goal that names a document finds it; a shorter one is searched for alone and in the light of the question. */
function toQueries({ goal, question }: ResearchTask): string[] {
  const { topic, parts } = splitQuestion(question);
  const isShort = new Set(toTerms(splitQuestion(goal).topic)).size <= maxShortTerms;
  const second =
    goal === toQuestionGoal(question) ? (parts.length > 0 ? [topic] : []) : isShort ? [`${goal} ${topic}`] : [];
  return [goal, ...second].map((query) => sliceText(query, maxQueryChars));
}

/** The best document from its opening and in its best section, the others from their opening. */
function toReads(hits: readonly SearchHit[]): Turn['toolCalls'] {
  const read = (rest: Record<string, unknown>) => ({ name: 'corpus_read', arguments: rest });
  return hits.flatMap(({ url: document, section }, at) => {
    if (at > 0) return [read({ document, maxChars: openingChars })];
    return [
      read({ document }),
      ...(section === undefined ? [] : [read({ document, section, maxChars: openingChars })]),
    ];
  });
}

function planCalls(task: ResearchTask, { searches, tried, readings }: Progress): Turn['toolCalls'] {
  if (searches.length === 0) return toQueries(task).map((query) => ({ name: 'corpus_search', arguments: { query } }));
  if (readings.length > 0 || tried.size >= maxDocuments * maxReadRounds) return [];
  return toReads(
    chooseHits(searches)
      .filter(({ url }) => !tried.has(url))
      .slice(0, maxDocuments),
  );
}

/** The next calls, or the findings as JSON (`SubagentReport`), which fit into `maxOutputTokens`. */
export function decideResearchTurn(task: ResearchTask, request: ModelRequest): Turn {
  const progress = readTranscript(request.messages);
  const offered = new Set(request.tools.map(({ name }) => name));
  const calls = planCalls(task, progress).filter(({ name }) => offered.has(name));
  if (!task.handBack && calls.length > 0) return { text: '', toolCalls: calls };
  const missing = task.handBack ? [] : ['corpus_search', 'corpus_read'].filter((name) => !offered.has(name));
  const failures = missing.map((name) => `the tool ${name} is not offered, so the documents could not be looked at`);
  return {
    text: writeFindings(task, { ...progress, failures: [...progress.failures, ...failures] }, request.maxOutputTokens),
    toolCalls: [],
  };
}
