/** The one place where our failures become Temporal's and back. "Cancelled" is answered before anything else. */
import {
  ActivityFailure,
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';
import type { TributaryError } from '../contract/failure.ts';
import { failureCodeOf, isRetryable, type Failure, type FailureCode } from '../contract/failure.ts';

export type DecodedFailure =
  | { readonly kind: 'cancelled'; readonly details: readonly unknown[] }
  | { readonly kind: 'terminated' }
  /** `details` is what the last heartbeat carried. */
  | { readonly kind: 'timed-out'; readonly details: readonly unknown[] }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly details: readonly unknown[] };

/** What an error of an activity or a child means. */
export function fromTemporalFailure(error: unknown): DecodedFailure {
  const cause =
    error instanceof ActivityFailure || error instanceof ChildWorkflowFailure ? (error.cause ?? error) : error;
  if (cause instanceof CancelledFailure) return { kind: 'cancelled', details: cause.details ?? [] };
  if (isCancellation(error)) return { kind: 'cancelled', details: [] };
  if (cause instanceof TerminatedFailure) return { kind: 'terminated' };
  if (cause instanceof TimeoutFailure) {
    return { kind: 'timed-out', details: cause.lastHeartbeatDetails === undefined ? [] : [cause.lastHeartbeatDetails] };
  }
  if (cause instanceof ApplicationFailure) {
    const code = failureCodeOf({ code: cause.type }) ?? 'INTERNAL';
    return { kind: 'failed', failure: { code, message: cause.message }, details: cause.details ?? [] };
  }
  const code = failureCodeOf(cause) ?? 'INTERNAL';
  const message = cause instanceof Error ? cause.message : String(cause);
  return { kind: 'failed', failure: { code, message }, details: [] };
}

/**
 * The failure to throw from a workflow or an activity. `details` travel with it; the first is what the other side reads
 * (the usage of a model call, the outcome of a subagent, the recorded result of a run). `isBenign`: it is in the order of
 * things, and nobody is warned of it.
 */
export function toApplicationFailure(
  failure: Failure,
  options: { details?: unknown[]; nonRetryable?: boolean; isBenign?: boolean } = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    type: failure.code,
    message: failure.message,
    nonRetryable: options.nonRetryable ?? !isRetryable(failure.code),
    details: options.details ?? [],
    ...(options.isBenign && { category: ApplicationFailureCategory.BENIGN }),
    ...(failure.retryAfterMs !== undefined && { nextRetryDelay: failure.retryAfterMs }),
  });
}

/** Plain data of any error. Text of unknown errors is kept, their other properties (headers, bodies) are not. */
export function toFailure(error: unknown, fallback: FailureCode = 'INTERNAL'): Failure {
  const code = failureCodeOf(error) ?? fallback;
  const message = error instanceof Error ? error.message : String(error);
  const retryAfterMs = (error as TributaryError | null)?.retryAfterMs;
  return { code, message: message === '' ? code : message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}
