/** Starts a run, and makes two starts with the same request id one run. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { TributaryError } from '../contract/failure.ts';
import type { ResearchRequest } from '../contract/request.ts';
import type { RunMemo } from '../contract/run-memo.ts';
import { toLineage } from '../domain/adoption/to-lineage.ts';
import { toTitle } from '../domain/projection/describe-run.ts';
import { toStaticDetails } from '../domain/workflow-details.ts';
import { workflowTypes } from '../temporal/names.ts';
import type { ClientContext } from './client-context.ts';
import { describeRunExecution } from './execution.ts';
import type { StartInput, StartOptions } from './research-api.ts';
import { toRequest } from './to-request.ts';

/** What a run has beyond its wall clock before the server ends it: to stop its subagents and write the report. */
const executionGraceMs = 5 * 60_000;
/** … and for waiting: for a worker, for people who approve, and for those who raise its budget and its time. */
const waitingMs = 7 * 24 * 60 * 60_000;

/** The id of the run, once the server has it. `INVALID_REQUEST` starts nothing; `RUN_EXISTS` for an id that is taken. */
export async function startRun(context: ClientContext, input: StartInput, options: StartOptions): Promise<string> {
  return startRequest(context, toRequest(input, options), options);
}

/** The same for a request that is checked. */
export async function startRequest(
  context: ClientContext,
  request: ResearchRequest,
  options: StartOptions,
): Promise<string> {
  const { requestId, signal } = options;
  const { runId } = request;
  signal?.throwIfAborted();
  try {
    await context.client.workflow.start(workflowTypes.research, {
      workflowId: runId,
      taskQueue: context.taskQueue,
      args: [request],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowExecutionTimeout:
        request.budget.wallClock + executionGraceMs + Math.max(waitingMs, request.personTimeout),
      staticSummary: toTitle(request),
      staticDetails: toStaticDetails(request),
      memo: toMemo(request, requestId),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await requireSameRequest(context, runId, options);
  }
  await context.lastRun?.write(runId);
  return runId;
}

/** The run that has the id already is ours if it was started with the same request id. */
async function requireSameRequest(context: ClientContext, runId: string, options: StartOptions): Promise<void> {
  const { memo } = await describeRunExecution(context, runId, options.signal);
  if (options.requestId !== undefined && memo.requestId === options.requestId) return;
  const whose = memo.requestId === undefined ? 'without a request id' : `with the request id "${memo.requestId}"`;
  throw new TributaryError(
    'RUN_EXISTS',
    `the run ${runId} exists already: it was started ${whose}; choose another run id, or leave it out`,
  );
}

function toMemo(request: ResearchRequest, requestId: string | undefined): RunMemo {
  return {
    title: toTitle(request),
    status: 'queued',
    model: request.models.subagent,
    ...(requestId !== undefined && { requestId }),
    tags: [...request.tags],
    ...(request.origin && { origin: toLineage(request.origin) }),
    spentTokens: 0,
    limitTokens: request.budget.tokens,
    spentUsd: 0,
    ...(request.budget.usd !== undefined && { limitUsd: request.budget.usd }),
    planned: 0,
    settled: {},
  };
}
