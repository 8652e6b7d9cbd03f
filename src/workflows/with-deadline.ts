/** Work with a timer beside it. Whichever ends first, the other is stopped and nothing is left unhandled. */
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

/** Runs `work`; calls `onDeadline` when it is still running after `ms`. Resolves and rejects as `work` does. */
export async function withDeadline<T>(ms: number, work: () => Promise<T>, onDeadline: () => void): Promise<T> {
  return withTimer(async () => sleep(ms), work, onDeadline);
}

/** The same with a timer of one's own, which must reject when its scope is cancelled. */
export async function withTimer<T>(
  elapse: () => Promise<void>,
  work: () => Promise<T>,
  onElapsed: () => void,
): Promise<T> {
  const timer = new CancellationScope();
  const waiting = timer.run(elapse).then(onElapsed, (error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  try {
    return await work();
  } finally {
    timer.cancel();
    await waiting;
  }
}
