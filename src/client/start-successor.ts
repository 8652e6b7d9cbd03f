/** Starts a run that takes over another one, under an id that shows the two belong together: `<first run>-2`, `-3` … */
import { failureCodeOf } from '../contract/failure.ts';
import { runIdSchema } from '../contract/ids.ts';
import type { Lineage } from '../contract/origin.ts';
import type { ResearchRequest } from '../contract/request.ts';
import { workflowTypes } from '../temporal/names.ts';
import { ulid } from 'ulid';
import type { ClientContext } from './client-context.ts';
import { scanRuns } from './list-runs.ts';
import { startRequest } from './start-run.ts';

/** Others may take the next number at the same moment. */
const maxTries = 20;
/** `run_X-2` is a successor of `run_X`. */
const numbered = /^(.+)-(\d{1,6})$/;

/** With a request id that a successor was started with before, that one. */
export async function startSuccessor(
  context: ClientContext,
  request: ResearchRequest,
  options: {
    readonly from: ResearchRequest;
    readonly requestId?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<string> {
  const { from, requestId, signal } = options;
  const startOptions = { ...(requestId !== undefined && { requestId }), ...(signal && { signal }) };
  const root = rootOf(from);
  const family = await scanRuns(context, `WorkflowType = "${workflowTypes.research}" AND ${ofFamily(root)}`, signal);
  const known = family.find(({ memo }) => requestId !== undefined && memo.requestId === requestId);
  if (known) return known.workflowId;
  const numbers = family.map(({ workflowId }) => Number(numbered.exec(workflowId)?.[2] ?? 1));
  let number = Math.max(1, ...numbers) + 1;
  for (let tries = 1; ; tries += 1, number += 1) {
    const runId = toNumbered(root, number);
    try {
      return await startRequest(context, { ...request, runId }, startOptions);
    } catch (error) {
      if (failureCodeOf(error) !== 'RUN_EXISTS' || tries === maxTries) throw error;
    }
  }
}

/** Runs that took over work of this one, or of one that did, by their ids. */
export function ofFamily(root: string): string {
  // The alphabet of a run id needs no escaping.
  return `WorkflowId STARTS_WITH "${root}-"`;
}

/** The first run of the line. One that took over nothing is the first of its own, whatever its id looks like. */
export function rootOf({ runId, origin }: { readonly runId: string; readonly origin?: Lineage | undefined }): string {
  return origin ? (numbered.exec(runId)?.[1] ?? runId) : runId;
}

function toNumbered(root: string, number: number): string {
  const runId = `${root}-${number}`;
  // An id of one's own may leave no room.
  return runIdSchema.safeParse(runId).success ? runId : `run_${ulid()}`;
}
