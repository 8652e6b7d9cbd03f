/** Starts a run: validates, names it, and makes two starts with the same request id one run. */
import { createHash } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { ulid } from 'ulid';
import { TributaryError } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { type ResearchRequest, researchRequestSchema } from '../contract/request.ts';
import type { RunMemo } from '../contract/run-memo.ts';
import { toTitle } from '../domain/projection/describe-run.ts';
import { workflowTypes } from '../temporal/names.ts';
import type { ClientContext } from './client-context.ts';
import { describeRunExecution } from './execution.ts';
import type { StartInput, StartOptions } from './research-api.ts';

/** What a run has beyond its wall clock before the server ends it: to stop its subagents and write the report. */
const executionGraceMs = 5 * 60_000;
/** … and for waiting: for a worker, for people who approve, and for those who raise its budget and its time. */
const waitingMs = 7 * 24 * 60 * 60_000;
const maxRequestIdChars = 1_000;

/** The id of the run, once the server has it. `INVALID_REQUEST` starts nothing; `RUN_EXISTS` for an id that is taken. */
export async function startRun(context: ClientContext, input: StartInput, options: StartOptions): Promise<string> {
  const { requestId, signal } = options;
  checkRequestId(requestId);
  const runId = input.runId ?? (requestId === undefined ? `run_${ulid()}` : toRunId(requestId));
  const request = parseInput(researchRequestSchema, { ...input, runId }, 'research request');
  signal?.throwIfAborted();
  try {
    await context.client.workflow.start(workflowTypes.research, {
      workflowId: runId,
      taskQueue: context.taskQueue,
      args: [request],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowExecutionTimeout: request.budget.wallClock + executionGraceMs + waitingMs,
      staticSummary: toTitle(request),
      memo: toMemo(request, requestId),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    await requireSameRequest(context, runId, options);
  }
  await context.lastRun?.write(runId);
  return runId;
}

/** `run_` and 26 letters of Crockford's base 32: the form of a ULID, but the same for the same request id. */
export function toRunId(requestId: string): string {
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const digest = createHash('sha256').update(requestId, 'utf8').digest();
  let bits = BigInt(`0x${digest.toString('hex')}`);
  let text = '';
  for (let place = 0; place < 26; place += 1) {
    text = alphabet[Number(bits & 31n)]! + text;
    bits >>= 5n;
  }
  return `run_${text}`;
}

function checkRequestId(requestId: string | undefined): void {
  if (requestId === undefined) return;
  if (requestId.trim() !== '' && requestId.length <= maxRequestIdChars) return;
  const came = requestId.trim() === '' ? 'an empty one' : `one of ${requestId.length}`;
  throw new TributaryError(
    'INVALID_REQUEST',
    `research request: requestId: wanted a text of 1 to ${maxRequestIdChars} characters, came ${came}`,
  );
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
    spentTokens: 0,
    limitTokens: request.budget.tokens,
    spentUsd: 0,
    ...(request.budget.usd !== undefined && { limitUsd: request.budget.usd }),
    planned: 0,
    settled: {},
  };
}
