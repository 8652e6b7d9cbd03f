/** A research run: open, plan, fan out, join, write the report. Its id is the run id. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { CancellationScope, isCancellation, workflowInfo } from '@temporalio/workflow';
import { TributaryError } from '../contract/failure.ts';
import type { BudgetCeiling } from '../contract/budget.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { researchRequestSchema, type ResearchRequest, type ResearchRequestInput } from '../contract/request.ts';
import type { OpenRunResult } from '../contract/steps.ts';
import type { RecordedResult } from '../contract/result.ts';
import type { ModelChoice } from '../contract/model-choice.ts';
import { judgeJoin } from '../domain/join.ts';
import { fromTemporalFailure, toApplicationFailure, toFailure } from '../temporal/failure-codec.ts';
import { adoptEarlier } from './adopt-earlier.ts';
import { DraftWriter } from './draft-writer.ts';
import { openRunActivity } from './activity-stubs.ts';
import { openDesks, type Desks } from './open-desks.ts';
import { outOfBudget } from './out-of-budget.ts';
import { recordResult } from './record-result.ts';
import { RunState } from './run-state.ts';
import { runSubagents } from './run-subagents.ts';
import { tellOutside } from './tell-outside.ts';
import { writeReport } from './write-report.ts';

/**
 * Resolves for `completed` and `partial`. A failed run throws its failure with the recorded result as first detail; a
 * cancelled one ends Canceled once everything below has stopped.
 */
export async function researchWorkflow(input: ResearchRequestInput): Promise<RecordedResult> {
  const run = new RunState(parseRequest(input));
  const desks = openDesks(run);
  const outside = tellOutside(run);
  const ended = runToEnd(run, desks);
  if (!outside) return ended;
  // What could not be told is in the result too: it holds the run's own list of notes.
  await ended.then(
    ({ status }) => outside.tellEnd(status === 'partial' ? status : 'completed'),
    (error: unknown) => outside.tellEnd(isCancellation(error) ? 'cancelled' : 'failed'),
  );
  return ended;
}

async function runToEnd(run: RunState, desks: Desks): Promise<RecordedResult> {
  try {
    return await research(run, desks);
  } catch (error) {
    if (isCancellation(error) && CancellationScope.current().consideredCancelled) {
      run.isClosing = true;
      await CancellationScope.nonCancellable(async () => run.enter('cancelled'));
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

async function research(run: RunState, desks: Desks): Promise<RecordedResult> {
  const { request } = run;
  run.enter('planning');
  const opened = await openRunActivity({
    runId: request.runId,
    models: distinctChoices(run),
    needsPrices: request.budget.usd !== undefined,
    budget: toCeiling(request),
    ...(request.corpus !== undefined && { corpus: request.corpus }),
    ...(request.web && { web: request.web }),
    ...(request.offeredTools && { offeredTools: request.offeredTools }),
  });
  run.rates = opened.rates ?? {}; // runs that were opened before there were prices have none
  run.ceiling = opened.ceiling ?? {};
  run.queues = opened.queues ?? {};
  run.notes.push(...opened.notes);
  await adoptEarlier(run, opened);
  await desks.plan.makePlan();
  run.enter('running');
  const { deadlinePassed } = await runFanOut(run, opened, desks);
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('the run was cancelled');
  if (run.exhausted !== null) throw failed(run, { code: 'BUDGET_EXHAUSTED', message: run.exhausted });
  const finalized = run.finalizing !== null;
  const verdict = judgeJoin(request.join, run.plan.length, run.ordered(), { deadlinePassed, finalized });
  if (verdict.status === 'failed') {
    if (run.ordered().every(({ status, reason }) => status === 'skipped' && reason === 'budget'))
      throw outOfBudget(run, 'any subagent', 'subagent');
    throw failed(run, { code: 'JOIN_UNMET', message: verdict.message }, verdict.notNeeded);
  }
  run.enter('synthesizing');
  const report = await writeReport(run, opened.storeId, verdict.notNeeded);
  const status = report.failure ? 'partial' : verdict.status;
  run.isClosing = true;
  run.enter(status);
  return recordResult(run, status, { notNeeded: verdict.notNeeded, ...report });
}

/** The fan-out, with drafts beside it where the run is progressive. */
async function runFanOut(
  run: RunState,
  opened: OpenRunResult,
  desks: Desks,
): Promise<{ readonly deadlinePassed: boolean }> {
  if (!run.request.join.progressive) return runSubagents(run, opened, desks);
  run.openDraftShare();
  const drafts = new DraftWriter(run, opened.storeId);
  try {
    return await runSubagents(run, opened, desks);
  } finally {
    await drafts.end();
    run.closeDraftShare();
  }
}

function toCeiling({ budget: { tokens, usd, toolCalls, wallClock } }: ResearchRequest): BudgetCeiling {
  return { tokens, toolCalls, wallClockMs: wallClock, ...(usd !== undefined && { usd }) };
}

/** Each model of the run once, though two roles may share it, those of single subagents included. */
function distinctChoices(run: RunState): ModelChoice[] {
  const edited = Object.values(run.request.origin?.edits ?? {}).flatMap(({ model }) => model ?? []);
  const roles = ['planner', 'subagent', 'synthesis'] as const;
  const choices = [...roles.map((role) => run.choiceOf(role)), ...edited.map((model) => run.choose(model))];
  return [...new Map(choices.map((choice) => [choice.model, choice])).values()];
}

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

function failed(
  run: RunState,
  failure: { code: Parameters<typeof toApplicationFailure>[0]['code']; message: string },
  notNeeded: readonly string[] = [],
): ApplicationFailure {
  run.openSynthesisReserve();
  run.isClosing = true;
  run.enter('failed');
  const { code, message } = failure;
  return toApplicationFailure(
    { code, message },
    { nonRetryable: true, details: [recordResult(run, 'failed', { notNeeded, failure: { code, message } })] },
  );
}
