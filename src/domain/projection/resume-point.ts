/** Folds one subagent's history into the point at which its work can be taken up again. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { Source } from '../../contract/outcome.ts';
import type { PlannedCall, Resume } from '../../contract/resume.ts';
import type { BlobRef, ToolResult, TranscriptHead } from '../../contract/transcript.ts';
import { readBlobRef, readCount, readHead, readList, readText, toRecord } from './read-payload.ts';

/** What the last model call was asked with, what it replied, and what became of the calls of that reply. */
export type ResumePoint = {
  readonly asked: {
    readonly head: TranscriptHead | null;
    readonly turn: number;
    readonly results: readonly ToolResult[];
  };
  readonly replied: {
    readonly head: TranscriptHead;
    readonly turn: number;
    readonly calls: readonly PlannedCall[];
  } | null;
  /** By call id. */
  readonly answers: Readonly<Record<string, ToolResult>>;
  readonly begun: readonly string[];
  readonly sources: Readonly<Record<string, Source>>;
  readonly below: readonly BlobRef[];
};

export const noResumePoint: ResumePoint = {
  asked: { head: null, turn: 1, results: [] },
  replied: null,
  answers: {},
  begun: [],
  sources: {},
  below: [],
};

const wholeReplies = ['tool-calls', 'stop'];

type Scheduled = Extract<HistoryFact, { kind: 'activity-scheduled' }>;
type Completed = Extract<HistoryFact, { kind: 'activity-completed' }>;

export function foldAsked(point: ResumePoint, fact: Scheduled): ResumePoint {
  if (fact.activityType === 'callToolActivity') {
    const callId = readText(fact.input, 'callId');
    return point.begun.includes(callId) ? point : { ...point, begun: [...point.begun, callId] };
  }
  if (fact.activityType !== 'callModelActivity') return point;
  const asked = {
    head: readHead(fact.input, 'head'),
    turn: Math.max(1, readCount(fact.input, 'turn')),
    results: readList(fact.input, 'results') as ToolResult[],
  };
  return { ...point, asked, replied: null, answers: {}, begun: [] };
}

export function foldAnswered(
  point: ResumePoint,
  { activityType, name }: { readonly activityType: string; readonly name: string },
  { result }: Completed,
): ResumePoint {
  switch (activityType) {
    case 'callModelActivity': {
      const head = readHead(result, 'head');
      const calls = readList(result, 'calls') as PlannedCall[];
      // A reply without calls is an answer, or was none; calls of one that was cut short are never made.
      const isWhole = calls.length > 0 && wholeReplies.includes(readText(result, 'finish'));
      return head && isWhole ? { ...point, replied: { head, turn: point.asked.turn, calls } } : point;
    }
    case 'callToolActivity':
      return withAnswer(point, name, toRecord(result));
    case 'loadResumeActivity':
      return fromResume(result as Resume);
    default:
      return point;
  }
}

/** A whole report of one below it: what that one read counts as read. */
export function foldBelow(point: ResumePoint, reportRef: BlobRef | null): ResumePoint {
  return reportRef ? { ...point, below: [...point.below, reportRef] } : point;
}

/** `null` where no turn is complete, so that there is nothing to go on from. */
export function resumeOf({ asked, replied, answers, begun, sources, below }: ResumePoint): Resume | null {
  const read = { sources: Object.values(sources), below: [...below] };
  if (replied) {
    const results = replied.calls.flatMap(({ callId }) => answers[callId] ?? []);
    const open = begun.filter((callId) => !Object.hasOwn(answers, callId));
    return { head: replied.head, turns: replied.turn, calls: [...replied.calls], results, begun: open, ...read };
  }
  if (!asked.head) return null;
  return { head: asked.head, turns: asked.turn - 1, calls: [], results: [...asked.results], begun: [], ...read };
}

function withAnswer(point: ResumePoint, name: string, result: Readonly<Record<string, unknown>>): ResumePoint {
  const ref = readBlobRef(result, 'ref');
  const callId = readText(result, 'callId');
  // A call that hands work on is answered by those below it, not by its activity.
  if (!ref || callId === '' || Array.isArray(result.delegated)) return point;
  const answer = { callId, name, isError: result.isError === true, content: { ref } };
  const answered = { ...point, answers: { ...point.answers, [callId]: answer } };
  if (answer.isError) return answered;
  const found = readList(result, 'sources').map((each) => ({
    id: readText(each, 'id'),
    url: readText(each, 'url'),
    title: readText(each, 'title'),
  }));
  return found.reduce<ResumePoint>((state, source) => {
    const contents = state.sources[source.id]?.contents ?? [];
    return { ...state, sources: { ...state.sources, [source.id]: { ...source, contents: [...contents, ref] } } };
  }, answered);
}

function fromResume({ head, turns, calls, results, begun, sources, below }: Resume): ResumePoint {
  const common = {
    sources: Object.fromEntries(sources.map((source) => [source.id, source])),
    below,
    answers: Object.fromEntries(results.map((result) => [result.callId, result])),
    begun,
  };
  const asked = { head, turn: turns + 1, results };
  return calls.length === 0
    ? { ...common, answers: {}, begun: [], asked, replied: null }
    : { ...common, asked, replied: { head, turn: turns, calls } };
}
