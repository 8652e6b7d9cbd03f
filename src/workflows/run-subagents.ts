/** The fan-out of a run: funds each subagent, starts it as a child, and turns however it ended into an outcome. */
import { CancellationScope, condition, isCancellation, setHandler, sleep } from '@temporalio/workflow';
import type { Amounts } from '../contract/budget.ts';
import { defaults } from '../contract/defaults.ts';
import { toSubagentWorkflowId } from '../contract/ids.ts';
import type { SubagentOutcome } from '../contract/outcome.ts';
import type { Subtask } from '../contract/plan.ts';
import { stoppedUsageSchema, type StoppedUsage } from '../contract/stopped-usage.ts';
import type { OpenRunResult, SubagentTask } from '../contract/steps.ts';
import { remainingOf } from '../domain/budget-ledger.ts';
import { countFunded, decideNext, planAllotment, type FanOutDecision, type MinAllotment } from '../domain/fan-out.ts';
import { decideStop } from '../domain/join.ts';
import { boundMicroUsd, fromMicroUsd } from '../domain/money.ts';
import { offerDelegation } from '../domain/offer-delegation.ts';
import { minTurnTokens } from '../domain/reservation.ts';
import { formatCount } from '../domain/text.ts';
import { subagentStoppedSignal } from '../temporal/names.ts';
import { emptyOutcome, notStarted, toChildEnd } from './child-outcome.ts';
import { ContinuedChildren } from './continued-children.ts';
import { startFanOut, type FanOutStop } from './fan-out.ts';
import { onSound } from './on-sound.ts';
import { outOfBudget } from './out-of-budget.ts';
import type { Desks } from './open-desks.ts';
import { readLeftWork, type LeftWork } from './read-left-work.ts';
import { readStopped } from './read-stopped.ts';
import { RetryFunds } from './retry-funds.ts';
import { maxWaitsMs, runChild } from './run-child.ts';
import type { RunState } from './run-state.ts';
import { subagentWorkflow } from './subagent.ts';
import { withDeadline } from './with-deadline.ts';

/** The memo is written about this often over a fan-out, however wide. */
const memoWrites = 10;

/** Runs every subtask of the plan that has no outcome yet. Resolves when all have an outcome and none is left running, also after a cancel. */
export async function runSubagents(
  run: RunState,
  opened: OpenRunResult,
  { links, budget, approvals, retries }: Pick<Desks, 'links' | 'budget' | 'approvals' | 'retries'>,
): Promise<{ readonly deadlinePassed: boolean }> {
  const { request, plan } = run;
  const continued = new ContinuedChildren();
  const stoppedUsage = new Map<string, StoppedUsage>();
  setHandler(subagentStoppedSignal, (stopped) =>
    onSound(stoppedUsageSchema, stopped, (sound) => stoppedUsage.set(sound.id, sound)),
  );
  const { rates } = run.choiceOf('subagent');
  const priceOf = (tokens: number) => boundMicroUsd(tokens, request.maxOutputTokens, rates);
  const taken = [...run.outcomes.values()];
  const isOver = (arrived: readonly SubagentOutcome[]) =>
    decideStop(request.join, plan.length, [...taken, ...arrived]).kind === 'stop';
  const tasks = plan.filter(({ id }) => !run.outcomes.has(id));
  if (tasks.length === 0 || (taken.length > 0 && isOver([]))) {
    for (const { id } of tasks) run.record(notStarted(id, 'join'));
    return { deadlinePassed: false };
  }
  const { allotment, min } = fundSubagents(run, tasks.length, priceOf);
  const again = new RetryFunds(run, allotment, min);
  let unstarted = tasks.length;
  let deadlinePassed = false;

  const next = (id: string) =>
    decideNext({
      remaining: remainingOf(run.ledger),
      allotment: again.wantedOf(id, unstarted - 1) ?? allotment,
      min,
      running: run.running,
      stopped: whyStopped(run, again.has(id)),
      isPatient: budget.isPatient(),
    });
  /** Until there is something else to decide: others may give back, or a person may raise the budget. */
  const awaitChange = async (id: string, now: FanOutDecision['kind']): Promise<void> => {
    const changed = () => condition(() => next(id).kind !== now);
    await (now === 'wait' ? changed() : budget.waitForBudget(id, null, changed));
  };

  const runOne = async (task: Subtask, stop: () => FanOutStop): Promise<SubagentOutcome> => {
    let left: LeftWork | null = null;
    try {
      if (again.has(task.id)) left = await readLeftWork(run, task.id, opened.storeId);
      // Two that wait wake up together: the one that comes second finds that it has to wait again, so nothing may come
      // between this and the decision.
      for (let now = next(task.id).kind; isHeldUp(now); now = next(task.id).kind) await awaitChange(task.id, now);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return record(notStarted(task.id, stop()));
    }
    const decision = next(task.id);
    if (decision.kind !== 'start') {
      const reason = decision.kind === 'skip' ? decision.reason : 'budget';
      if (reason === 'budget' && request.budget.onExhausted === 'fail')
        run.exhausted ??= outOfBudget(run, task.id, 'subagent').message;
      return record({ ...emptyOutcome(task.id), status: 'skipped', reason });
    }
    run.reserveAllotment(task.id, decision.allotment);
    budget.promise((unstarted -= 1), allotment);
    const outcome = await runToOutcome(task, decision.allotment, left, stop);
    run.settleOutcome(outcome, left?.resumeRef !== undefined);
    links.disconnect(task.id);
    approvals.close(task.id);
    budget.close(task.id);
    publishNowAndThen(run);
    return run.outcomes.get(task.id)!;
  };

  const runToOutcome = async (
    task: Subtask,
    granted: Amounts,
    left: LeftWork | null,
    stop: () => FanOutStop,
  ): Promise<SubagentOutcome> => {
    const leftMs = Math.max(1_000, run.finalizeAfterMs() - run.elapsedMs());
    links.prepare(task.id);
    try {
      return await runChild(
        subagentWorkflow,
        { ...toTask(run, opened, task, granted, Math.min(request.subagentWallClock, leftMs)), ...left },
        {
          workflowId: toSubagentWorkflowId(request.runId, task.id),
          // What is left of the run's time, with the grace of a hand-back: a child that no worker takes must end too.
          // Time in which it waits for people does not count; how often it will wait is not known.
          workflowExecutionTimeout: leftMs + 60_000 + (mayWait(run, opened) ? maxWaitsMs : 0),
          staticSummary: task.goal.slice(0, 200),
          onStarted: () => links.connect(task.id),
          hasContinued: () => continued.has(task.id),
        },
      );
    } catch (error) {
      const end = toChildEnd(error, stop());
      if ('id' in end) return end;
      const held = run.allotments.get(task.id)!;
      const child = { runId: request.runId, id: task.id };
      const used =
        stoppedUsage.get(task.id) ??
        (await readStopped(child, held, rates ? priceOf(held.tokens) : null, (text) => run.notes.push(text)));
      return {
        ...emptyOutcome(task.id),
        ...end,
        ...used,
        ...(used.turns === 0 && end.status === 'timed-out' && !stop() && { reason: 'no-worker' }),
      };
    }
  };

  const record = (outcome: SubagentOutcome): SubagentOutcome => {
    unstarted -= 1;
    budget.promise(unstarted, allotment);
    return run.recordNotStarted(outcome);
  };

  const fanOut = startFanOut<Subtask, SubagentOutcome>({
    tasks,
    window: windowOf(run, opened),
    run: runOne,
    skip: (task, stop) => record(notStarted(task.id, stop)),
    isOver,
  });
  retries.open({
    isOpen: () => fanOut.isOpen(),
    requireFunds: (id, tokens) => again.requireFunds(id, tokens, unstarted),
    again(task, earlier, tokens) {
      unstarted += 1;
      budget.promise(unstarted, allotment);
      again.add(task.id, tokens);
      stoppedUsage.delete(task.id);
      continued.forget(task.id);
      fanOut.again(task, ({ id }) => id === earlier.id);
    },
  });
  const watch = watchForStops(run, (why) => fanOut.stop(why));
  try {
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
  } finally {
    await watch.end();
  }
  return { deadlinePassed };
}

/** What each subagent gets, told where the budget does not pay for all of them at once. */
function fundSubagents(
  run: RunState,
  count: number,
  priceOf: (tokens: number) => number,
): { readonly allotment: Amounts; readonly min: MinAllotment } {
  const { request } = run;
  // Twice the price of one: of the two each may be output to the last token.
  const min = { tokens: minTurnTokens * 2, microUsd: priceOf(minTurnTokens) * 2 };
  const remaining = remainingOf(run.ledger);
  const allotment = planAllotment(remaining, count, request.subagentTokens, min);
  const funded = countFunded(remaining, allotment, count);
  if (funded > 0 && funded < count) {
    const each = `${formatCount(allotment.tokens)} tokens${request.budget.usd === undefined ? '' : ` and $${fromMicroUsd(allotment.microUsd)}`}`;
    run.notes.push(
      `the budget pays for ${funded} of ${count} subagents at once (${each} each); the others start as it comes back`,
    );
  }
  return { allotment, min };
}

function isHeldUp(kind: FanOutDecision['kind']): boolean {
  return kind === 'wait' || kind === 'pause';
}

function whyStopped(run: RunState, isAgain: boolean): 'operator' | 'quota' | 'wall-clock' | null {
  if (run.finalizing) return 'operator';
  // A person who has one tried again knows of a quota that is used up.
  if (!isAgain && run.isQuotaUsedUp()) return 'quota';
  return run.elapsedMs() >= run.finalizeAfterMs() ? 'wall-clock' : null;
}

/** Stops the fan-out where the run fails for want of budget, and, after their grace, what did not hand back on `finalize`. */
function watchForStops(run: RunState, stop: (why: 'budget' | 'finalize') => void): { end(): Promise<void> } {
  const scope = new CancellationScope();
  const watching = scope
    .run(async () => {
      await condition(() => run.exhausted !== null || run.finalizing !== null);
      if (run.exhausted !== null) return stop('budget');
      await sleep(defaults.finalizeGraceMs + 5_000); // they have the grace from when the word reaches them
      stop('finalize');
    })
    .catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  return {
    async end() {
      scope.cancel();
      await watching;
    },
  };
}

/** Whether a subagent of this run may come to wait for a person. */
function mayWait({ request }: RunState, { tools }: OpenRunResult): boolean {
  return request.budget.onExhausted === 'pause' || tools.some(({ asksFirst }) => asksFirst === true);
}

function toTask(
  run: RunState,
  opened: OpenRunResult,
  subtask: Subtask,
  allotment: Amounts,
  wallClockMs: number,
): SubagentTask {
  const { request } = run;
  const adoption = run.adoptions.get(subtask.id);
  const { model = request.models.subagent, instructions = request.instructions } =
    request.origin?.edits?.[subtask.id] ?? {};
  return {
    runId: request.runId,
    id: subtask.id,
    storeId: opened.storeId,
    question: request.question,
    goal: subtask.goal,
    ...(instructions !== undefined && { instructions }),
    ...(request.corpus !== undefined && { corpus: request.corpus }),
    ...(request.web && { web: request.web }),
    ...run.choose(model),
    limitsUsd: request.budget.usd !== undefined,
    ...offerDelegation(subtask.id, opened.tools, {
      maxDepth: request.maxDepth,
      maxSubtasks: request.maxSubagents,
      ...(request.maxConcurrency !== undefined && { maxConcurrency: request.maxConcurrency }),
    }),
    toolOptions: request.tools,
    allotment,
    handBackReserveTokens: defaults.handBackReserveTokens,
    wallClockMs,
    maxTurns: request.maxTurns,
    maxOutputTokens: request.maxOutputTokens,
    modelAttempts: request.modelAttempts,
    canTopUp: true,
    ...(opened.maxHistoryEvents !== undefined && { maxHistoryEvents: opened.maxHistoryEvents }),
    ...(opened.tools.some(({ asksFirst }) => asksFirst === true) && { approvals: request.approvals }),
    personTimeoutMs: request.personTimeout,
    ...(adoption?.kind === 'continue' && { resumeRef: adoption.resumeRef }),
    ...run.route(model),
  };
}

/** How many subagents at once: what the request says, else what a known limit of their model pays for, else all. */
function windowOf({ request, plan, notes }: RunState, { bounds }: OpenRunResult): number {
  const bound = bounds?.[request.models.subagent];
  if (request.maxConcurrency !== undefined || !bound || bound.maxConcurrency >= plan.length)
    return request.maxConcurrency ?? plan.length;
  const { rpm, maxConcurrency } = bound;
  notes.push(
    `at most ${maxConcurrency} subagents at once: ${request.models.subagent} may be asked ${formatCount(rpm)} times a minute; another number with --concurrency`,
  );
  return maxConcurrency;
}

function publishNowAndThen(run: RunState): void {
  const step = Math.max(1, Math.ceil(run.plan.length / memoWrites));
  if (run.outcomes.size % step === 0) run.publish();
}
