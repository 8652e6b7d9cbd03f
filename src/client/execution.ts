/** One workflow execution as a describe call tells of it. */
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import type { Client } from '@temporalio/client';
import type { RunMemo } from '../contract/run-memo.ts';
import type { RunStatus } from '../contract/run-view.ts';
import { terminalRunStatuses, type TerminalRunStatus } from '../contract/result.ts';
import { workflowTypes } from '../temporal/names.ts';
import { callService, isNotFound } from './call-service.ts';
import { runNotFound } from './run-problems.ts';
import type { ClientContext } from './client-context.ts';

type Described = Awaited<ReturnType<Client['workflowService']['describeWorkflowExecution']>>;
export type PendingActivity = NonNullable<Described['pendingActivities']>[number];
export type ExecutionInfo = NonNullable<Described['workflowExecutionInfo']>;

export type Execution = {
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly startedAt: string;
  readonly closedAt?: string;
  /** `null` while it is open. */
  readonly end: TerminalRunStatus | null;
  readonly memo: Partial<RunMemo>;
  readonly pendingActivities: readonly PendingActivity[];
};

/** Values of `WorkflowExecutionStatus` on the wire; continued-as-new counts as open, and so do values of later servers. */
const endByStatus: Readonly<Record<number, TerminalRunStatus>> = {
  2: 'completed',
  3: 'failed',
  4: 'cancelled',
  5: 'terminated',
  7: 'timed-out',
};

/** The run's own workflow. `RUN_NOT_FOUND` where there is none, or where the id is that of another kind of workflow. */
export async function describeRunExecution(
  context: ClientContext,
  runId: string,
  signal?: AbortSignal,
): Promise<Execution> {
  const described = await describeWorkflow(context.client, runId, signal);
  const info = described?.workflowExecutionInfo;
  if (!described || !info || info.type?.name !== workflowTypes.research) {
    throw runNotFound(context.client, runId);
  }
  return { ...(await toExecution(context, info)), pendingActivities: described.pendingActivities ?? [] };
}

/** `null` where there is no such workflow. */
export async function describeWorkflow(
  client: Client,
  workflowId: string,
  signal?: AbortSignal,
): Promise<Described | null> {
  try {
    return await callService(client, { signal }, (service) =>
      service.describeWorkflowExecution({ namespace: client.options.namespace, execution: { workflowId } }),
    );
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

export async function toExecution({ client }: ClientContext, info: ExecutionInfo): Promise<Execution> {
  const memo = await readMemo(client, info);
  const closedAt = optionalTsToDate(info.closeTime)?.toISOString();
  const closed = endByStatus[Number(info.status)] ?? null;
  return {
    workflowId: info.execution?.workflowId ?? '',
    firstRunId: info.firstRunId || (info.execution?.runId ?? ''),
    startedAt: (optionalTsToDate(info.startTime) ?? new Date(0)).toISOString(),
    ...(closedAt !== undefined && { closedAt }),
    // A partial run has completed for Temporal; only the run itself knows.
    end: closed === 'completed' && memo.status === 'partial' ? 'partial' : closed,
    memo,
    pendingActivities: [],
  };
}

/** A closed execution's own status wins over the memo's, which may be from before a kill or a terminate. */
export function toRunStatus({ end, memo }: Execution): RunStatus {
  if (end) return end;
  const isTerminal = (terminalRunStatuses as readonly string[]).includes(memo.status ?? '');
  return memo.status === undefined || isTerminal ? 'running' : (memo.status as RunStatus);
}

async function readMemo(client: Client, info: ExecutionInfo): Promise<Partial<RunMemo>> {
  try {
    const memo = await decodeMapFromPayloads(client.options.loadedDataConverter, info.memo?.fields);
    return memo ?? {};
  } catch {
    return {}; // encoded by somebody else: the list shows what it knows without
  }
}
