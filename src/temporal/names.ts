/** The words that travel on the wire. A test pins them: running work depends on each. */
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { BudgetState } from '../contract/budget.ts';
import type {
  AddBudgetInput,
  AllotmentRaise,
  ApprovalAnswer,
  ApprovalAsk,
  ApprovalOutcome,
  ApprovePlanInput,
  DecideApprovalInput,
  FinalizeInput,
  PersonWait,
  RetrySubagentInput,
  RevisePlanInput,
  TopUpAnswer,
  TopUpAsk,
} from '../contract/control.ts';
import type { Continued } from '../contract/carry.ts';
import type { StoppedUsage } from '../contract/stopped-usage.ts';

export const workflowTypes = { research: 'researchWorkflow', subagent: 'subagentWorkflow' } as const;

/** From a cancelled subagent to its run, or to the subagent that started it, before it closes: a cancelled child returns nothing. */
export const subagentStoppedSignal = defineSignal<[StoppedUsage]>('subagentStopped');
export const topUpAskedSignal = defineSignal<[TopUpAsk]>('topUpAsked');
export const approvalAskedSignal = defineSignal<[ApprovalAsk]>('approvalAsked');

/** From a subagent to whoever started it, before it goes on in a new history. */
export const subagentContinuedSignal = defineSignal<[Continued]>('subagentContinued');
export const personWaitSignal = defineSignal<[PersonWait]>('personWait');

/** From a run to one of its subagents. */
export const topUpAnsweredSignal = defineSignal<[TopUpAnswer]>('topUpAnswered');
export const allotmentRaisedSignal = defineSignal<[AllotmentRaise]>('allotmentRaised');
export const approvalAnsweredSignal = defineSignal<[ApprovalAnswer]>('approvalAnswered');
export const finalizeSignal = defineSignal<[FinalizeInput]>('finalize');

/** From people to a run. */
export const addBudgetUpdate = defineUpdate<BudgetState, [AddBudgetInput]>('addBudget');
export const finalizeUpdate = defineUpdate<void, [FinalizeInput]>('finalize');
export const retrySubagentUpdate = defineUpdate<void, [RetrySubagentInput]>('retrySubagent');
export const approvePlanUpdate = defineUpdate<void, [ApprovePlanInput]>('approvePlan');
export const revisePlanUpdate = defineUpdate<void, [RevisePlanInput]>('revisePlan');
export const decideApprovalUpdate = defineUpdate<ApprovalOutcome, [DecideApprovalInput]>('decideApproval');
