/** What people do to a run that is going on: more budget, the report now, the plan, the calls that ask first. */
import type { BudgetState } from '../contract/budget.ts';
import {
  addBudgetInputSchema,
  approvePlanInputSchema,
  decideApprovalInputSchema,
  finalizeInputSchema,
  revisePlanInputSchema,
  type ApprovalOutcome,
  type BudgetRaiseInput,
} from '../contract/control.ts';
import { parseInput } from '../contract/invalid-input.ts';
import {
  addBudgetUpdate,
  approvePlanUpdate,
  decideApprovalUpdate,
  finalizeUpdate,
  revisePlanUpdate,
} from '../temporal/names.ts';
import type { ClientContext } from './client-context.ts';
import type {
  AddBudgetOptions,
  ApproveOptions,
  ApprovePlanOptions,
  DenyOptions,
  SteerOptions,
} from './research-api.ts';
import { sendUpdate } from './send-update.ts';

export async function addBudget(
  context: ClientContext,
  runId: string,
  add: BudgetRaiseInput,
  options: AddBudgetOptions,
): Promise<BudgetState> {
  const { subagentId, reason } = options;
  const input = parseInput(
    addBudgetInputSchema,
    { add, by: context.identity, ...(subagentId !== undefined && { subagentId }), ...(reason && { reason }) },
    'budget',
  );
  return sendUpdate(context, runId, addBudgetUpdate, input, options);
}

export async function finalizeRun(
  context: ClientContext,
  runId: string,
  options: SteerOptions & { readonly reason?: string },
): Promise<void> {
  const { reason } = options;
  const input = parseInput(finalizeInputSchema, { by: context.identity, ...(reason && { reason }) }, 'finalize');
  await sendUpdate(context, runId, finalizeUpdate, input, options);
}

export async function approvePlan(context: ClientContext, runId: string, options: ApprovePlanOptions): Promise<void> {
  const input = parseInput(approvePlanInputSchema, { edits: [...(options.edits ?? [])], by: context.identity }, 'plan');
  await sendUpdate(context, runId, approvePlanUpdate, input, options);
}

export async function revisePlan(
  context: ClientContext,
  runId: string,
  feedback: string,
  options: SteerOptions,
): Promise<void> {
  const input = parseInput(revisePlanInputSchema, { feedback, by: context.identity }, 'plan');
  await sendUpdate(context, runId, revisePlanUpdate, input, options);
}

export async function decideApproval(
  context: ClientContext,
  runId: string,
  decision: { readonly id: string; readonly decision: 'approved' | 'denied' },
  options: ApproveOptions & DenyOptions,
): Promise<ApprovalOutcome> {
  const { args, remember, reason } = options;
  const input = parseInput(
    decideApprovalInputSchema,
    {
      ...decision,
      by: context.identity,
      ...(args && { args }),
      ...(remember && { remember }),
      ...(reason && { reason }),
    },
    'approval',
  );
  return sendUpdate(context, runId, decideApprovalUpdate, input, options);
}
