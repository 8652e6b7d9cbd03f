/** The frame of every activity: heartbeat from the first line, the abort signal, and errors in their Temporal form. */
import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { defaults } from '../contract/defaults.ts';
import { toApplicationFailure, toFailure } from '../temporal/failure-codec.ts';
import { SocketWatch } from './socket-watch.ts';

/** A socket that is destroyed is closed within moments; a tool that holds on to one must not hold up the cancel. */
const socketCloseMs = 2_000;

export type ActivityFrame = {
  readonly signal: AbortSignal;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly workflowId: string;
  /** What the last heartbeat of an earlier attempt carried. */
  readonly carried: unknown;
  /** Says what every heartbeat from now on carries, and sends one at once. */
  carry(details: unknown): void;
};

/**
 * Runs the body. Cancellation beats every other error: once the signal has fired, whatever the body threw becomes
 * `CancelledFailure`, with `detailsOnEnd()` in it, since a bare rethrow of the signal's reason arrives without details. The
 * second detail is a `CancelProof`: the activity ends when its sockets are closed, and says when they were.
 */
export async function runCancellable<T>(
  body: (frame: ActivityFrame) => Promise<T>,
  detailsOnEnd: () => unknown[] = () => [],
): Promise<T> {
  const context = Context.current();
  let details = context.info.heartbeatDetails as unknown;
  context.heartbeat(details);
  const sockets = new SocketWatch(context.cancellationSignal);
  const timer = setInterval(() => context.heartbeat(details), defaults.heartbeatIntervalMs);
  try {
    return await sockets.run(() =>
      body({
        signal: context.cancellationSignal,
        attempt: context.info.attempt,
        workflowId: context.info.workflowExecution?.workflowId ?? '',
        carried: context.info.heartbeatDetails as unknown,
        carry(next) {
          details = next;
          context.heartbeat(details);
        },
      }),
    );
  } catch (error) {
    if (context.cancellationSignal.aborted) {
      throw await toCancelled(context.cancellationSignal.reason, detailsOnEnd(), sockets);
    }
    if (error instanceof Error && error.name === 'ApplicationFailure') throw error;
    const isFinal = (error as { final?: unknown } | null)?.final === true;
    throw toApplicationFailure(toFailure(error), { details: detailsOnEnd(), ...(isFinal && { nonRetryable: true }) });
  } finally {
    clearInterval(timer);
  }
}

/** A worker that shuts down is not a cancel: the SDK must see its own reason, so that the work goes on elsewhere. */
async function toCancelled(reason: unknown, [first = null]: unknown[], sockets: SocketWatch): Promise<unknown> {
  const message = reason instanceof Error ? reason.message : 'CANCELLED';
  if (message.includes('WORKER_SHUTDOWN')) return reason;
  return new CancelledFailure(message, [first, await sockets.prove(socketCloseMs)]);
}
