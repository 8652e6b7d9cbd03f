/** What one subagent of the run has spent and still holds; the sum over all is kept as the fold goes, not computed anew. */
import type { Amounts } from '../../contract/budget.ts';
import { toMicroUsd } from '../money.ts';
import { closedAtOf, limitOf, type SubagentFold } from './subagent-state.ts';
import { type SubagentTree, usageOfAttempt, wholeUsageOf } from './whole-usage.ts';

/** One subagent's share in the totals of a run. */
export type Share = { readonly spent: Amounts; readonly reserved: Amounts };
const nothing: Amounts = { tokens: 0, toolCalls: 0, microUsd: 0 };
export const noShare: Share = { spent: nothing, reserved: nothing };

/** What a subagent and those below it have spent, and what its allotment still holds while it is open. */
export function shareOf(tree: SubagentTree, subagent: SubagentFold | undefined): Share {
  if (!subagent) return noShare;
  const { tokens, toolCalls, usd } = wholeUsageOf(tree, subagent);
  const microUsd = toMicroUsd(usd);
  // Earlier attempts have given back what they did not use.
  const used = subagent.earlier.length === 0 ? { tokens, toolCalls, usd } : usageOfAttempt(tree, subagent);
  const held = closedAtOf(subagent) === undefined && !subagent.recorded ? limitOf(subagent) : null;
  return {
    spent: { tokens, toolCalls, microUsd },
    reserved: {
      tokens: Math.max(0, (held?.tokens ?? 0) - used.tokens),
      toolCalls: Math.max(0, (held?.toolCalls ?? 0) - used.toolCalls),
      microUsd: Math.max(0, (held?.microUsd ?? 0) - toMicroUsd(used.usd)),
    },
  };
}

export function addShare(a: Share, b: Share, sign: 1 | -1): Share {
  const add = (x: Amounts, y: Amounts): Amounts => ({
    tokens: x.tokens + sign * y.tokens,
    toolCalls: x.toolCalls + sign * y.toolCalls,
    microUsd: x.microUsd + sign * y.microUsd,
  });
  return { spent: add(a.spent, b.spent), reserved: add(a.reserved, b.reserved) };
}
