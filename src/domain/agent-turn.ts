/** Decides what a subagent does next: call the model, run its tools, or end, and as what. Knows nothing of Temporal. */
import type { FinishReason } from '../contract/model.ts';
import type { OutcomeReason, OutcomeStatus } from '../contract/outcome.ts';

/** Truncated replies in a row that end a subagent (CASES B11). */
const maxTruncatedTurns = 2;
/** Unreadable calls in a row, by the provider's word, that end a subagent (CASES B15). */
const maxMalformedTurns = 2;
/** Equal batches in a row that are a loop (R2.7). */
const loopLength = 3;

export type AgentState = {
  readonly maxTurns: number;
  /** Model calls that were answered. */
  readonly turns: number;
  /** Why the next turn must hand back; `null` while work goes on. */
  readonly stopping: OutcomeReason | null;
  readonly truncatedTurns: number;
  readonly malformedTurns: number;
  /** Signatures of the last batches, newest last. */
  readonly recentBatches: readonly string[];
  /** Calls that the model asked for, and messages that held at least one. */
  readonly toolCalls: number;
  readonly toolCallMessages: number;
};

export function openAgent(maxTurns: number): AgentState {
  return {
    maxTurns,
    turns: 0,
    stopping: null,
    truncatedTurns: 0,
    malformedTurns: 0,
    recentBatches: [],
    toolCalls: 0,
    toolCallMessages: 0,
  };
}

/** Asks for the hand-back turn. The first reason stays. */
export function stopAgent(state: AgentState, reason: OutcomeReason): AgentState {
  return state.stopping ? state : { ...state, stopping: reason };
}

/** The reason to hand back on the coming turn, or `null` for a working turn. The last of `maxTurns` is always tools-off. */
export function decideHandBack(state: AgentState): OutcomeReason | null {
  return state.stopping ?? (state.turns >= state.maxTurns - 1 ? 'max-turns' : null);
}

export type ReplyFacts = {
  readonly calls: readonly { readonly argumentsHash: string; readonly name: string }[];
  readonly finish: FinishReason;
  readonly rawFinish?: string;
  readonly hasReport: boolean;
};

export type AgentDecision =
  /** Execute the calls and go on. */
  | { readonly kind: 'run-tools' }
  /** Answer every call with this problem, execute none, and go on. */
  | { readonly kind: 'answer-calls'; readonly problem: 'truncated' | 'loop' }
  /** Nothing to execute: ask again, and say what was wrong with the last reply, if anything was. */
  | { readonly kind: 'continue'; readonly note?: 'truncated' | 'malformed-call' }
  | {
      readonly kind: 'end';
      readonly status: OutcomeStatus;
      readonly reason?: OutcomeReason;
      readonly message?: string;
    };

/** After a reply: the next state, and what to do. `handBack` is the reason that the turn was asked for with, if any. */
export function decideAfterReply(
  before: AgentState,
  reply: ReplyFacts,
  handBack: OutcomeReason | null,
): { readonly state: AgentState; readonly decision: AgentDecision } {
  const counted: AgentState = {
    ...before,
    turns: before.turns + 1,
    toolCalls: before.toolCalls + reply.calls.length,
    toolCallMessages: before.toolCallMessages + (reply.calls.length > 0 ? 1 : 0),
    truncatedTurns: reply.finish === 'length' ? before.truncatedTurns + 1 : 0,
    malformedTurns: reply.finish === 'malformed-call' ? before.malformedTurns + 1 : 0,
  };
  const end = (decision: Omit<Extract<AgentDecision, { kind: 'end' }>, 'kind'>) => ({
    state: counted,
    decision: { kind: 'end', ...decision } as const,
  });
  const failedBy = failureOf(reply);
  if (failedBy) return end(failedBy);
  if (handBack) {
    const reason = reply.finish === 'length' ? 'truncated' : handBack;
    if (reply.hasReport) return end({ status: 'partial', reason });
    return end({ status: 'failed', reason, message: `stopped (${handBack}) and handed back nothing` });
  }
  if (reply.finish === 'length') {
    if (counted.truncatedTurns < maxTruncatedTurns) {
      return {
        state: counted,
        decision:
          reply.calls.length > 0
            ? { kind: 'answer-calls', problem: 'truncated' }
            : { kind: 'continue', note: 'truncated' },
      };
    }
    const message = `the output limit cut ${counted.truncatedTurns} replies in a row`;
    return end({ status: reply.hasReport ? 'partial' : 'failed', reason: 'truncated', message });
  }
  if (reply.finish === 'malformed-call') {
    if (counted.malformedTurns < maxMalformedTurns) {
      return { state: counted, decision: { kind: 'continue', note: 'malformed-call' } };
    }
    const message = `the model made ${counted.malformedTurns} calls in a row that cannot be read${rawOf(reply)}`;
    return end({ status: 'failed', reason: 'provider', message });
  }
  if (reply.calls.length > 0) return decideBatch(counted, reply);
  if (reply.finish === 'pause') return { state: counted, decision: { kind: 'continue' } };
  if (reply.hasReport) return end({ status: 'done' });
  return end({ status: 'failed', reason: 'provider', message: 'the model ended with an empty answer' });
}

function decideBatch(state: AgentState, reply: ReplyFacts) {
  const signature = reply.calls
    .map((call) => `${call.name}:${call.argumentsHash}`)
    .sort()
    .join('\n');
  const recentBatches = [...state.recentBatches, signature].slice(-loopLength);
  const looping = recentBatches.length === loopLength && recentBatches.every((each) => each === signature);
  const next = { ...state, recentBatches };
  return looping
    ? { state: stopAgent(next, 'loop'), decision: { kind: 'answer-calls', problem: 'loop' } as const }
    : { state: next, decision: { kind: 'run-tools' } as const };
}

function rawOf(reply: ReplyFacts): string {
  return reply.rawFinish ? ` (${reply.rawFinish})` : '';
}

/** Stop states that are never an answer, whatever text came along (CASES B15, B16). */
function failureOf(reply: ReplyFacts): { status: 'failed'; reason: OutcomeReason; message: string } | null {
  const raw = rawOf(reply);
  switch (reply.finish) {
    case 'refusal':
      return { status: 'failed', reason: 'refusal', message: `the model refused${raw}` };
    case 'content-filter':
      return { status: 'failed', reason: 'content-filter', message: `the provider filtered the answer${raw}` };
    case 'context-exceeded':
      return {
        status: 'failed',
        reason: 'context-exceeded',
        message: `the conversation is larger than the model's window${raw}`,
      };
    case 'error':
      return { status: 'failed', reason: 'provider', message: `the model ended with an error${raw}` };
    case 'unknown':
      return { status: 'failed', reason: 'provider', message: `the model stopped for an unknown reason${raw}` };
    case 'stop':
    case 'tool-calls':
    case 'length':
    case 'pause':
    case 'malformed-call':
      return null;
    default:
      reply.finish satisfies never;
      return null;
  }
}
