/** What a subagent that has ended left to go on with. For the worker, which starts it again. */
import type { Client } from '@temporalio/client';
import type { LeftWork } from '../contract/left-work.ts';
import { leftWorkOf } from '../domain/projection/left-work.ts';
import { describeWorkflow } from './execution.ts';
import { openWorkflowHistory } from './history/workflow-history.ts';

/** Of its last attempt, before the next one has been started. */
export async function readLeftWork(
  client: Client,
  runId: string,
  subagentId: string,
  signal?: AbortSignal,
): Promise<LeftWork> {
  const workflowId = `${runId}/${subagentId}`;
  const info = (await describeWorkflow(client, workflowId, signal))?.workflowExecutionInfo;
  if (!info) return leftWorkOf(subagentId, []);
  const firstRunId = info.firstRunId || (info.execution?.runId ?? '');
  const history = openWorkflowHistory(client, { runId, subagentId, workflowId, firstRunId });
  return leftWorkOf(
    subagentId,
    (await history.readAvailable(signal)).map(({ fact }) => fact),
  );
}
