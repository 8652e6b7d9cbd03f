/** The fan-outs of a subagent: funds its own subagents out of its ledger, runs them, and says what they handed back. */
import { CancellationScope, condition, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import type { Amounts } from '../contract/budget.ts';
import { personWaitSchema } from '../contract/control.ts';
import { defaults } from '../contract/defaults.ts';
import { toSubagentWorkflowId } from '../contract/ids.ts';
import type { OutcomeReason, SubagentOutcome } from '../contract/outcome.ts';
import type { Subtask } from '../contract/plan.ts';
import type { SubagentTask } from '../contract/steps.ts';
import { stoppedUsageSchema, type StoppedUsage } from '../contract/stopped-usage.ts';
import type { BlobRef } from '../contract/transcript.ts';
import { toDelegationText } from '../domain/delegation-text.ts';
import { fundDelegation } from '../domain/fund-delegation.ts';
import { boundMicroUsd } from '../domain/money.ts';
import { offerDelegation, withoutDelegate } from '../domain/offer-delegation.ts';
import { minTurnTokens } from '../domain/reservation.ts';
import { formatCount } from '../domain/text.ts';
import { finalizeSignal, personWaitSignal, subagentStoppedSignal } from '../temporal/names.ts';
import { emptyOutcome, notStarted, toChildEnd } from './child-outcome.ts';
import { ContinuedChildren } from './continued-children.ts';
import { startFanOut } from './fan-out.ts';
import { onSound } from './on-sound.ts';
import type { PausableClock } from './pausable-clock.ts';
import { readStopped } from './read-stopped.ts';
import { maxWaitsMs, runChild } from './run-child.ts';
import type { SubagentLedger } from './subagent-ledger.ts';
import { SubagentLinks } from './subagent-links.ts';
import { subagentWorkflow } from './subagent.ts';

/** Histories hold the answer itself, so it is never longer than this. */
const maxAnswerChars = 64_000;
/** The most of its time that a subagent keeps for itself when it hands work on; a tenth where that is less. */
const maxKeptMs = 60_000;

export type DelegationAnswer = { readonly text: string; readonly isError: boolean };

export class Delegations {
  private readonly task: SubagentTask;
  private readonly ledger: SubagentLedger;
  private readonly clock: PausableClock;
  private readonly why: () => OutcomeReason;
  private readonly links: SubagentLinks;
  private readonly stoppedUsage = new Map<string, StoppedUsage>();
  private readonly continued = new ContinuedChildren();
  private readonly reports: BlobRef[] = [];
  /** Those that waited for a person, or have one below them that did. */
  private readonly asked = new Set<string>();
  /** Subtasks that were given an id. */
  given: number;
  /** No new work: what runs hands back. */
  private isClosing = false;

  /** `why`: what a cancellation that reaches those below is for. */
  constructor(
    task: SubagentTask,
    its: { readonly ledger: SubagentLedger; readonly clock: PausableClock; readonly why: () => OutcomeReason },
  ) {
    this.task = task;
    this.given = task.delegatedBefore ?? 0;
    this.ledger = its.ledger;
    this.clock = its.clock;
    this.why = its.why;
    this.links = new SubagentLinks(task.runId);
    setHandler(subagentStoppedSignal, (stopped) =>
      onSound(stoppedUsageSchema, stopped, (sound) => this.stoppedUsage.set(sound.id, sound)),
    );
    setHandler(personWaitSignal, (wait) =>
      onSound(personWaitSchema, wait, ({ subagentId, isWaiting }) => {
        if (!isWaiting) return this.clock.release(subagentId);
        this.asked.add(subagentId);
        this.clock.hold(subagentId);
      }),
    );
  }

  /** Whole reports of those that have ended: their sources count as read. */
  reportRefs(): readonly BlobRef[] {
    return this.reports;
  }

  /** Those of an earlier run whose work is gone on with. */
  addReports(refs: readonly BlobRef[]): void {
    this.reports.push(...refs);
  }

  isAnyUp(): boolean {
    return this.links.up().length > 0;
  }

  /** Has everybody hand back now. Resolves when none is up any more, or when their grace has passed. */
  async finalize(graceMs: number): Promise<void> {
    this.isClosing = true;
    for (const id of this.links.up())
      this.links.send(id, (handle) => handle.signal(finalizeSignal, { by: this.task.id }));
    await condition(() => !this.isAnyUp(), graceMs);
  }

  /**
   * Starts a subagent for each goal that can be paid for, waits for all of them, and answers what they found. Resolves
   * also after a cancel, when none is left running.
   */
  async run(goals: readonly string[]): Promise<DelegationAnswer> {
    const { task, ledger } = this;
    const bounds = task.delegation!;
    const allowed = goals.slice(0, bounds.maxSubtasks - this.given + (task.delegatedBefore ?? 0));
    const { rates, maxOutputTokens } = task;
    const min = { tokens: minTurnTokens * 2, microUsd: boundMicroUsd(minTurnTokens, maxOutputTokens, rates) * 2 };
    const { count, allotment } = fundDelegation(ledger.openForWork(), allowed.length, min);
    if (this.isClosing || CancellationScope.current().consideredCancelled)
      return refuse('Not run: no new work is begun any more. Hand back what you have found so far.');
    if (allowed.length === 0)
      return refuse(
        `Not run: you may hand on ${formatCount(bounds.maxSubtasks)} subtasks in all, and have done so. Go on yourself.`,
      );
    if (count === 0)
      return refuse(
        'Not run: half of what is left of your budget does not pay for one more researcher. Go on yourself.',
      );

    const tasks = allowed.slice(0, count).map((goal): Subtask => ({ id: `${task.id}.${(this.given += 1)}`, goal }));
    // At once, before anybody else can take of it: what the one half pays for is settled here.
    for (const { id } of tasks) ledger.reserveChild(id, allotment);
    const fanOut = startFanOut<Subtask, SubagentOutcome>({
      tasks,
      window: bounds.maxConcurrency ?? tasks.length,
      run: (subtask) => this.runOne(subtask, allotment),
      skip: ({ id }) => this.settle({ ...notStarted(id, null), reason: this.why() }, allotment),
      isOver: () => false,
    });
    const outcomes = new Map((await fanOut.done).map((outcome) => [outcome.id, outcome]));
    const parts = tasks.map(({ id, goal }) => ({ goal, outcome: outcomes.get(id)! }));
    const notes = [
      ...toNotes(goals.length - allowed.length, 'beyond the number that you may hand on'),
      ...toNotes(allowed.length - count, 'for want of budget'),
    ];
    const maxChars = Math.min(task.toolOptions.maxOutputChars, maxAnswerChars);
    return {
      text: toDelegationText(parts, notes, { maxChars, maxTokens: defaults.reportTokens }),
      isError: parts.every(({ outcome }) => outcome.report === null),
    };
  }

  private async runOne(subtask: Subtask, allotment: Amounts): Promise<SubagentOutcome> {
    if (this.isClosing) return this.settle({ ...notStarted(subtask.id, 'finalize'), reason: this.why() }, allotment);
    this.links.prepare(subtask.id);
    const outcome = await this.runToOutcome(subtask, allotment);
    this.links.disconnect(subtask.id);
    this.clock.release(subtask.id);
    if (this.asked.has(subtask.id)) this.tellRun(subtask.id);
    return this.settle(outcome, allotment);
  }

  private async runToOutcome(subtask: Subtask, allotment: Amounts): Promise<SubagentOutcome> {
    const { task } = this;
    const { id } = subtask;
    const leftMs = this.clock.leftMs();
    const wallClockMs = Math.max(1_000, Math.floor(leftMs - Math.min(maxKeptMs, leftMs / 10)));
    try {
      return await runChild(subagentWorkflow, toTask(task, subtask, allotment, wallClockMs), {
        workflowId: toSubagentWorkflowId(task.runId, id),
        workflowExecutionTimeout: wallClockMs + 60_000 + (task.approvals ? maxWaitsMs : 0),
        staticSummary: subtask.goal.slice(0, 200),
        onStarted: () => this.links.connect(id),
        hasContinued: () => this.continued.has(id),
      });
    } catch (error) {
      const end = toChildEnd(error, null);
      if ('id' in end) return end;
      const isOurs = CancellationScope.current().consideredCancelled;
      const price = task.rates ? boundMicroUsd(allotment.tokens, task.maxOutputTokens, task.rates) : null;
      const used = this.stoppedUsage.get(id) ?? (await readStopped({ runId: task.runId, id }, allotment, price));
      return {
        ...emptyOutcome(id),
        ...end,
        ...(end.status === 'cancelled' && isOurs && { reason: this.why() }),
        ...used,
        ...(used.turns === 0 && end.status === 'timed-out' && { reason: 'no-worker' as const }),
      };
    }
  }

  /** It has ended: what it asked a person for, and was not answered, needs no decision any more. */
  private tellRun(id: string): void {
    const run = getExternalWorkflowHandle(this.task.runId);
    const tell = () => run.signal(personWaitSignal, { subagentId: id, isWaiting: false });
    void CancellationScope.nonCancellable(tell).catch(() => undefined);
  }

  private settle(outcome: SubagentOutcome, allotment: Amounts): SubagentOutcome {
    this.ledger.settleChild(outcome.id, allotment, outcome.usage);
    if (outcome.reportRef) this.reports.push(outcome.reportRef);
    return outcome;
  }
}

function toTask(task: SubagentTask, { id, goal }: Subtask, allotment: Amounts, wallClockMs: number): SubagentTask {
  return {
    ...task,
    id,
    goal,
    delegation: undefined,
    // What the one above goes on from is its own.
    resumeRef: undefined,
    carry: undefined,
    attempt: undefined,
    delegatedBefore: undefined,
    ...offerDelegation(id, withoutDelegate(task.tools), task.delegation!),
    allotment,
    wallClockMs,
    // The pool is the run's, and what it promised stays with the one that asked for it.
    canTopUp: false,
    parentWorkflowId: toSubagentWorkflowId(task.runId, task.id),
  };
}

function refuse(text: string): DelegationAnswer {
  return { text, isError: true };
}

function toNotes(count: number, why: string): string[] {
  if (count === 0) return [];
  return [`${formatCount(count)} ${count === 1 ? 'subtask was' : 'subtasks were'} not started, ${why}.`];
}
