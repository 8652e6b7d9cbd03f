/** One model call of a subagent: reserved before it, settled after it, whatever became of it. */
import { toOutcomeReason } from '../contract/failure.ts';
import type { OutcomeReason, OutcomeStatus, SubagentReport } from '../contract/outcome.ts';
import type { ModelStep, ModelStepResult, SubagentTask } from '../contract/steps.ts';
import type { BlobRef, ToolResult, TranscriptHead } from '../contract/transcript.ts';
import type { Amounts } from '../contract/budget.ts';
import { boundReservation } from '../domain/reservation.ts';
import { fromTemporalFailure, type DecodedFailure } from '../temporal/failure-codec.ts';
import { callModel } from './activity-stubs.ts';
import { runModelCall, type ModelCallBounds } from './run-model-call.ts';
import type { SubagentLedger } from './subagent-ledger.ts';

/** How a subagent ends. */
export type End = {
  readonly status: OutcomeStatus;
  readonly reason?: OutcomeReason;
  readonly message?: string;
  readonly report?: SubagentReport | null;
  /** The same in the store, where it is too long for a history. */
  readonly reportRef?: BlobRef;
};

export type ModelTurn =
  | Extract<ModelStepResult, { kind: 'reply' }>
  /** Nothing was sent: not even a cut request fits what is left. `short`: what an allotment would need on top. */
  | { readonly kind: 'does-not-fit'; readonly neededTokens: number; readonly short: Amounts }
  | { readonly kind: 'failed'; readonly end: End };

/** Rejects only with a cancellation. */
export async function runModelTurn(input: {
  readonly task: SubagentTask;
  readonly ledger: SubagentLedger;
  readonly head: TranscriptHead | null;
  /** Answers to every call of the last reply. */
  readonly results: readonly ToolResult[];
  readonly turn: number;
  /** What to say of the last reply before the model goes on. */
  readonly note: ModelStep['note'];
  readonly handBack: OutcomeReason | null;
  /** What an attempt at this very turn was found to need; 0 = not known. */
  readonly neededTokens: number;
}): Promise<ModelTurn> {
  const { task, ledger, head, results, turn, note, handBack, neededTokens } = input;
  const opening = [task.question, task.goal, task.instructions ?? ''];
  const bound = boundReservation({ head, results, opening, maxOutputTokens: task.maxOutputTokens });
  const wanted = Math.max(bound, neededTokens);
  const isHandBack = handBack !== null;
  const step: Omit<ModelStep, keyof ModelCallBounds> = {
    runId: task.runId,
    subagentId: task.id,
    storeId: task.storeId,
    turn,
    head,
    question: task.question,
    ...(task.instructions !== undefined && { instructions: task.instructions }),
    goal: task.goal,
    ...(task.corpus !== undefined && { corpus: task.corpus }),
    ...(task.web && { web: task.web }),
    tools: task.tools,
    parallelToolCalls: task.toolOptions.parallelToolCalls,
    encourageBatching: task.toolOptions.encourageBatching,
    ...(note && { note }),
    ...(task.approvals && { approvals: task.approvals }),
    ...(task.delegation && { delegation: task.delegation }),
    results: [...results],
    ...(handBack && { handBack }),
    model: task.model,
    ...(task.baseUrl !== undefined && { baseUrl: task.baseUrl }),
    ...(task.price && { price: task.price }),
    ...(task.rates && { rates: task.rates }),
    maxOutputTokens: task.maxOutputTokens,
  };
  const summary = `turn ${turn}${handBack ? `, hand-back (${handBack})` : ''}`;
  try {
    const result = await runModelCall({
      attempts: task.modelAttempts,
      terms: task,
      limitsUsd: task.limitsUsd,
      openTokens: () => Math.min(wanted, ledger.openTokens(isHandBack)),
      reserve: (reserved) => ledger.reserveCall(reserved, isHandBack),
      settle: (reserved, details) => ledger.settleCall(reserved, details),
      run: (bounds) => callModel(task).callModelActivity.executeWithOptions({ summary }, [{ ...step, ...bounds }]),
    });
    if (result?.kind === 'reply') return result;
    const needed = Math.max(wanted, result?.neededTokens ?? 0);
    return { kind: 'does-not-fit', neededTokens: needed, short: ledger.shortOf(needed, isHandBack) };
  } catch (error) {
    const failure = fromTemporalFailure(error);
    if (failure.kind === 'cancelled') throw error;
    return { kind: 'failed', end: toEnd(failure) };
  }
}

function toEnd(failure: DecodedFailure): End {
  if (failure.kind !== 'failed')
    return { status: 'failed', reason: 'provider', message: 'the model call did not end in time' };
  const { code, message } = failure.failure;
  return { status: 'failed', reason: toOutcomeReason(code), message };
}
