/** What a subagent is told while it works, and what it asks: more budget of its run, and people to decide on a call. */
import { CancellationScope, condition, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { Amounts } from '../contract/budget.ts';
import type { ApprovalAnswer, ApprovalAsk, TopUpAnswer } from '../contract/control.ts';
import type { SubagentTask } from '../contract/steps.ts';
import {
  allotmentRaisedSignal,
  approvalAnsweredSignal,
  approvalAskedSignal,
  finalizeSignal,
  personWaitSignal,
  subagentContinuedSignal,
  topUpAnsweredSignal,
  topUpAskedSignal,
} from '../temporal/names.ts';

export class SubagentMailbox {
  private readonly task: SubagentTask;
  private readonly topUps = new Map<number, TopUpAnswer>();
  private readonly approvals = new Map<string, ApprovalAnswer>();
  /** Top-ups that were asked for. */
  asked = 0;
  private isFinalized = false;
  private told: Promise<unknown> = Promise.resolve();

  /** `onRaise`: a person gave more. `onFinalize`: the report is wanted now; called once. */
  constructor(task: SubagentTask, told: { onRaise(added: Amounts): void; onFinalize(): void }) {
    this.task = task;
    setHandler(topUpAnsweredSignal, (answer) => void this.topUps.set(answer.ordinal, answer));
    setHandler(approvalAnsweredSignal, (answer) => void this.approvals.set(answer.callId, answer));
    setHandler(allotmentRaisedSignal, ({ added }) => told.onRaise(added));
    setHandler(finalizeSignal, () => {
      if (this.isFinalized) return;
      this.isFinalized = true;
      told.onFinalize();
    });
  }

  /** All of `wanted`, or `null`; where the run pauses, the answer may be long in coming. Rejects with a cancellation. */
  async askForMore(wanted: Amounts): Promise<Amounts | null> {
    this.asked += 1;
    const ordinal = this.asked;
    await getExternalWorkflowHandle(this.task.runId).signal(topUpAskedSignal, {
      subagentId: this.task.id,
      ordinal,
      wanted,
    });
    await condition(() => this.topUps.has(ordinal));
    return this.topUps.get(ordinal)!.granted;
  }

  /** Waits for a person's decision, or its expiry. Rejects with a cancellation. */
  async askApproval(call: Omit<ApprovalAsk, 'subagentId'>): Promise<ApprovalAnswer> {
    const ask = { subagentId: this.task.id, ...call };
    await getExternalWorkflowHandle(this.task.runId).signal(approvalAskedSignal, ask);
    await condition(() => this.approvals.has(call.callId));
    return this.approvals.get(call.callId)!;
  }

  /** Tells whoever started this one that it goes on in a new history, after all else that it was told. */
  async tellContinued(): Promise<void> {
    const { id, runId, parentWorkflowId = runId } = this.task;
    await this.told;
    const parent = getExternalWorkflowHandle(parentWorkflowId);
    await parent.signal(subagentContinuedSignal, { id }).catch(() => undefined); // one that is gone needs no word
  }

  /** Tells the subagent that started this one, whose time goes on too while it waits for a person. In order, one by one. */
  tellWait(isWaiting: boolean): void {
    const { parentWorkflowId, id } = this.task;
    if (parentWorkflowId === undefined) return;
    const tell = () =>
      getExternalWorkflowHandle(parentWorkflowId).signal(personWaitSignal, { subagentId: id, isWaiting });
    // One that is gone needs no word.
    this.told = this.told.then(() => CancellationScope.nonCancellable(tell)).catch(() => undefined);
  }
}
