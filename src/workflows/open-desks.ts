/** Opens the desks of a run: what answers people and subagents while it goes on. */
import { ApprovalDesk } from './approval-desk.ts';
import { BudgetDesk } from './budget-desk.ts';
import { listenForFinalize } from './listen-for-finalize.ts';
import { PlanDesk } from './plan-desk.ts';
import { RetryDesk } from './retry-desk.ts';
import type { RunState } from './run-state.ts';
import { SubagentLinks } from './subagent-links.ts';

/** Whom people and subagents speak to. Their handlers stand before anything can arrive. */
export type Desks = {
  readonly links: SubagentLinks;
  readonly budget: BudgetDesk;
  readonly approvals: ApprovalDesk;
  readonly plan: PlanDesk;
  readonly retries: RetryDesk;
};

export function openDesks(run: RunState): Desks {
  const links = new SubagentLinks(run.request.runId);
  const budget = new BudgetDesk(run, links);
  const approvals = new ApprovalDesk(run, links);
  const plan = new PlanDesk(run, budget);
  const retries = new RetryDesk(run);
  listenForFinalize(run, { links, budget, approvals });
  return { links, budget, approvals, plan, retries };
}
