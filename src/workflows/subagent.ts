/** One subtask as a child workflow of its run. Its id is `<run id>/s1`. */
import type { ApplicationFailure } from '@temporalio/common';
import { CancellationScope, ContinueAsNew, getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import { parseInput } from '../contract/invalid-input.ts';
import type { SubagentOutcome } from '../contract/outcome.ts';
import { subagentTaskSchema, type SubagentTask } from '../contract/steps.ts';
import { fromTemporalFailure, toApplicationFailure, toFailure } from '../temporal/failure-codec.ts';
import { subagentStoppedSignal } from '../temporal/names.ts';
import { SubagentWork } from './subagent-work.ts';
import { withDeadline } from './with-deadline.ts';

/** A parent that does not answer must not hold up a cancel. */
const signalLimitMs = 5_000;

/**
 * Ends with its outcome; a `failed` one fails the workflow, with the outcome as the failure's first detail. Cancelled, it
 * tells whoever started it what it used before it closes.
 */
export async function subagentWorkflow(input: SubagentTask): Promise<SubagentOutcome> {
  const work = openWork(input);
  try {
    const outcome = await work.run();
    if (outcome.status !== 'failed') return outcome;
    const message = outcome.message ?? `subagent ${outcome.id} failed (${outcome.reason ?? 'unknown'})`;
    throw toApplicationFailure({ code: 'SUBAGENT_FAILED', message }, { details: [outcome] });
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => tellParent(input, work));
    else if (!isOwnEnd(error)) throw toSubagentFailure(error);
    throw error;
  }
}

/** A failure in our words, and the way into a new history. */
function isOwnEnd(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ApplicationFailure' || error instanceof ContinueAsNew);
}

/** A failed step of our own (the store, say): its code and words, which the activity's failure only wraps. */
function toSubagentFailure(error: unknown): ApplicationFailure {
  const decoded = fromTemporalFailure(error);
  if (decoded.kind === 'failed') return toApplicationFailure(decoded.failure, { nonRetryable: true });
  return toApplicationFailure({ code: 'INTERNAL', message: `a step of the subagent did not end (${decoded.kind})` });
}

function openWork(input: SubagentTask): SubagentWork {
  try {
    return new SubagentWork(parseInput(subagentTaskSchema, input, 'subagent task'));
  } catch (error) {
    throw toApplicationFailure(toFailure(error));
  }
}

async function tellParent(task: SubagentTask, work: SubagentWork): Promise<void> {
  const scope = new CancellationScope();
  const signal = () =>
    scope.run(() =>
      getExternalWorkflowHandle(task.parentWorkflowId ?? task.runId).signal(subagentStoppedSignal, work.usageSoFar()),
    );
  // A parent that is gone, or silent, is no reason to fail: its side is settled from this history.
  await withDeadline(signalLimitMs, signal, () => scope.cancel()).catch(() => undefined);
}
