/** What each subagent may use, and whether the next one may start: never more than the budget can fund. */
import type { Amounts } from '../contract/budget.ts';

/**
 * The allotment of each of `planned` subagents: an equal share of what remains, rounded down. `subagentTokens`, where the
 * caller of the run set it, replaces the share of tokens. `minTokens`: a share too small to work with is raised to it, so
 * that fewer subagents run rather than none.
 */
export function planAllotment(
  remaining: Amounts,
  planned: number,
  subagentTokens: number | undefined,
  minTokens = 0,
): Amounts {
  const share = (amount: number) => Math.floor(amount / Math.max(1, planned));
  return {
    tokens: subagentTokens ?? Math.max(minTokens, share(remaining.tokens)),
    toolCalls: share(remaining.toolCalls),
  };
}

export type FanOutState = {
  /** What the run's ledger can still give. */
  readonly remaining: Amounts;
  readonly allotment: Amounts;
  /** Fewer tokens than this do not pay for a single turn and the hand-back. */
  readonly minTokens: number;
  /** Subagents that have not settled. */
  readonly running: number;
  /** No new work: the time is up. */
  readonly finalize: boolean;
};

export type FanOutDecision =
  /** `allotment` is what to reserve: tool calls may be fewer than planned, never less than one. */
  | { readonly kind: 'start'; readonly allotment: Amounts }
  /** It does not fit now, but what runs may hand something back. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'skip'; readonly reason: 'budget' | 'wall-clock' };

/** May the next subagent of the plan start? Tokens are granted in full or not at all. */
export function decideNext(state: FanOutState): FanOutDecision {
  const { remaining, allotment } = state;
  if (state.finalize) return { kind: 'skip', reason: 'wall-clock' };
  if (allotment.tokens < state.minTokens) return { kind: 'skip', reason: 'budget' };
  if (allotment.tokens <= remaining.tokens && remaining.toolCalls >= 1) {
    const toolCalls = Math.max(1, Math.min(allotment.toolCalls, remaining.toolCalls));
    return { kind: 'start', allotment: { tokens: allotment.tokens, toolCalls } };
  }
  return state.running > 0 ? { kind: 'wait' } : { kind: 'skip', reason: 'budget' };
}
