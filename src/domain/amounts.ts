/** Sums of what a ledger holds. */
import type { Amounts } from '../contract/budget.ts';

export const noAmounts: Amounts = { tokens: 0, toolCalls: 0, microUsd: 0 };

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  return {
    tokens: a.tokens + b.tokens,
    toolCalls: a.toolCalls + b.toolCalls,
    microUsd: a.microUsd + b.microUsd,
  };
}
