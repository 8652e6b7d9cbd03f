/** Tells the run's command or webhook that a person is needed, and of the end. In order, and beside the run: it fails nothing. */
import { CancellationScope, condition } from '@temporalio/workflow';
import type { OnEvent } from '../contract/request.ts';
import type { RunNeed, RunNotice } from '../contract/run-notice.ts';
import { hasNoticeNote, toNoticeNote } from '../domain/notice-note.ts';
import { fromTemporalFailure } from '../temporal/failure-codec.ts';
import { notifyActivity } from './activity-stubs.ts';
import type { RunState } from './run-state.ts';
import { waitStatuses, type Wait } from './run-waits.ts';
import { withDeadline } from './with-deadline.ts';

/** What the end of a run may wait for its last notice … */
const endMs = 15_000;
/** … and of that, for a notice that is still under way when it comes. */
const underWayMs = 5_000;

type Ended = Extract<RunNotice, { type: 'run-ended' }>;
/** What has happened; who tells it, and when, is added on the way. */
type News = Pick<Ended, 'type' | 'status'> | Pick<Exclude<RunNotice, Ended>, 'type' | 'status' | 'need'>;

/** `null` where the run has nobody to tell: then it does nothing at all. */
export function tellOutside(run: RunState): OutsideTeller | null {
  const { onEvent } = run.request;
  return onEvent ? new OutsideTeller(run, onEvent) : null;
}

export class OutsideTeller {
  private readonly run: RunState;
  private readonly onEvent: OnEvent;
  private readonly whole = CancellationScope.current();
  /** No cancel of the run reaches what is told; the end of the run stops the needs. */
  private readonly shield = new CancellationScope({ cancellable: false });
  private readonly needs = new CancellationScope({ cancellable: true, parent: this.shield });
  private lastNeed: Promise<void> = Promise.resolve();
  private openNeeds = 0;
  private told = 0;
  private isShortOfBudget = false;
  private isEnding = false;

  constructor(run: RunState, onEvent: OnEvent) {
    this.run = run;
    this.onEvent = onEvent;
    run.waits.listen((wait) => this.onWait(wait));
  }

  /** Resolves when it was told, or could not be, or after 15 s. Never rejects. */
  async tellEnd(status: Ended['status']): Promise<void> {
    this.isEnding = true;
    const startedAt = Date.now();
    await this.shield.run(async () => {
      if (this.openNeeds > 0)
        await withDeadline(
          underWayMs,
          () => this.lastNeed,
          () => this.needs.cancel(),
        );
      const last = new CancellationScope();
      await withDeadline(
        endMs - (Date.now() - startedAt),
        () => last.run(() => this.send({ type: 'run-ended', status })),
        () => last.cancel(),
      );
    });
  }

  private onWait(wait: Wait): void {
    if (this.isEnding || this.run.isClosing || this.whole.consideredCancelled) return;
    if (wait.kind === 'budget') {
      // One need, however many wait: they take turns at waiting while there is too little for all of them.
      if (this.isShortOfBudget) return;
      this.isShortOfBudget = true;
      void this.shield
        .run(() => condition(() => !this.run.waits.isFor('budget')))
        .then(() => (this.isShortOfBudget = false));
    }
    this.openNeeds += 1;
    this.lastNeed = this.lastNeed
      .then(() => this.needs.run(() => this.sendNeed(wait)))
      .then(() => void (this.openNeeds -= 1));
  }

  /** What was answered before its turn came is no news any more. */
  private async sendNeed(wait: Wait): Promise<void> {
    const { waits } = this.run;
    const isNeeded = wait.kind === 'budget' ? waits.isFor('budget') : waits.has(wait);
    if (!isNeeded || this.isEnding) return;
    await this.send({ type: 'run-needs-person', status: waitStatuses[wait.kind], need: toNeed(wait) });
  }

  private async send(news: News): Promise<void> {
    const { runId, title = null } = this.run.request;
    const about = { runId, title, ordinal: (this.told += 1), at: new Date().toISOString() };
    try {
      await notifyActivity({ onEvent: this.onEvent, notice: { ...news, ...about } });
    } catch (error) {
      const { notes } = this.run;
      const end = fromTemporalFailure(error);
      if (!hasNoticeNote(notes)) notes.push(toNoticeNote(end.kind === 'failed' ? end.failure.message : null));
    }
  }
}

function toNeed(wait: Wait): RunNeed {
  switch (wait.kind) {
    case 'plan':
      return { kind: 'plan' };
    case 'approval':
      return { kind: 'approval', approvalId: wait.key, subagentId: wait.whose };
    case 'budget':
      return { kind: 'budget', ...(wait.whose !== null && { subagentId: wait.whose }) };
    default:
      return wait satisfies never;
  }
}
