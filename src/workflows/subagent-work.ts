/** The loop of one subagent: asks the domain what is next, and does it. Holds the head of the transcript, never its text. */
import { CancelledFailure } from '@temporalio/common';
import { CancellationScope, continueAsNew, isCancellation, workflowInfo } from '@temporalio/workflow';
import { defaults } from '../contract/defaults.ts';
import type { Amounts } from '../contract/budget.ts';
import type { Carry } from '../contract/carry.ts';
import type { OutcomeReason, Source, SubagentOutcome } from '../contract/outcome.ts';
import type { StoppedUsage } from '../contract/stopped-usage.ts';
import type { PlannedCall } from '../contract/resume.ts';
import type { ModelStep, SubagentTask, ToolStepResult } from '../contract/steps.ts';
import type { ToolResult, TranscriptHead } from '../contract/transcript.ts';
import { decideAfterReply, decideHandBack, openAgent, stopAgent, type AgentState } from '../domain/agent-turn.ts';
import { compactReport } from '../domain/report.ts';
import { depthOf } from '../domain/subagent-tree.ts';
import { estimateTokens } from '../domain/token-bound.ts';
import { toolErrorText } from '../domain/tool-error-text.ts';
import { callTool, loadResumeActivity, storeReportActivity } from './activity-stubs.ts';
import { runModelTurn, type End, type ModelTurn } from './model-turn.ts';
import { decideCalls } from './decide-calls.ts';
import { Delegations } from './delegations.ts';
import { PausableClock } from './pausable-clock.ts';
import { runToolBatch } from './run-tool-batch.ts';
import { SubagentLedger } from './subagent-ledger.ts';
import { SubagentMailbox } from './subagent-mailbox.ts';
import { withDeadline } from './with-deadline.ts';

/** What a subagent that ran out of time has for its hand-back turn: half of what the one above it has. */
const graceOf = (id: string) => defaults.finalizeGraceMs / 2 ** (depthOf(id) - 1);

export class SubagentWork {
  private readonly task: SubagentTask;
  private readonly startedAt: number;
  private readonly ledger: SubagentLedger;
  private readonly sources = new Map<string, Source>();
  private agent: AgentState;
  private head: TranscriptHead | null = null;
  /** Answers that the next model call appends: one per call of the last reply. */
  private results: ToolResult[] = [];
  private note: ModelStep['note'];
  private graceMs: number;
  private neededTokens = 0;
  private readonly mailbox: SubagentMailbox;
  private readonly clock = new PausableClock((stands) => this.mailbox.tellWait(stands));
  private readonly delegations: Delegations;
  /** Why the work was stopped from outside the loop: its time is up, or the report is wanted now. */
  private stopped: 'wall-clock' | 'operator' | null = null;
  /** Whether the work that is gone on with has been taken up. */
  private isTakenUp = false;
  private stopWork: () => void = () => undefined;
  private readonly root = CancellationScope.current();

  constructor(task: SubagentTask) {
    this.task = task;
    const { carry } = task;
    this.startedAt = carry?.startedAtMs ?? Date.now();
    this.agent = carry?.agent ?? openAgent(task.maxTurns);
    this.graceMs = graceOf(task.id);
    this.ledger = new SubagentLedger(task.allotment, task.handBackReserveTokens, task, carry);
    this.delegations = new Delegations(task, {
      ledger: this.ledger,
      clock: this.clock,
      why: () => this.stopped ?? (this.root.consideredCancelled ? 'operator' : 'join'),
    });
    this.mailbox = new SubagentMailbox(task, {
      onRaise: (added) => this.ledger.raise(added),
      onFinalize: () => this.stop('operator'),
    });
    if (carry) this.restore(carry);
  }

  /** Works until the end. A wall clock that runs out, and a report that is wanted now, still buy the hand-back turn. */
  async run(): Promise<SubagentOutcome> {
    const scope = new CancellationScope();
    try {
      this.stopWork = () => scope.cancel();
      if (this.stopped) scope.cancel();
      const work = () => scope.run(() => this.loop());
      return await this.toOutcome(await this.clock.runWithin(this.wallClockMs(), work, () => this.stop('wall-clock')));
    } catch (error) {
      if (!this.stopped || !isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
      this.agent = stopAgent(this.agent, this.stopped);
      return this.toOutcome(await this.handBackInTime(this.stopped));
    }
  }

  /** For the parent when this subagent is cancelled, since a cancelled child returns nothing. */
  usageSoFar(): StoppedUsage {
    const { turns, toolCalls, toolCallMessages } = this.agent;
    const usage = { ...this.ledger.usage, wallClockMs: Date.now() - this.startedAt };
    return { id: this.task.id, usage, turns, toolCalls, toolCallMessages, transcript: this.head };
  }

  /** What an earlier history left to go on with. */
  private restore({ head, results, note, sources, below, delegated, topUps }: Carry): void {
    this.head = head;
    this.results = results;
    this.note = note;
    this.isTakenUp = true;
    for (const source of sources) this.sources.set(source.id, source);
    this.delegations.addReports(below);
    this.delegations.given = delegated;
    this.mailbox.asked = topUps;
  }

  /** What is left of its time. */
  private wallClockMs(): number {
    return Math.max(1, this.task.wallClockMs - (this.task.carry?.workedMs ?? 0));
  }

  private isHistoryLong(): boolean {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested || historyLength >= (this.task.maxHistoryEvents ?? defaults.maxHistoryEvents);
  }

  /** Goes on in a new history, between two turns: no call and no subagent is open, and nobody waits for an answer. */
  private async goOnAnew(): Promise<void> {
    await this.mailbox.tellContinued();
    if (this.stopped || CancellationScope.current().consideredCancelled) return;
    const { task, agent, head, results, note } = this;
    const carry: Carry = {
      startedAtMs: this.startedAt,
      workedMs: Math.max(0, Math.round(task.wallClockMs - this.clock.leftMs())),
      agent: { ...agent, recentBatches: [...agent.recentBatches] },
      ...this.ledger.carry(),
      head,
      results,
      ...(note && { note }),
      sources: [...this.sources.values()],
      below: [...this.delegations.reportRefs()],
      delegated: this.delegations.given,
      topUps: this.mailbox.asked,
    };
    await continueAsNew<(input: SubagentTask) => Promise<SubagentOutcome>>({ ...task, carry });
  }

  private async loop(): Promise<End> {
    await this.takeUp();
    for (;;) {
      if (!this.stopped && this.isHistoryLong()) await this.goOnAnew();
      const handBack = decideHandBack(this.agent);
      const turn = await this.callModel(handBack);
      if (turn.kind === 'failed') return turn.end;
      this.neededTokens = turn.kind === 'does-not-fit' ? turn.neededTokens : 0;
      if (turn.kind === 'does-not-fit') {
        if (!this.stopped && (await this.getMore(turn.short))) continue;
        if (handBack)
          return { status: 'failed', reason: 'budget', message: `nothing was left to hand back with (${handBack})` };
        this.agent = stopAgent(this.agent, 'budget');
        continue;
      }
      const { state, decision } = decideAfterReply(
        this.agent,
        {
          calls: turn.calls,
          finish: turn.finish,
          rawFinish: turn.rawFinish,
          hasReport: turn.report !== null || turn.reportRef !== undefined,
        },
        handBack,
      );
      this.agent = state;
      this.head = turn.head;
      this.results = [];
      this.note = decision.kind === 'continue' ? decision.note : undefined;
      if (decision.kind === 'end')
        return { ...decision, report: turn.report, ...(turn.reportRef && { reportRef: turn.reportRef }) };
      if (decision.kind === 'answer-calls')
        this.results = turn.calls.map((call) => toError(call, toolErrorText[decision.problem]()));
      if (decision.kind === 'run-tools') await this.runTools(turn.calls);
    }
  }

  /** Goes on where an earlier run stood: the calls that were open there are answered first. Its bound on turns is whole. */
  private async takeUp(): Promise<void> {
    const { resumeRef, storeId, maxTurns } = this.task;
    if (!resumeRef || this.isTakenUp) return;
    const { head, turns, calls, results, begun, sources, below } = await loadResumeActivity({ storeId, resumeRef });
    this.isTakenUp = true;
    this.agent = { ...this.agent, turns, maxTurns: turns + maxTurns };
    this.head = head;
    this.results = results;
    for (const source of sources) this.sources.set(source.id, source);
    this.delegations.addReports(below);
    if (calls.length === 0) return;
    const isWrite = ({ name }: PlannedCall) =>
      this.task.tools.some((tool) => tool.name === name && tool.effect === 'write');
    const unknown = { problem: toolErrorText.unknownOutcome() };
    const open = calls.map((call) => (begun.includes(call.callId) && isWrite(call) ? { ...call, ...unknown } : call));
    await this.runTools(open, results);
  }

  /** Ends the work, unless the hand-back is under way already: that is what the stop is for. */
  private stop(why: 'wall-clock' | 'operator'): void {
    if (this.stopped || this.agent.stopping) return;
    this.stopped = why;
    if (why === 'operator' && this.delegations.isAnyUp()) void this.stopAfterThoseBelow();
    else this.stopWork();
  }

  /** Those below hand back first, so that what they found is in what this one hands back. */
  private async stopAfterThoseBelow(): Promise<void> {
    const graceMs = graceOf(this.task.id);
    const startedAt = Date.now();
    try {
      await this.delegations.finalize(graceMs / 2);
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
    this.graceMs = graceMs - (Date.now() - startedAt);
    this.stopWork();
  }

  /** Asks the run for more. What it will not give is not asked for twice in a row by the same call. */
  private async getMore(short: Amounts): Promise<boolean> {
    const isShort = short.tokens > 0 || short.toolCalls > 0 || short.microUsd > 0;
    if (this.task.canTopUp !== true || !isShort) return false;
    const granted = await this.clock.offTheClock(() => this.mailbox.askForMore(short));
    if (granted) this.ledger.raise(granted);
    return granted !== null;
  }

  private async handBackInTime(why: 'wall-clock' | 'operator'): Promise<End> {
    const scope = new CancellationScope();
    try {
      return await withDeadline(
        this.graceMs,
        () => scope.run(() => this.loop()),
        () => scope.cancel(),
      );
    } catch (error) {
      if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
      return {
        status: 'failed',
        reason: why,
        message: `${why === 'operator' ? 'the report was wanted' : 'the time was up'} and the hand-back did not finish within its grace`,
      };
    }
  }

  private async callModel(handBack: OutcomeReason | null): Promise<ModelTurn> {
    const { task, ledger, head, results, note, neededTokens } = this;
    return runModelTurn({ task, ledger, head, results, note, neededTokens, turn: this.agent.turns + 1, handBack });
  }

  /** `known`: answers that are there already; the other calls are made. */
  private async runTools(all: readonly PlannedCall[], known: readonly ToolResult[] = []): Promise<void> {
    const { task, ledger } = this;
    const calls = all.filter(({ callId }) => !known.some((result) => result.callId === callId));
    const head = this.head!;
    const { decided, edited } = await decideCalls(calls, (call) =>
      this.clock.offTheClock(() => this.mailbox.askApproval(call)),
    );
    const reserved = Math.min(calls.length, ledger.openToolCalls());
    ledger.reserveToolCalls(reserved);
    const deadlineMs = task.toolOptions.callDeadline;
    const batch = await runToolBatch({
      calls: decided,
      tools: task.tools,
      options: task.toolOptions,
      remainingToolCalls: reserved,
      isTimeUp: () => this.stopped !== null,
      execute: async (call, tool) => {
        const result = await callTool(tool, deadlineMs).executeWithOptions(
          { summary: `${call.name} ${call.argumentsPreview}` },
          [
            {
              runId: task.runId,
              subagentId: task.id,
              storeId: task.storeId,
              head,
              callId: call.callId,
              name: call.name,
              ...(task.attempt !== undefined && { attempt: task.attempt }),
              deadlineMs,
              maxOutputChars: task.toolOptions.maxOutputChars,
              ...(edited.has(call.callId) && { editedArguments: edited.get(call.callId)! }),
              ...(task.corpus !== undefined && { corpus: task.corpus }),
              ...(task.web && { web: task.web }),
              ...(task.delegation && { delegation: task.delegation }),
            },
          ],
        );
        return result.delegated && task.delegation
          ? { ...result, ...(await this.delegations.run(result.delegated)) }
          : result;
      },
    });
    ledger.settleToolCalls(reserved, batch.executed);
    const answers = new Map([...known, ...batch.results].map((result) => [result.callId, result]));
    this.results = all.map(({ callId }) => answers.get(callId)!);
    for (const outcome of batch.read) this.addSources(outcome);
    // The batch answers every call even when it was cancelled; the cancellation itself goes on from here.
    if (CancellationScope.current().consideredCancelled)
      throw new CancelledFailure('the subagent was cancelled during a tool batch');
    if (ledger.openToolCalls() === 0 && !(await this.getMore({ tokens: 0, toolCalls: calls.length, microUsd: 0 })))
      this.agent = stopAgent(this.agent, 'budget');
  }

  private addSources(outcome: ToolStepResult): void {
    for (const { id, url, title } of outcome.sources) {
      const contents = this.sources.get(id)?.contents ?? [];
      this.sources.set(id, { id, url, title, contents: [...contents, outcome.ref] });
    }
  }

  private async toOutcome(end: End): Promise<SubagentOutcome> {
    const below = this.delegations.reportRefs();
    const handed = end.report ? { report: end.report } : end.reportRef && { reportRef: end.reportRef };
    const stored = handed
      ? await storeReportActivity({
          storeId: this.task.storeId,
          ...handed,
          sources: [...this.sources.values()],
          ...(below.length > 0 && { below: [...below] }),
        })
      : null;
    const { id, usage, turns, toolCalls, toolCallMessages, transcript } = this.usageSoFar();
    const outcome = {
      id,
      status: end.status,
      ...(end.reason && { reason: end.reason }),
      ...(end.message && { message: end.message }),
      report: null,
      reportRef: stored?.reportRef ?? null,
      usage,
      turns,
      toolCalls,
      toolCallMessages,
      transcript,
    };
    if (!stored) return outcome;
    const room = defaults.reportTokens - estimateTokens(JSON.stringify(outcome));
    return { ...outcome, report: compactReport(stored.report, room) };
  }
}

function toError(call: PlannedCall, text: string): ToolResult {
  return { callId: call.callId, name: call.name, isError: true, content: { text } };
}
