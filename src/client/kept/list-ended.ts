/** Runs that have ended, and whether something below one still runs, by the server's visibility. For the keeper of records. */
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import type { Client } from '@temporalio/client';
import { workflowTypes } from '../../temporal/names.ts';
import { listExecutions } from '../list-executions.ts';

export type EndedExecution = {
  readonly runId: string;
  readonly firstRunId: string;
  readonly startedAt: string;
  readonly closedAt: string;
};

/** Those that have closed since then; `null` = all that the server knows. */
export async function listEnded(
  client: Client,
  sinceMs: number | null,
  signal?: AbortSignal,
): Promise<EndedExecution[]> {
  const since = sinceMs === null ? '' : ` AND CloseTime > "${new Date(sinceMs).toISOString()}"`;
  const query = `WorkflowType = "${workflowTypes.research}" AND ExecutionStatus != "Running"${since}`;
  const infos = await listExecutions(client, query, signal);
  return infos.flatMap((info) => {
    const runId = info.execution?.workflowId ?? '';
    const startedAt = optionalTsToDate(info.startTime);
    const closedAt = optionalTsToDate(info.closeTime);
    if (!startedAt || !closedAt) return [];
    const firstRunId = info.firstRunId || (info.execution?.runId ?? '');
    return [{ runId, firstRunId, startedAt: startedAt.toISOString(), closedAt: closedAt.toISOString() }];
  });
}

export async function hasOpenSubagents(client: Client, runId: string, signal?: AbortSignal): Promise<boolean> {
  // The alphabet of a run id needs no escaping.
  const query = `WorkflowId STARTS_WITH "${runId}/" AND ExecutionStatus = "Running"`;
  return (await listExecutions(client, query, signal, 1)).length > 0;
}
