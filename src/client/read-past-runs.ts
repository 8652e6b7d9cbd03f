/** Reads what finished runs of a model used, from their memos: no history is read, and no worker is asked. */
import { runMemoSchema } from '../contract/run-memo.ts';
import type { PastRun } from '../domain/estimate.ts';
import { workflowTypes } from '../temporal/names.ts';
import type { ClientContext } from './client-context.ts';
import type { Execution } from './execution.ts';
import { scanRuns } from './list-runs.ts';

/** The newest ones say most about the next. */
const maxRuns = 50;
/** The server drops what is empty or `null` from a memo. */
const memoSchema = runMemoSchema
  .pick({ model: true, planned: true, settled: true, spentTokens: true, spentUsd: true, toolCalls: true })
  .partial({ spentUsd: true });
/** A partial run has completed for Temporal; the others did not come to their end. */
const query = `WorkflowType = "${workflowTypes.research}" AND ExecutionStatus = "Completed"`;

export async function readPastRuns(context: ClientContext, model: string, signal?: AbortSignal): Promise<PastRun[]> {
  const executions = await scanRuns(context, query, signal);
  const newestFirst = executions.sort((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0));
  return newestFirst.flatMap((execution) => toPastRun(execution, model) ?? []).slice(0, maxRuns);
}

/** `null` for a run of another model, one whose memo cannot be read, and one in which no subagent worked. */
function toPastRun({ memo, startedAt, closedAt }: Execution, model: string): PastRun | null {
  const { success, data } = memoSchema.safeParse(memo);
  if (!success || data.model !== model) return null;
  const subagents = data.planned - (data.settled.skipped ?? 0);
  if (subagents < 1) return null;
  return {
    subagents,
    tokens: data.spentTokens,
    usd: data.spentUsd ?? null,
    toolCalls: data.toolCalls ?? null,
    wallClockMs: closedAt === undefined ? null : Date.parse(closedAt) - Date.parse(startedAt),
  };
}
