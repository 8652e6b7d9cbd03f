/** Sums of what a ledger holds. */
import type { Amounts } from '../contract/budget.ts';

export const noAmounts: Amounts = { tokens: 0, toolCalls: 0, microUsd: 0 };

/** Of each the smaller one. */
export function leastAmounts(a: Amounts, b: Amounts): Amounts {
  return {
    tokens: Math.min(a.tokens, b.tokens),
    toolCalls: Math.min(a.toolCalls, b.toolCalls),
    microUsd: Math.min(a.microUsd, b.microUsd),
  };
}

/** Of each the larger one. */
export function mostAmounts(a: Amounts, b: Amounts): Amounts {
  return {
    tokens: Math.max(a.tokens, b.tokens),
    toolCalls: Math.max(a.toolCalls, b.toolCalls),
    microUsd: Math.max(a.microUsd, b.microUsd),
  };
}

/** Never below nothing. */
export function subtractAmounts(a: Amounts, b: Amounts): Amounts {
  return {
    tokens: Math.max(0, a.tokens - b.tokens),
    toolCalls: Math.max(0, a.toolCalls - b.toolCalls),
    microUsd: Math.max(0, a.microUsd - b.microUsd),
  };
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  return {
    tokens: a.tokens + b.tokens,
    toolCalls: a.toolCalls + b.toolCalls,
    microUsd: a.microUsd + b.microUsd,
  };
}
