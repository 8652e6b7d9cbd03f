/** The fan-out of a run: funds each subagent, starts it as a child, and turns however it ended into an outcome. */
import { CancellationScope, condition, isCancellation, setHandler } from '@temporalio/workflow';
import type { Amounts } from '../contract/budget.ts';
import { defaults } from '../contract/defaults.ts';
import { toSubagentWorkflowId } from '../contract/ids.ts';
import type { SubagentOutcome } from '../contract/outcome.ts';
import type { Subtask } from '../contract/plan.ts';
import type { StoppedUsage } from '../contract/stopped-usage.ts';
import type { OpenRunResult, SubagentTask } from '../contract/steps.ts';
import { remainingOf } from '../domain/budget-ledger.ts';
import { chargeReservation } from '../domain/charge.ts';
import { decideNext, planAllotment } from '../domain/fan-out.ts';
import { decideStop } from '../domain/join.ts';
import { boundMicroUsd } from '../domain/money.ts';
import { minTurnTokens } from '../domain/reservation.ts';
import { fromTemporalFailure } from '../temporal/failure-codec.ts';
import { subagentStoppedSignal } from '../temporal/names.ts';
import { settleStoppedActivity } from './activity-stubs.ts';
import { emptyOutcome, notStarted, toChildEnd } from './child-outcome.ts';
import { startFanOut, type FanOutStop } from './fan-out.ts';
import { runChild } from './run-child.ts';
import type { RunState } from './run-state.ts';
import { subagentWorkflow } from './subagent.ts';
import { withDeadline } from './with-deadline.ts';

/** The memo is written about this often over a fan-out, however wide. */
const memoWrites = 10;

/** What is kept of the wall clock for the report: a tenth, at most a minute. */
function finalizeAfterMs(wallClockMs: number): number {
  return wallClockMs - Math.min(60_000, Math.floor(wallClockMs / 10));
}

/** Runs every subtask of the plan. Resolves when all have an outcome and none is left running, also after a cancel. */
export async function runSubagents(
  run: RunState,
  opened: OpenRunResult,
): Promise<{ readonly deadlinePassed: boolean }> {
  const { request, plan } = run;
  const stoppedUsage = new Map<string, StoppedUsage>();
  setHandler(subagentStoppedSignal, (stopped) => void stoppedUsage.set(stopped.id, stopped));
  const { rates } = run.choiceOf('subagent');
  const priceOf = (tokens: number) => boundMicroUsd(tokens, request.maxOutputTokens, rates);
  // Twice the price of one: of the two each may be output to the last token.
  const min = { tokens: minTurnTokens * 2, microUsd: priceOf(minTurnTokens) * 2 };
  const allotment = planAllotment(remainingOf(run.ledger), plan.length, request.subagentTokens, min);
  const finalizeAt = finalizeAfterMs(request.budget.wallClock);
  let running = 0;
  let deadlinePassed = false;

  const next = () =>
    decideNext({
      remaining: remainingOf(run.ledger),
      allotment,
      min,
      running,
      stopped: run.isQuotaUsedUp() ? 'quota' : run.elapsedMs() >= finalizeAt ? 'wall-clock' : null,
    });

  const runOne = async (task: Subtask, stop: () => FanOutStop): Promise<SubagentOutcome> => {
    try {
      // Two that wait wake up together; the one that comes second may have to wait again.
      while (next().kind === 'wait') await condition(() => next().kind !== 'wait');
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return record(notStarted(task.id, stop()));
    }
    const decision = next();
    if (decision.kind !== 'start') {
      return record({
        ...emptyOutcome(task.id),
        status: 'skipped',
        reason: decision.kind === 'skip' ? decision.reason : 'budget',
      });
    }
    run.reserveAllotment(task.id, decision.allotment);
    running += 1;
    const outcome = await runToOutcome(task, decision.allotment, stop);
    running -= 1;
    run.settleOutcome(outcome, decision.allotment);
    publishNowAndThen(run);
    return outcome;
  };

  const runToOutcome = async (task: Subtask, granted: Amounts, stop: () => FanOutStop): Promise<SubagentOutcome> => {
    const leftMs = Math.max(1_000, finalizeAt - run.elapsedMs());
    try {
      return await runChild(
        subagentWorkflow,
        toTask(run, opened, task, granted, Math.min(request.subagentWallClock, leftMs)),
        {
          workflowId: toSubagentWorkflowId(request.runId, task.id),
          // What is left of the run's time, with the grace of a hand-back: a child that no worker takes must end too.
          workflowExecutionTimeout: leftMs + 60_000,
          staticSummary: task.goal.slice(0, 200),
        },
      );
    } catch (error) {
      const end = toChildEnd(error, stop());
      if ('id' in end) return end;
      const used =
        stoppedUsage.get(task.id) ?? (await readStopped(run, task.id, granted, rates ? priceOf(granted.tokens) : null));
      return {
        ...emptyOutcome(task.id),
        ...end,
        ...used,
        ...(used.turns === 0 && end.status === 'timed-out' && !stop() && { reason: 'no-worker' }),
      };
    }
  };

  const record = (outcome: SubagentOutcome): SubagentOutcome => {
    run.record(outcome);
    return outcome;
  };

  const fanOut = startFanOut<Subtask, SubagentOutcome>({
    tasks: plan,
    window: request.maxConcurrency ?? plan.length,
    run: runOne,
    skip: (task, stop) => record(notStarted(task.id, stop)),
    isOver: (arrived) => decideStop(request.join, plan.length, arrived).kind === 'stop',
  });
  if (request.join.deadline === undefined) await fanOut.done;
  else {
    await withDeadline(
      request.join.deadline,
      () => fanOut.done,
      () => {
        deadlinePassed = true;
        fanOut.stop('deadline');
      },
    );
  }
  return { deadlinePassed };
}

function toTask(
  run: RunState,
  opened: OpenRunResult,
  subtask: Subtask,
  allotment: Amounts,
  wallClockMs: number,
): SubagentTask {
  const { request } = run;
  return {
    runId: request.runId,
    id: subtask.id,
    storeId: opened.storeId,
    question: request.question,
    goal: subtask.goal,
    ...(request.instructions !== undefined && { instructions: request.instructions }),
    ...(request.corpus !== undefined && { corpus: request.corpus }),
    ...(request.web && { web: request.web }),
    ...run.choiceOf('subagent'),
    limitsUsd: request.budget.usd !== undefined,
    tools: opened.tools,
    toolOptions: request.tools,
    allotment,
    handBackReserveTokens: defaults.handBackReserveTokens,
    wallClockMs,
    maxTurns: request.maxTurns,
    maxOutputTokens: request.maxOutputTokens,
    modelAttempts: request.modelAttempts,
  };
}

/** From the child's own history; where even that fails, the whole allotment is charged, as an estimate. */
async function readStopped(
  run: RunState,
  id: string,
  { tokens, toolCalls, microUsd }: Amounts,
  priceMicroUsd: number | null,
): Promise<StoppedUsage> {
  try {
    const [stopped] = await CancellationScope.nonCancellable(() =>
      settleStoppedActivity({ runId: run.request.runId, subagentIds: [id] }),
    );
    if (stopped) return stopped;
  } catch (error) {
    run.notes.push(
      `the history of ${id} could not be read, so its whole allotment is charged: ${fromTemporalFailure(error).kind}`,
    );
  }
  const price = priceMicroUsd === null ? null : Math.min(priceMicroUsd, microUsd);
  const usage = { ...chargeReservation({ tokens, microUsd: price }), toolCalls };
  return { id, usage, turns: 0, toolCalls: 0, toolCallMessages: 0, transcript: null };
}

function publishNowAndThen(run: RunState): void {
  const step = Math.max(1, Math.ceil(run.plan.length / memoWrites));
  if (run.outcomes.size % step === 0) run.publish('running');
}
