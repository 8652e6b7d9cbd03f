/** Drafts of a progressive run: numbered, each over the outcomes that were there, bounded in number, paid from their own share. */
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { defaults } from '../contract/defaults.ts';
import { isUsable } from '../domain/join.ts';
import { callSynthesis, toSynthesisDraft } from './call-synthesis.ts';
import type { RunState } from './run-state.ts';

export class DraftWriter {
  private readonly run: RunState;
  private readonly storeId: string;
  private readonly scope = new CancellationScope();
  private readonly writing: Promise<void>;
  private isOver = false;

  /** Begins to wait for outcomes at once. */
  constructor(run: RunState, storeId: string) {
    this.run = run;
    this.storeId = storeId;
    this.writing = this.scope
      .run(() => this.writeAll())
      .catch((error: unknown) => {
        if (!isCancellation(error)) this.run.notes.push(`no further draft was written: ${String(error)}`);
      });
  }

  /** The report itself is next: a draft that is being written is of no use any more. Never rejects. */
  async end(): Promise<void> {
    this.isOver = true;
    this.scope.cancel();
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    // Those of a run that is taken over stay; what rests on nothing newer than they do is not written again.
    const known = this.run.drafts.length;
    for (let drafted = this.usable().length, number = known + 1; number <= known + defaults.maxDrafts; number += 1) {
      await condition(() => this.isOver || this.usable().length > drafted);
      // The last outcome is the report's.
      if (this.isOver || this.run.outcomes.size >= this.run.plan.length) return;
      drafted = this.usable().length;
      if (!(await this.writeOne(number))) return;
    }
  }

  /** `false` where the share does not pay for it. */
  private async writeOne(number: number): Promise<boolean> {
    const { run } = this;
    const subagents = this.usable();
    const open = run.plan.map(({ id }) => id).filter((id) => !run.outcomes.has(id));
    const note = `draft ${number}: it rests on ${subagents.join(', ')}; not there yet: ${open.join(', ')}`;
    const step = { ...toSynthesisDraft(run, this.storeId, []), notes: [...run.notes, note], draft: number };
    const result = await callSynthesis(run, step, 'drafts');
    if (!result) return false;
    run.drafts.push({
      number,
      documentRef: result.documentRef,
      subagents,
    });
    return true;
  }

  /** Ids of the subagents whose answers there are, in plan order. */
  private usable(): string[] {
    return this.run
      .ordered()
      .filter(({ status }) => isUsable(status))
      .map(({ id }) => id);
  }
}
