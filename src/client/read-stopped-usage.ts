/** What a subagent used that closed without saying so. For the worker, which settles such subagents. */
import type { Client } from '@temporalio/client';
import type { StoppedUsage } from '../contract/stopped-usage.ts';
import { usageOfStopped } from '../domain/projection/stopped-usage.ts';
import { describeWorkflow } from './execution.ts';
import { openWorkflowHistory } from './history/workflow-history.ts';

/** Zeros for a subagent that never was started. */
export async function readStoppedUsage(
  client: Client,
  runId: string,
  subagentId: string,
  signal?: AbortSignal,
): Promise<StoppedUsage> {
  const workflowId = `${runId}/${subagentId}`;
  const described = await describeWorkflow(client, workflowId, signal);
  const info = described?.workflowExecutionInfo;
  if (!info) return usageOfStopped(subagentId, []);
  const firstRunId = info.firstRunId || (info.execution?.runId ?? '');
  const history = openWorkflowHistory(client, { runId, subagentId, workflowId, firstRunId });
  const facts = (await history.readAvailable(signal)).map(({ fact }) => fact);
  return usageOfStopped(subagentId, facts);
}
