/** What a subagent that is tried again goes on from. */
import { isCancellation } from '@temporalio/workflow';
import type { SubagentTask } from '../contract/steps.ts';
import { isOwnEnd } from '../domain/adoption/is-own-end.ts';
import { fromTemporalFailure } from '../temporal/failure-codec.ts';
import { readLeftWorkActivity } from './activity-stubs.ts';
import type { RunState } from './run-state.ts';

/** Parts of the task of an attempt that is not the first. */
export type LeftWork = Pick<SubagentTask, 'attempt' | 'resumeRef' | 'delegatedBefore'>;

/**
 * From the history of the attempt before it; `null` where there was none. One that ended by what its model said is begun
 * anew, and so is one whose history cannot be read. Rejects with a cancellation.
 */
export async function readLeftWork(run: RunState, id: string, storeId: string): Promise<LeftWork | null> {
  const attempts = run.attemptsOf(id);
  const last = attempts.at(-1)?.outcome;
  if (!last) return null;
  const attempt = { attempt: attempts.length + 1, resumeRef: undefined };
  const summary = `what ${id} goes on from`;
  try {
    const { runId } = run.request;
    const left = await readLeftWorkActivity.executeWithOptions({ summary }, [{ runId, id, storeId }]);
    return {
      ...attempt,
      delegatedBefore: left.delegated,
      ...(left.resumeRef && !isOwnEnd(last) && { resumeRef: left.resumeRef }),
    };
  } catch (error) {
    if (isCancellation(error)) throw error;
    run.notes.push(`${id} began anew: its history could not be read (${fromTemporalFailure(error).kind})`);
    return attempt;
  }
}
