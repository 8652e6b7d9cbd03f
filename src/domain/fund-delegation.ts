/** What a subagent gives to those that it starts: together half of what it has left, so that it can go on after them. */
import type { Amounts } from '../contract/budget.ts';
import type { MinAllotment } from './fan-out.ts';

/** `count` may be fewer than were wanted; 0 = not one can be paid for. */
export type DelegationFunds = { readonly count: number; readonly allotment: Amounts };

/**
 * An equal share of half of `open` for each of `wanted` subtasks, rounded down. Where that is less than `min`, or no tool
 * call, the first of them are funded alone, with more.
 */
export function fundDelegation(open: Amounts, wanted: number, min: MinAllotment): DelegationFunds {
  const half = (amount: number) => Math.floor(amount / 2);
  const fits = (amount: number, least: number) => (least === 0 ? wanted : Math.floor(half(amount) / least));
  const count = Math.min(
    wanted,
    fits(open.tokens, min.tokens),
    fits(open.microUsd, min.microUsd),
    fits(open.toolCalls, 1),
  );
  const share = (amount: number) => (count === 0 ? 0 : Math.floor(half(amount) / count));
  return {
    count,
    allotment: { tokens: share(open.tokens), toolCalls: share(open.toolCalls), microUsd: share(open.microUsd) },
  };
}
