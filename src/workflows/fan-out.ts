/** Runs tasks in lanes, at most `window` at once, and asks after each arrival whether to stop. Never rejects. */
import { CancellationScope } from '@temporalio/workflow';

/** Why the fan-out's own scope was cancelled; `null` while it was not. */
export type FanOutStop = 'join' | 'deadline' | 'finalize' | 'budget' | null;

export type FanOut<Task, Outcome> = {
  readonly tasks: readonly Task[];
  readonly window: number;
  /** One task to its outcome. Must not reject; `stop` says why the scope around it was cancelled, if it was. */
  run(task: Task, stop: () => FanOutStop): Promise<Outcome>;
  /** A task whose turn came after the stop. */
  skip(task: Task, stop: FanOutStop): Outcome;
  /** Asked after each arrival. */
  isOver(arrived: readonly Outcome[]): boolean;
};

export type RunningFanOut<Task, Outcome> = {
  /** Cancels what runs and starts nothing more. */
  stop(why: Exclude<FanOutStop, null>): void;
  /** Something runs or waits for its turn, and nothing was stopped. */
  isOpen(): boolean;
  /** Runs a task once more, while it is open; the outcomes of which `isEarlier` is true count no longer. */
  again(task: Task, isEarlier: (outcome: Outcome) => boolean): void;
  /** In the order of arrival. */
  readonly done: Promise<readonly Outcome[]>;
};

/** Starts at once. A cancellation of the caller's scope reaches everything below. */
export function startFanOut<Task, Outcome>(fanOut: FanOut<Task, Outcome>): RunningFanOut<Task, Outcome> {
  let arrived: Outcome[] = [];
  const scope = new CancellationScope();
  let stopped: FanOutStop = null;
  const stop = (why: Exclude<FanOutStop, null>) => {
    if (scope.consideredCancelled) return;
    stopped = why;
    scope.cancel();
  };
  const settle = (outcome: Outcome) => {
    arrived.push(outcome);
    if (fanOut.isOver(arrived)) stop('join');
  };
  const queue = [...fanOut.tasks];
  let up = 0;
  const lane = async () => {
    up += 1;
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      settle(scope.consideredCancelled ? fanOut.skip(task, stopped) : await fanOut.run(task, () => stopped));
    }
    up -= 1;
  };
  const lanes = Math.min(fanOut.window, fanOut.tasks.length);
  const further: Promise<void>[] = [];
  const done = scope.run(async () => {
    await Promise.all(Array.from({ length: lanes }, lane));
    while (further.length > 0) await Promise.all(further.splice(0));
    return arrived;
  });
  return {
    stop,
    done,
    isOpen: () => up > 0 && !scope.consideredCancelled,
    again(task, isEarlier) {
      arrived = arrived.filter((outcome) => !isEarlier(outcome));
      queue.push(task);
      if (up < fanOut.window) further.push(scope.run(lane));
    },
  };
}
