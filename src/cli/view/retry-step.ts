/** The command that goes on with what an ended run has left undone. Pure. */
import type { BudgetState } from '../../contract/budget.ts';
import { defaults } from '../../contract/defaults.ts';
import type { RunStatus } from '../../contract/run-view.ts';
import type { ToCommand } from '../output/problem.ts';
import { hasEnded } from '../follow/fold-run-event.ts';

/** Nothing for a run that goes on, and for one that is complete. `isShort`: somebody went without for want of budget. */
export function toRetryStep(
  run: { readonly runId: string; readonly status: RunStatus; readonly budget: BudgetState; readonly isShort: boolean },
  toCommand: ToCommand,
): [string, string][] {
  const { runId, status, budget } = run;
  if (!hasEnded(status) || status === 'completed') return [];
  const isOut = budget.tokens.limit - budget.tokens.spent < defaults.synthesisReserveMinTokens;
  const more = isOut ? toMoreBudget(budget, 'tokens') : run.isShort ? toMoreBudget(budget) : [];
  const label = status === 'partial' ? 'retry the gaps only' : 'retry what is missing';
  return [[label, toCommand('retry', runId, ...more)]];
}

/** Half as much again of what there is the least of, or of what is known to be short. */
export function toMoreBudget({ tokens, toolCalls, usd }: BudgetState, short?: 'tokens' | 'usd'): string[] {
  const meters = [
    { kind: 'tokens', flag: '--budget-tokens', ...tokens },
    { kind: 'calls', flag: '--budget-calls', ...toolCalls },
    ...(usd ? [{ kind: 'usd', flag: '--budget-usd', ...usd }] : []),
  ];
  const [least] = meters.toSorted((a, b) => b.spent / b.limit - a.spent / a.limit);
  const { flag, limit, spent } = meters.find(({ kind }) => kind === short) ?? least!;
  return [flag, String(Math.ceil(Math.max(limit, spent) * 1.5))];
}
