/** What a run waits for people for. While it waits for nothing else, its wall clock stands still. */
import type { BlockedStatus } from '../contract/run-view.ts';

export type Wait =
  | { readonly kind: 'plan' }
  /** `whose`: a subagent that is up and waits, `null` = a subtask that has not started, or the run itself. */
  | { readonly kind: 'budget'; readonly key: string; readonly whose: string | null }
  /** `whose`: the subagent of the run that asked, or that has one below it that did. */
  | { readonly kind: 'approval'; readonly key: string; readonly whose: string };

/** The status of a run that waits for this. */
export const waitStatuses = {
  plan: 'awaiting-plan',
  approval: 'awaiting-approval',
  budget: 'paused-budget',
} as const satisfies Record<Wait['kind'], BlockedStatus>;

export class RunWaits {
  private readonly open = new Map<string, Wait>();
  private readonly onChange: () => void;
  private onBegin: (wait: Wait) => void = () => undefined;
  private stoodMs = 0;
  private standsSince: number | null = null;

  /** `onChange` is called when the run begins or ceases to wait for something. */
  constructor(onChange: () => void) {
    this.onChange = onChange;
  }

  begin(wait: Wait): void {
    if (this.open.has(toKey(wait))) return;
    this.open.set(toKey(wait), wait);
    this.onChange();
    this.onBegin(wait);
  }

  /** `onBegin` is called with each wait that begins from now on. */
  listen(onBegin: (wait: Wait) => void): void {
    this.onBegin = onBegin;
  }

  has(wait: Wait): boolean {
    return this.open.has(toKey(wait));
  }

  end(wait: Wait): void {
    if (this.open.delete(toKey(wait))) this.onChange();
  }

  /** The status that people read, where somebody is needed; a plan goes before calls, and calls before money. */
  status(): BlockedStatus | null {
    const kinds = [...this.open.values()].map(({ kind }) => kind);
    const first = (['plan', 'approval', 'budget'] as const).find((kind) => kinds.includes(kind));
    return first ? waitStatuses[first] : null;
  }

  isFor(kind: Wait['kind']): boolean {
    return [...this.open.values()].some((wait) => wait.kind === kind);
  }

  /** Of how many subagents are up, these wait for a person. */
  waiting(): number {
    return new Set(
      [...this.open.values()].flatMap((wait) => ('whose' in wait && wait.whose !== null ? [wait.whose] : [])),
    ).size;
  }

  /** Tells the clock whether anything goes on. `running`: subagents that are up, the waiting ones included. */
  watchClock(running: number): void {
    const stands = this.open.size > 0 && running === this.waiting();
    if (stands && this.standsSince === null) this.standsSince = Date.now();
    if (!stands && this.standsSince !== null) {
      this.stoodMs += Date.now() - this.standsSince;
      this.standsSince = null;
    }
  }

  /** Milliseconds for which nothing went on because people were waited for. */
  stoodStillMs(): number {
    return this.stoodMs + (this.standsSince === null ? 0 : Date.now() - this.standsSince);
  }
}

function toKey(wait: Wait): string {
  return wait.kind === 'plan' ? 'plan' : `${wait.kind}/${wait.key}`;
}
