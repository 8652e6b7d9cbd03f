/** A time limit that stands still while people are waited for. */
import { condition, sleep } from '@temporalio/workflow';
import { withTimer } from './with-deadline.ts';

export class PausableClock {
  private readonly holds = new Set<unknown>();
  private readonly onChange: (stands: boolean) => void;
  private pausedMs = 0;
  private pausedSince = 0;
  private endsAt = 0;

  /** `onChange` is called when the clock stops, and when it goes on. */
  constructor(onChange: (stands: boolean) => void = () => undefined) {
    this.onChange = onChange;
  }

  /** Does `wait` off the clock. Two waits at once stop it once. */
  async offTheClock<T>(wait: () => Promise<T>): Promise<T> {
    const key = {};
    this.hold(key);
    try {
      return await wait();
    } finally {
      this.release(key);
    }
  }

  /** Stops the clock in the name of `key`, until `release`. */
  hold(key: unknown): void {
    if (this.holds.has(key)) return;
    this.holds.add(key);
    if (this.holds.size > 1) return;
    this.pausedSince = Date.now();
    this.onChange(true);
  }

  release(key: unknown): void {
    if (!this.holds.delete(key) || this.holds.size > 0) return;
    this.pausedMs += Date.now() - this.pausedSince;
    this.onChange(false);
  }

  /** Milliseconds until the deadline of `runWithin`; less than 0 past it. */
  leftMs(): number {
    const standsMs = this.holds.size > 0 ? Date.now() - this.pausedSince : 0;
    return this.endsAt + this.pausedMs + standsMs - Date.now();
  }

  /** Runs `work`; calls `onDeadline` when it has run for `ms` on the clock. Resolves and rejects as `work` does. */
  async runWithin<T>(ms: number, work: () => Promise<T>, onDeadline: () => void): Promise<T> {
    this.endsAt = Date.now() + ms - this.pausedMs;
    return withTimer(() => this.elapse(ms), work, onDeadline);
  }

  private async elapse(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs = this.endsAt + this.pausedMs - Date.now()) {
      await sleep(leftMs);
      await condition(() => this.holds.size === 0);
    }
  }
}
