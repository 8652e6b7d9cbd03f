/** What one subagent has spent and still holds; the sum over all of them is kept as the fold goes, not computed anew. */
import type { Amounts } from '../../contract/budget.ts';
import { closedAtOf, type SubagentFold, usageOf } from './subagent-state.ts';

/** One subagent's share in the totals of a run. */
export type Share = { readonly spent: Amounts; readonly reserved: Amounts };
export const noShare: Share = { spent: { tokens: 0, toolCalls: 0 }, reserved: { tokens: 0, toolCalls: 0 } };

/** What a subagent has spent, and what its allotment still holds while it is open. */
export function shareOf(subagent: SubagentFold | undefined): Share {
  if (!subagent) return noShare;
  const { tokens, toolCalls } = usageOf(subagent);
  const held = closedAtOf(subagent) === undefined && !subagent.recorded ? subagent.allotment : null;
  return {
    spent: { tokens, toolCalls },
    reserved: {
      tokens: Math.max(0, (held?.tokens ?? 0) - tokens),
      toolCalls: Math.max(0, (held?.toolCalls ?? 0) - toolCalls),
    },
  };
}

export function addShare(a: Share, b: Share, sign: 1 | -1): Share {
  const add = (x: Amounts, y: Amounts): Amounts => ({
    tokens: x.tokens + sign * y.tokens,
    toolCalls: x.toolCalls + sign * y.toolCalls,
  });
  return { spent: add(a.spent, b.spent), reserved: add(a.reserved, b.reserved) };
}
