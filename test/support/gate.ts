/** Holds work until the test says go, and measures how much of it is held. */

/** Asks until the answer is yes: for what only a server can tell. */
export async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

export class Gate {
  /** Highest number of callers held at the same time. */
  peak = 0;
  private held: { name: string; open: () => void; fail: (error: Error) => void }[] = [];
  private watchers: (() => void)[] = [];
  private opened = false;

  /** Waits at the gate. Rejects with the signal's reason when it fires. */
  async pass(name: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.opened) return;
    await new Promise<void>((resolve, reject) => {
      const entry = { name, open: resolve, fail: reject };
      this.held.push(entry);
      this.peak = Math.max(this.peak, this.held.length);
      signal?.addEventListener('abort', () => {
        this.held = this.held.filter((each) => each !== entry);
        this.changed();
        reject(signal.reason as Error);
      });
      this.changed();
    });
  }

  /** Names of those that wait, in the order of their arrival. */
  waiting(): string[] {
    return this.held.map((each) => each.name);
  }

  /** Resolves when exactly `count` wait. */
  async hold(count: number): Promise<string[]> {
    await this.until(() => this.held.length === count);
    return this.waiting();
  }

  /** Resolves when a caller of that name waits. */
  async arrival(name: string): Promise<void> {
    await this.until(() => this.held.some((each) => each.name === name));
  }

  /** Lets one through, or all of them with that name; without a name, everybody from now on. */
  open(name?: string): void {
    if (name === undefined) this.opened = true;
    const leaving = this.held.filter((each) => name === undefined || each.name === name);
    this.held = this.held.filter((each) => !leaving.includes(each));
    for (const each of leaving) each.open();
    this.changed();
  }

  fail(name: string, error: Error): void {
    const leaving = this.held.filter((each) => each.name === name);
    this.held = this.held.filter((each) => !leaving.includes(each));
    for (const each of leaving) each.fail(error);
    this.changed();
  }

  private async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => this.watchers.push(resolve));
  }

  private changed(): void {
    for (const watcher of this.watchers.splice(0)) watcher();
  }
}
