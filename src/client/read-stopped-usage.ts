/** What a subagent used that closed without saying so. For the worker, which settles such subagents. */
import type { Client } from '@temporalio/client';
import { failureCodeOf } from '../contract/failure.ts';
import type { StoppedUsage } from '../contract/stopped-usage.ts';
import { usageOfStopped } from '../domain/projection/stopped-usage.ts';
import { describeWorkflow } from './execution.ts';
import { waitForClose } from './history/wait-for-close.ts';
import { openWorkflowHistory } from './history/workflow-history.ts';

const maxWaitMs = 8_000;
const endedWaits: readonly string[] = ['WAIT_TIMEOUT', 'RUN_NOT_FOUND'];

/** With what those used that it started. Zeros for a subagent that never was started. */
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
  const started = facts.flatMap((fact) => (fact.kind === 'child-started' ? [fact.childId] : []));
  const below = await Promise.all(
    started.map(async (id) => {
      await waitForEnd(client, `${runId}/${id}`, signal);
      return readStoppedUsage(client, runId, id, signal);
    }),
  );
  return usageOfStopped(subagentId, facts, below);
}

/** Those below one that was ended are being stopped by the server's word; what is in flight after that is an estimate. */
async function waitForEnd(client: Client, workflowId: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    await waitForClose({ client }, workflowId, { timeoutMs: maxWaitMs, ...(signal && { signal }) });
  } catch (error) {
    if (!endedWaits.includes(failureCodeOf(error) ?? '')) throw error;
  }
}
