/** Sends an update to a run: validated there, answered with what it came to, and the same twice under one request id. */
import {
  isGrpcDeadlineError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { TributaryError, failureCodeOf } from '../contract/failure.ts';
import type { ClientContext } from './client-context.ts';
import { describeRunExecution } from './execution.ts';

/** A worker answers within milliseconds; without one nobody does. */
const answerWithinMs = 5_000;

export type UpdateOptions = {
  /** The same id twice has one effect and one answer. */
  readonly requestId?: string;
  readonly signal?: AbortSignal;
};

/**
 * Rejects with the code of a refusal; with `RUN_ENDED` or `RUN_NOT_FOUND` where nobody is there to ask; and with
 * `NO_WORKER` where no answer came in time: then the request may or may not be carried out later, and the message says
 * how to repeat it safely.
 */
export async function sendUpdate<Result, Input>(
  context: ClientContext,
  runId: string,
  update: UpdateDefinition<Result, [Input]>,
  input: Input,
  { requestId = randomUUID(), signal }: UpdateOptions,
): Promise<Result> {
  const { client } = context;
  const execution = await describeRunExecution(context, runId, signal);
  if (execution.end !== null) throw runEnded(runId, execution.end);
  const handle = client.workflow.getHandle(runId);
  const own = new AbortController();
  const abort = () => own.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await client.withDeadline(Date.now() + answerWithinMs, () =>
      client.withAbortSignal(own.signal, () => handle.executeUpdate(update, { args: [input], updateId: requestId })),
    );
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof WorkflowUpdateFailedError) throw toRefusal(error);
    if (error instanceof WorkflowNotFoundError) {
      throw runEnded(runId, (await describeRunExecution(context, runId, signal)).end ?? 'ended');
    }
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcDeadlineError(error)) {
      throw new TributaryError(
        'NO_WORKER',
        `no worker has confirmed this for ${runId} within ${answerWithinMs / 1_000} s: it may be carried out once one polls task queue "${context.taskQueue}"\nStart one, and repeat with --request-id ${requestId}: then it has its effect once`,
        { cause: error },
      );
    }
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function toRefusal(error: WorkflowUpdateFailedError): TributaryError {
  const cause = error.cause as { readonly type?: string; readonly message?: string } | undefined;
  const code = failureCodeOf({ code: cause?.type }) ?? 'INTERNAL';
  return new TributaryError(code, cause?.message ?? error.message);
}

function runEnded(runId: string, status: string): TributaryError {
  return new TributaryError('RUN_ENDED', `the run ${runId} has ended already: ${status}`);
}
