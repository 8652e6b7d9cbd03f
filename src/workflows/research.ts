/** A research run: open, plan, fan out, join, write the report. Its id is the run id. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { CancellationScope, isCancellation, workflowInfo } from '@temporalio/workflow';
import { TributaryError } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { researchRequestSchema, type ResearchRequest, type ResearchRequestInput } from '../contract/request.ts';
import type { RecordedResult } from '../contract/result.ts';
import type { ModelChoice } from '../contract/model-choice.ts';
import { judgeJoin } from '../domain/join.ts';
import { boundOpeningReservation } from '../domain/reservation.ts';
import { formatCount, utf8Bytes } from '../domain/text.ts';
import { fromTemporalFailure, toApplicationFailure, toFailure } from '../temporal/failure-codec.ts';
import { openRunActivity, planActivity } from './activity-stubs.ts';
import { runModelCall } from './run-model-call.ts';
import { RunState } from './run-state.ts';
import { runSubagents } from './run-subagents.ts';
import { writeReport } from './write-report.ts';

/** How often a planner is asked before the run fails. */
const planAttempts = 3;

/**
 * Resolves for `completed` and `partial`. A failed run throws its failure with the recorded result as first detail; a
 * cancelled one ends Canceled once everything below has stopped.
 */
export async function researchWorkflow(input: ResearchRequestInput): Promise<RecordedResult> {
  const run = new RunState(parseRequest(input));
  try {
    return await research(run);
  } catch (error) {
    if (isCancellation(error) && CancellationScope.current().consideredCancelled) {
      await CancellationScope.nonCancellable(async () => run.publish('cancelled'));
      throw error;
    }
    if (error instanceof ApplicationFailure && error.details?.length) throw error;
    const decoded = fromTemporalFailure(error);
    const failure =
      decoded.kind === 'failed'
        ? decoded.failure
        : { ...toFailure(error), message: `the run could not go on (${decoded.kind})` };
    throw failed(run, failure);
  }
}

async function research(run: RunState): Promise<RecordedResult> {
  const { request } = run;
  run.publish('planning');
  const opened = await openRunActivity({
    runId: request.runId,
    models: distinctChoices(run),
    needsPrices: request.budget.usd !== undefined,
    ...(request.corpus !== undefined && { corpus: request.corpus }),
    ...(request.web && { web: request.web }),
    ...(request.offeredTools && { offeredTools: request.offeredTools }),
  });
  run.rates = opened.rates ?? {}; // runs that were opened before there were prices have none
  run.notes.push(...opened.notes);
  await planRun(run);
  run.publish('running');
  const { deadlinePassed } = await runSubagents(run, opened);
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('the run was cancelled');
  const verdict = judgeJoin(request.join, run.plan.length, run.ordered(), { deadlinePassed });
  if (verdict.status === 'failed') {
    if (run.ordered().every(({ status, reason }) => status === 'skipped' && reason === 'budget'))
      throw outOfBudget(run, 'any subagent', 'subagent');
    throw failed(run, { code: 'JOIN_UNMET', message: verdict.message }, verdict.notNeeded);
  }
  run.publish('synthesizing');
  const report = await writeReport(run, opened.storeId, verdict.notNeeded);
  const status = report.failure ? 'partial' : verdict.status;
  run.publish(status);
  return run.toResult(status, { notNeeded: verdict.notNeeded, ...report });
}

/** Each model of the run once, though two roles may share it. */
function distinctChoices(run: RunState): ModelChoice[] {
  const choices = (['planner', 'subagent', 'synthesis'] as const).map((role) => run.choiceOf(role));
  return [...new Map(choices.map((choice) => [choice.model, choice])).values()];
}

/** The caller's subtasks, or the planner's: paid, checked, and asked for again a fixed number of times. */
async function planRun(run: RunState): Promise<void> {
  const { request } = run;
  if (request.subtasks) {
    run.plan = request.subtasks.map(({ goal }, index) => ({ id: `s${index + 1}`, goal }));
    return;
  }
  const bytes = utf8Bytes(request.question) + utf8Bytes(request.instructions ?? '') + outlineBytes;
  let problem = '';
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
      run: (bounds) => planActivity({ ...step, ...bounds }),
    });
    if (result === null || result.kind === 'does-not-fit') throw outOfBudget(run, 'planning', 'planner');
    if (result.kind === 'plan') {
      run.plan = result.plan.subtasks;
      run.notes.push(...result.plan.notes);
      return;
    }
    problem = result.problem;
  }
  throw new TributaryError('PLAN_INVALID', `the planner was asked ${planAttempts} times: ${problem}`);
}

/** What a planner is told of the corpus, at most. */
const outlineBytes = 12_000;

function parseRequest(input: unknown): ResearchRequest {
  try {
    const request = parseInput(researchRequestSchema, input, 'research request');
    const { workflowId } = workflowInfo();
    if (request.runId !== workflowId) {
      throw new TributaryError(
        'INVALID_REQUEST',
        `research request: runId: wanted the workflow id "${workflowId}", came "${request.runId}"`,
      );
    }
    return request;
  } catch (error) {
    throw toApplicationFailure(toFailure(error));
  }
}

function outOfBudget(run: RunState, what: string, role: 'planner' | 'subagent'): TributaryError {
  const { budget, subagentTokens } = run.request;
  if (budget.usd !== undefined && run.isShortOfMoney(role)) {
    const message = `the budget of $${budget.usd} does not pay for ${what} with ${run.choiceOf(role).model}; give more with --budget-usd`;
    return new TributaryError('BUDGET_EXHAUSTED', message);
  }
  const each = subagentTokens === undefined ? '' : `, with ${formatCount(subagentTokens)} a subagent,`;
  return new TributaryError(
    'BUDGET_EXHAUSTED',
    `the budget of ${formatCount(budget.tokens)} tokens${each} does not pay for ${what}; give more with --budget-tokens${each && ' or --subagent-tokens'}`,
  );
}

function failed(
  run: RunState,
  failure: { code: Parameters<typeof toApplicationFailure>[0]['code']; message: string },
  notNeeded: readonly string[] = [],
): ApplicationFailure {
  run.openSynthesisReserve();
  run.publish('failed');
  const { code, message } = failure;
  return toApplicationFailure(
    { code, message },
    { nonRetryable: true, details: [run.toResult('failed', { notNeeded, failure: { code, message } })] },
  );
}
