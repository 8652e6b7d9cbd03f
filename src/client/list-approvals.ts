/** Calls that wait for a person, over all runs that say so in their memo, or in one of them. */
import { TributaryError } from '../contract/failure.ts';
import type { ClientContext } from './client-context.ts';
import { describeRun } from './describe-run.ts';
import { listRuns } from './list-runs.ts';
import type { PendingApproval } from './research-api.ts';

const maxRuns = 1_000;

/** The oldest run's last: the newest first, as lists have them. */
export async function* listApprovals(
  context: ClientContext,
  options: { readonly runId?: string; readonly signal?: AbortSignal },
): AsyncGenerator<PendingApproval, void, undefined> {
  if (options.runId !== undefined) {
    yield* openIn(context, options.runId, options.signal);
    return;
  }
  const waiting: string[] = [];
  for await (const run of listRuns(context, { status: ['awaiting-approval', 'awaiting-plan'], limit: maxRuns })) {
    waiting.push(run.runId);
  }
  for (const runId of waiting) {
    try {
      yield* openIn(context, runId, options.signal);
    } catch (error) {
      if (!(error instanceof TributaryError) || error.code !== 'RUN_NOT_FOUND') throw error; // it was deleted meanwhile
    }
  }
}

async function* openIn(
  context: ClientContext,
  runId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<PendingApproval, void, undefined> {
  const run = await describeRun(context, runId, signal);
  for (const approval of run.approvals) if (!approval.outcome) yield { ...approval, runId: run.runId };
}
