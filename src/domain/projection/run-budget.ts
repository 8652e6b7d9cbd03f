/** The meters of a run, from the fold: what is spent, what is held for open work, and what remains of the limit. */
import type { Amounts, BudgetState, Meter, Usage } from '../../contract/budget.ts';
import { elapsedMs } from './epoch-ms.ts';
import { toMicroUsd, toUsdMeter } from '../money.ts';
import type { RunView } from './run-state.ts';
import { noShare } from './share.ts';
import { ofRun } from '../subagent-tree.ts';
import { addUsage } from '../usage.ts';
import { wholeUsageOf } from './whole-usage.ts';

/** `atIso` = the time up to which the wall clock is shown while the run is open. */
export function budgetOf(view: RunView, atIso: string): BudgetState {
  if (view.recorded) return view.recorded.budget;
  const budget = view.request?.budget;
  const { earlier, planner, synthesis } = view;
  const spentTokens = view.shares.spent.tokens + earlier.tokens + planner.tokens + synthesis.tokens;
  const isOpen = view.end === null;
  const held = isOpen ? heldByRun(view) : { tokens: 0, microUsd: 0 };
  const reserved = isOpen ? view.shares.reserved : noShare.reserved;
  return {
    tokens: toMeter(spentTokens, reserved.tokens + held.tokens, (budget?.tokens ?? 0) + view.raised.tokens),
    toolCalls: toMeter(
      view.shares.spent.toolCalls + earlier.toolCalls,
      reserved.toolCalls,
      (budget?.toolCalls ?? 0) + view.raised.toolCalls,
    ),
    wallClockMs: toMeter(
      elapsedMs(view.startedAt, view.closedAt ?? atIso),
      0,
      (budget?.wallClock ?? 0) + view.raised.wallClockMs,
    ),
    ...(budget?.usd !== undefined && {
      usd: toUsdMeter(
        toMeter(
          view.shares.spent.microUsd + toMicroUsd(earlier.usd) + toMicroUsd(planner.usd) + toMicroUsd(synthesis.usd),
          reserved.microUsd + held.microUsd,
          toMicroUsd(budget.usd) + view.raised.microUsd,
        ),
      ),
    }),
  };
}

/** Planner, subagents and synthesis together, on top of what a run that is taken over has used; the wall clock is the run's own. */
export function usageOfRun(view: RunView, atIso: string): Usage {
  if (view.recorded) return view.recorded.usage;
  const sum = ofRun(view.subagents).reduce(
    (total, subagent) => addUsage(total, wholeUsageOf(view, subagent)),
    addUsage(view.earlier, addUsage(view.planner, view.synthesis)),
  );
  return { ...sum, wallClockMs: elapsedMs(view.startedAt, view.closedAt ?? atIso) };
}

/** Calls of the run itself that are in flight, and the report's share until the report is begun. */
function heldByRun(view: RunView): Pick<Amounts, 'tokens' | 'microUsd'> {
  const report = view.hasSynthesisBegun ? { tokens: 0, microUsd: 0 } : synthesisReserveOf(view);
  return Object.values(view.open).reduce(
    (sum, { held }) => ({ tokens: sum.tokens + held.tokens, microUsd: sum.microUsd + (held.microUsd ?? 0) }),
    report,
  );
}

/** As the run's ledger sets it aside: a share of the tokens with a floor, never more than there are, and of the money. */
function synthesisReserveOf({ request, synthesisReserveMinTokens }: RunView): Pick<Amounts, 'tokens' | 'microUsd'> {
  if (!request) return { tokens: 0, microUsd: 0 };
  const { tokens, usd, synthesisReserve } = request.budget;
  return {
    tokens: Math.min(tokens, Math.max(synthesisReserveMinTokens, Math.floor(tokens * synthesisReserve))),
    microUsd: Math.floor(toMicroUsd(usd ?? 0) * synthesisReserve),
  };
}

/** `spent + reserved + remaining = limit`; beyond the limit nothing is reserved and nothing remains. */
function toMeter(spent: number, held: number, limit: number): Meter {
  const reserved = Math.min(held, Math.max(0, limit - spent));
  return { spent, reserved, remaining: Math.max(0, limit - spent - reserved), limit };
}
