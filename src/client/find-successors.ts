/** Runs that took over the work of one: by their ids and by what they say of themselves, as of the server's visibility. */
import type { Lineage } from '../contract/origin.ts';
import type { RunDescription, RunStatus } from '../contract/run-view.ts';
import { workflowTypes } from '../temporal/names.ts';
import type { ClientContext } from './client-context.ts';
import { toRunStatus } from './execution.ts';
import { scanRuns } from './list-runs.ts';
import { ofFamily, rootOf } from './start-successor.ts';

/** In the order of their start; only those that began with this one, not with one of its successors. */
export async function findSuccessors(
  context: ClientContext,
  { runId, origin }: Pick<RunDescription, 'runId' | 'origin'>,
  signal?: AbortSignal,
): Promise<(Lineage & { readonly status: RunStatus })[]> {
  const query = `WorkflowType = "${workflowTypes.research}" AND ${ofFamily(rootOf({ runId, origin }))}`;
  const family = await scanRuns(context, query, signal);
  return family
    .filter(({ memo }) => memo.origin?.runId === runId)
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    .map((execution) => ({ ...execution.memo.origin!, runId: execution.workflowId, status: toRunStatus(execution) }));
}
