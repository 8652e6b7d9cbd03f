/** A time limit that stands still while people are waited for. */
import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';

export class PausableClock {
  private pauses = 0;
  private pausedMs = 0;
  private pausedSince = 0;

  /** Does `wait` off the clock. Two waits at once stop it once. */
  async offTheClock<T>(wait: () => Promise<T>): Promise<T> {
    if (this.pauses === 0) this.pausedSince = Date.now();
    this.pauses += 1;
    try {
      return await wait();
    } finally {
      this.pauses -= 1;
      if (this.pauses === 0) this.pausedMs += Date.now() - this.pausedSince;
    }
  }

  /** Runs `work`; calls `onDeadline` when it has run for `ms` on the clock. Resolves and rejects as `work` does. */
  async runWithin<T>(ms: number, work: () => Promise<T>, onDeadline: () => void): Promise<T> {
    const timer = new CancellationScope();
    const waiting = timer
      .run(() => this.elapse(ms))
      .then(onDeadline, (error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
    try {
      return await work();
    } finally {
      timer.cancel();
      await waiting;
    }
  }

  private async elapse(ms: number): Promise<void> {
    const until = Date.now() + ms - this.pausedMs;
    for (let leftMs = ms; leftMs > 0; leftMs = until + this.pausedMs - Date.now()) {
      await sleep(leftMs);
      await condition(() => this.pauses === 0);
    }
  }
}
