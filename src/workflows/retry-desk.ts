/** Answers people who have a subagent that has ended started again, while the others go on. */
import { setHandler } from '@temporalio/workflow';
import { retrySubagentInputSchema, type RetrySubagentInput } from '../contract/control.ts';
import { TributaryError } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import type { SubagentOutcome } from '../contract/outcome.ts';
import type { Subtask } from '../contract/plan.ts';
import { parentOf, rootOf } from '../domain/subagent-tree.ts';
import { retrySubagentUpdate } from '../temporal/names.ts';
import type { RunState } from './run-state.ts';
import { toValidator } from './to-validator.ts';

/** What the fan-out of a run says of itself, and takes. */
export type RetryableFanOut = {
  /** Subagents run or wait for their turn, and nothing was stopped. */
  isOpen(): boolean;
  /** Throws where what is left of the budget does not pay for one more. */
  requireFunds(id: string, tokens: number | undefined): void;
  again(task: Subtask, earlier: SubagentOutcome, tokens: number | undefined): void;
};

export class RetryDesk {
  private readonly run: RunState;
  private fanOut: RetryableFanOut | null = null;

  constructor(run: RunState) {
    this.run = run;
    setHandler(retrySubagentUpdate, (input) => this.retry(retrySubagentInputSchema.parse(input)), {
      validator: toValidator(
        (input) => parseInput(retrySubagentInputSchema, input, 'retry-subagent'),
        (input) => this.check(input),
      ),
    });
  }

  /** The fan-out has begun. Where it never does, there is nothing that could be tried again. */
  open(fanOut: RetryableFanOut): void {
    this.fanOut = fanOut;
  }

  private retry({ id, by, budget }: RetrySubagentInput): void {
    const { run } = this;
    const earlier = run.outcomes.get(id)!;
    const why = earlier.reason ? ` (${earlier.reason})` : '';
    run.notes.push(`${id} was started again by ${by}: it had ended ${earlier.status}${why}`);
    run.withdraw(id);
    this.fanOut!.again(
      run.plan.find((task) => task.id === id)!,
      earlier,
      budget?.tokens,
    );
    run.publish();
  }

  /** Refuses before anything is recorded. */
  private check({ id, budget }: RetrySubagentInput): void {
    const { run, fanOut } = this;
    const { runId, join } = run.request;
    const afterwards = `once the run has ended:  tributary retry ${runId}`;
    if (run.isClosing)
      throw new TributaryError('RUN_ENDED', `the run ${runId} is ending: nothing is started any more; ${afterwards}`);
    if (!run.plan.some((task) => task.id === id)) throw notInPlan(run, id);
    const why =
      join.kind === 'all'
        ? 'under join all the first failure stops the others, so that none goes on beside it'
        : 'its report is written from what there is';
    const over = new TributaryError('RUN_ENDED', `the subagents of ${runId} are over: ${why}; ${afterwards}`);
    if (fanOut && !fanOut.isOpen()) throw over;
    const outcome = run.outcomes.get(id);
    if (!outcome) {
      const now = run.allotments.has(id) ? 'it is running' : 'it waits for its turn';
      throw new TributaryError('ALREADY_DECIDED', `${id} of ${runId} has not ended: ${now}; there is nothing to retry`);
    }
    if (outcome.status === 'done' || outcome.status === 'reused') {
      const rerun = `to have it done anew, once the run has ended:  tributary rerun ${runId} --from ${id}`;
      throw new TributaryError('ALREADY_DECIDED', `${id} of ${runId} is done; ${rerun}`);
    }
    if (!fanOut) throw over;
    if (run.finalizing || run.elapsedMs() >= run.finalizeAfterMs()) {
      const stopped = run.finalizing ? 'its report was asked for' : 'its time is up';
      throw new TributaryError('RUN_ENDED', `the run ${runId} begins no new work: ${stopped}; ${afterwards}`);
    }
    fanOut.requireFunds(id, budget?.tokens);
  }
}

function notInPlan({ plan, request }: RunState, id: string): TributaryError {
  const ids = plan.map((task) => task.id);
  const have = ids.length === 0 ? 'none yet' : ids.length > 12 ? `${ids[0]} to ${ids.at(-1)}` : ids.join(', ');
  const problem =
    parentOf(id) !== null && ids.includes(rootOf(id))
      ? `${id} was started by another subagent, which alone could start it again; the one of the run is ${rootOf(id)}`
      : `the run ${request.runId} has no subagent ${id}; it has ${have}`;
  return new TributaryError('SUBAGENT_NOT_FOUND', problem);
}
