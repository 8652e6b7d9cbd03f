/** What each subagent may use, and whether the next one may start: never more than the budget can fund. */
import type { Amounts } from '../contract/budget.ts';

/** Less than this does not pay for a single turn and the hand-back. */
export type MinAllotment = Pick<Amounts, 'tokens' | 'microUsd'>;

/**
 * The allotment of each of `planned` subagents: an equal share of what remains, rounded down. `subagentTokens`, where the
 * caller of the run set it, replaces the share of tokens. A share too small to work with is raised to `min`, so that fewer
 * subagents run rather than none.
 */
export function planAllotment(
  remaining: Amounts,
  planned: number,
  subagentTokens: number | undefined,
  min: MinAllotment = { tokens: 0, microUsd: 0 },
): Amounts {
  const share = (amount: number) => Math.floor(amount / Math.max(1, planned));
  return {
    tokens: subagentTokens ?? Math.max(min.tokens, share(remaining.tokens)),
    toolCalls: share(remaining.toolCalls),
    microUsd: Math.max(min.microUsd, share(remaining.microUsd)),
  };
}

/** How many subagents of this allotment `remaining` pays for at once, of `planned`. */
export function countFunded(remaining: Amounts, allotment: Amounts, planned: number): number {
  const fits = (dimension: keyof Amounts) =>
    allotment[dimension] === 0 ? planned : Math.floor(remaining[dimension] / allotment[dimension]);
  return Math.min(planned, fits('tokens'), fits('microUsd'));
}

export type FanOutState = {
  /** What the run's ledger can still give. */
  readonly remaining: Amounts;
  readonly allotment: Amounts;
  readonly min: MinAllotment;
  /** Subagents that have not settled. */
  readonly running: number;
  /** No new work, and why. */
  readonly stopped: 'wall-clock' | 'quota' | 'operator' | null;
  /** A person may still raise the budget. */
  readonly isPatient?: boolean;
};

export type FanOutDecision =
  /** `allotment` is what to reserve: tool calls may be fewer than planned, never less than one. */
  | { readonly kind: 'start'; readonly allotment: Amounts }
  /** It does not fit now, but what runs may hand something back. */
  | { readonly kind: 'wait' }
  /** It does not fit, and only a person can change that. */
  | { readonly kind: 'pause' }
  | { readonly kind: 'skip'; readonly reason: 'budget' | 'wall-clock' | 'quota' | 'operator' };

/** May the next subagent of the plan start? Tokens and money are granted in full or not at all. */
export function decideNext(state: FanOutState): FanOutDecision {
  const { remaining, allotment } = state;
  if (state.stopped) return { kind: 'skip', reason: state.stopped };
  if (allotment.tokens < state.min.tokens || allotment.microUsd < state.min.microUsd)
    return { kind: 'skip', reason: 'budget' };
  const isFunded = allotment.tokens <= remaining.tokens && allotment.microUsd <= remaining.microUsd;
  if (isFunded && remaining.toolCalls >= 1) {
    const toolCalls = Math.max(1, Math.min(allotment.toolCalls, remaining.toolCalls));
    return { kind: 'start', allotment: { ...allotment, toolCalls } };
  }
  if (state.running > 0) return { kind: 'wait' };
  return state.isPatient ? { kind: 'pause' } : { kind: 'skip', reason: 'budget' };
}
