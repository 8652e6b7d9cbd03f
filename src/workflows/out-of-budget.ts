/** Why a run stops for want of budget: which limit is short, and what to give more of. */
import { TributaryError } from '../contract/failure.ts';
import { formatCount } from '../domain/text.ts';
import type { RunState } from './run-state.ts';

export function outOfBudget(run: RunState, what: string, role: 'planner' | 'subagent'): TributaryError {
  const { budget, subagentTokens } = run.request;
  if (budget.usd !== undefined && run.isShortOfMoney(role)) {
    const message = `the budget of $${run.budget().usd!.limit} does not pay for ${what} with ${run.choiceOf(role).model}; give more with --budget-usd`;
    return new TributaryError('BUDGET_EXHAUSTED', message);
  }
  const each = subagentTokens === undefined ? '' : `, with ${formatCount(subagentTokens)} a subagent,`;
  return new TributaryError(
    'BUDGET_EXHAUSTED',
    `the budget of ${formatCount(run.ledger.total.tokens)} tokens${each} does not pay for ${what}; give more with --budget-tokens${each && ' or --subagent-tokens'}`,
  );
}
