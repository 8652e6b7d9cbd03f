/** The most that a run may be given: what the operator of the workers allows, whoever asks. */
import type { BudgetCeiling } from '../contract/budget.ts';
import { formatCount } from './text.ts';

const words = {
  tokens: (amount: number) => `${formatCount(amount)} tokens`,
  usd: (amount: number) => `$${amount}`,
  toolCalls: (amount: number) => `${formatCount(amount)} tool calls`,
  wallClockMs: (amount: number) => `${formatCount(Math.ceil(amount / 1_000))} s`,
} as const;

/** The first limit of `budget` that is above `ceiling`, in a sentence; `null` where none is. A limit that is absent on either side is not compared. */
export function findAboveCeiling(budget: BudgetCeiling, ceiling: BudgetCeiling): string | null {
  for (const key of ['tokens', 'usd', 'toolCalls', 'wallClockMs'] as const) {
    const [wanted, most] = [budget[key], ceiling[key]];
    if (wanted === undefined || most === undefined || wanted <= most) continue;
    return `budget: ${words[key](wanted)} is above the ceiling of ${words[key](most)} that this installation sets`;
  }
  return null;
}
