/** The plan of a run: the caller's subtasks, or the planner's; where the run says so, a person approves it first. */
import { condition, setHandler } from '@temporalio/workflow';
import {
  approvePlanInputSchema,
  revisePlanInputSchema,
  type ApprovePlanInput,
  type RevisePlanInput,
} from '../contract/control.ts';
import { TributaryError } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import type { Subtask } from '../contract/plan.ts';
import { editPlan } from '../domain/plan-edits.ts';
import { boundOpeningReservation } from '../domain/reservation.ts';
import { toSubtasks } from '../domain/to-subtasks.ts';
import { utf8Bytes } from '../domain/text.ts';
import { approvePlanUpdate, revisePlanUpdate } from '../temporal/names.ts';
import { callModel } from './activity-stubs.ts';
import type { BudgetDesk } from './budget-desk.ts';
import { outOfBudget } from './out-of-budget.ts';
import { runModelCall } from './run-model-call.ts';
import type { RunState } from './run-state.ts';
import { toValidator } from './to-validator.ts';

/** How often a planner is asked before the run fails. */
const planAttempts = 3;
/** How often people may send a plan back. */
const maxRevisions = 10;
/** What a planner is told of the corpus, at most. */
const outlineBytes = 12_000;

type Review =
  | { readonly kind: 'none' }
  | { readonly kind: 'open' }
  | { readonly kind: 'approved'; readonly subtasks: readonly Subtask[] }
  | { readonly kind: 'sent-back'; readonly feedback: string };

export class PlanDesk {
  private readonly run: RunState;
  private readonly budget: BudgetDesk;
  private review: Review = { kind: 'none' };

  constructor(run: RunState, budget: BudgetDesk) {
    this.run = run;
    this.budget = budget;
    setHandler(approvePlanUpdate, (input) => this.approve(approvePlanInputSchema.parse(input)), {
      validator: toValidator(
        (input) => parseInput(approvePlanInputSchema, input, 'plan'),
        (input) => this.checkApproval(input),
      ),
    });
    setHandler(revisePlanUpdate, (input) => this.sendBack(revisePlanInputSchema.parse(input)), {
      validator: toValidator(
        (input) => parseInput(revisePlanInputSchema, input, 'plan'),
        () => this.requireOpen(),
      ),
    });
  }

  /** Paid, checked, and asked for again a fixed number of times. Leaves the plan in the run. */
  async makePlan(): Promise<void> {
    const { run } = this;
    if (run.plan.length > 0) return; // taken over: it was carried out before
    run.plan = run.request.subtasks
      ? toSubtasks(run.request.subtasks.map(({ goal }) => goal))
      : await this.askPlanner('');
    if (run.request.plan !== 'review') return;
    for (let revisions = 0; ; revisions += 1) {
      const review = await this.waitForPerson();
      if (review.kind === 'approved') {
        run.plan = review.subtasks;
        return;
      }
      if (review.kind !== 'sent-back') return; // finalized: there is nothing to start any more
      if (revisions >= maxRevisions)
        throw new TributaryError('PLAN_INVALID', `the plan was sent back ${maxRevisions} times`);
      run.plan = await this.askPlanner(`A person has read your plan and asks for another one: ${review.feedback}`);
    }
  }

  private async waitForPerson(): Promise<Review> {
    const { run } = this;
    this.review = { kind: 'open' };
    run.waits.begin({ kind: 'plan' });
    const isDecided = () => this.review.kind !== 'open' || run.finalizing !== null;
    const inTime = await condition(isDecided, run.request.personTimeout);
    run.waits.end({ kind: 'plan' });
    const review = this.review;
    if (review.kind === 'open') this.review = { kind: 'none' };
    if (!inTime)
      throw new TributaryError(
        'PLAN_EXPIRED',
        'nobody approved the plan in time; start the run again, or with --plan auto',
      );
    return review;
  }

  private approve({ edits }: ApprovePlanInput): void {
    const edited = editPlan(this.run.plan, edits, this.mostSubtasks());
    if (edited.kind === 'edited') this.review = { kind: 'approved', subtasks: edited.subtasks };
  }

  private sendBack({ feedback }: RevisePlanInput): void {
    this.review = { kind: 'sent-back', feedback };
  }

  private checkApproval({ edits }: ApprovePlanInput): void {
    this.requireOpen();
    const edited = editPlan(this.run.plan, edits, this.mostSubtasks());
    if (edited.kind === 'refused') throw new TributaryError('INVALID_REQUEST', `plan: ${edited.problem}`);
  }

  /** A caller's own subtasks may be more than a planner would be allowed. */
  private mostSubtasks(): number {
    return Math.max(this.run.request.maxSubagents, this.run.plan.length);
  }

  private requireOpen(): void {
    if (this.review.kind === 'open') return;
    const { runId, plan } = this.run.request;
    const why = {
      none:
        plan === 'review'
          ? 'is not there yet, or is being written again'
          : 'does not wait for approval: the run was started without --plan review',
      approved: 'was approved already',
      'sent-back': 'was sent back already and is being written again',
    }[this.review.kind];
    throw new TributaryError('ALREADY_DECIDED', `the plan of ${runId} ${why}`);
  }

  private async askPlanner(feedback: string): Promise<readonly Subtask[]> {
    const { run } = this;
    const { request } = run;
    const bytes = utf8Bytes(request.question) + utf8Bytes(request.instructions ?? '') + outlineBytes;
    let problem = feedback;
    for (let attempt = 1; attempt <= planAttempts; attempt++) {
      const wanted = boundOpeningReservation(bytes, request.maxOutputTokens);
      const step = {
        runId: request.runId,
        question: request.question,
        maxSubagents: request.maxSubagents,
        attempt,
        ...(request.instructions !== undefined && { instructions: request.instructions }),
        ...(request.corpus !== undefined && { corpus: request.corpus }),
        ...(request.web && { web: request.web }),
        ...(request.offeredTools && { offeredTools: request.offeredTools }),
        ...(problem !== '' && { problem }),
        ...run.choiceOf('planner'),
        maxOutputTokens: request.maxOutputTokens,
      };
      const result = await runModelCall({
        attempts: request.modelAttempts,
        terms: step,
        limitsUsd: request.budget.usd !== undefined,
        openTokens: () => Math.min(wanted, run.openTokens(step)),
        reserve: (reserved) => run.reserveCall('planner', reserved),
        settle: (reserved, details) => run.settleCall('planner', reserved, details),
        run: (bounds) =>
          callModel(run.routeOf('planner')).planActivity.executeWithOptions(
            { summary: `plan, attempt ${step.attempt}` },
            [{ ...step, ...bounds }],
          ),
      });
      if (result === null || result.kind === 'does-not-fit') {
        if (!(await this.budget.isRaisedForRun('planner'))) throw outOfBudget(run, 'planning', 'planner');
        attempt -= 1; // it was not asked
        continue;
      }
      if (result.kind === 'plan') {
        run.notes.push(...result.plan.notes);
        return result.plan.subtasks;
      }
      problem = result.problem;
    }
    throw new TributaryError('PLAN_INVALID', `the planner was asked ${planAttempts} times: ${problem}`);
  }
}
