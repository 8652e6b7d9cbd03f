/** One call of the model that writes: a draft, paid from the drafts' share, or the report, paid from what is left. */
import type { SynthesisStep, SynthesisStepResult } from '../contract/steps.ts';
import { toGaps } from '../domain/join.ts';
import { boundOpeningReservation } from '../domain/reservation.ts';
import { utf8Bytes } from '../domain/text.ts';
import { callModel } from './activity-stubs.ts';
import { runModelCall } from './run-model-call.ts';
import type { RunState } from './run-state.ts';

export type SynthesisDraft = Omit<SynthesisStep, 'maxSpendTokens' | 'attempts' | 'withoutModel'>;

/** What is written from: the outcomes so far. */
export function toSynthesisDraft(run: RunState, storeId: string, notNeeded: readonly string[]): SynthesisDraft {
  const { request } = run;
  const outcomes = run.ordered();
  return {
    runId: request.runId,
    storeId,
    question: request.question,
    ...(request.instructions !== undefined && { instructions: request.instructions }),
    subagents: outcomes.map(({ id, goal, status, reason, reportRef }) => ({
      id,
      goal,
      status,
      ...(reason && { reason }),
      reportRef,
    })),
    gaps: toGaps(outcomes, notNeeded),
    notes: run.notes,
    ...run.choiceOf('synthesis'),
    maxOutputTokens: request.maxOutputTokens,
  };
}

/** `null` where less is open than a call needs. Rejects as the activity does. */
export async function callSynthesis(
  run: RunState,
  step: SynthesisDraft,
  account: 'synthesis' | 'drafts',
): Promise<SynthesisStepResult | null> {
  const { request } = run;
  const bytes =
    utf8Bytes(request.question) + step.subagents.reduce((sum, { reportRef }) => sum + (reportRef?.bytes ?? 0), 0);
  const summary = step.draft === undefined ? 'the report' : `draft ${step.draft}`;
  const wanted = boundOpeningReservation(bytes, request.maxOutputTokens);
  return runModelCall({
    attempts: request.modelAttempts,
    terms: step,
    limitsUsd: request.budget.usd !== undefined,
    openTokens: () => Math.min(wanted, account === 'drafts' ? run.openDraftTokens(step) : run.openTokens(step)),
    reserve: (reserved) => run.reserveCall(account, reserved),
    settle: (reserved, details) => run.settleCall(account, reserved, details),
    run: (bounds) =>
      callModel(run.routeOf('synthesis')).synthesizeActivity.executeWithOptions({ summary }, [
        { ...step, ...bounds, withoutModel: false },
      ]),
  });
}
