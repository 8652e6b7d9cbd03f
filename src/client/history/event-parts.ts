/** Parts of raw history events that more than one fact needs. */
import type { Client } from '@temporalio/client';

export type HistoryResponse = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;
/** A history event as the service sends it. */
export type HistoryEvent = NonNullable<NonNullable<HistoryResponse['history']>['events']>[number];
export type ProtoFailure = NonNullable<NonNullable<HistoryEvent['activityTaskFailedEventAttributes']>['failure']>;
export type Payloads = NonNullable<HistoryEvent['workflowExecutionStartedEventAttributes']>['input'];
export type LongLike = { toNumber(): number } | number | null | undefined;
/** How a child closed without a result; `null` for every other event. */
export function toChildEnd(event: HistoryEvent): {
  readonly how: 'failed' | 'cancelled' | 'terminated' | 'timed-out';
  readonly workflowId: string | null | undefined;
  readonly failure?: ProtoFailure | null;
} | null {
  const failed = event.childWorkflowExecutionFailedEventAttributes;
  if (failed) return { how: 'failed', workflowId: failed.workflowExecution?.workflowId, failure: failed.failure };
  const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
  if (cancelled) return { how: 'cancelled', workflowId: cancelled.workflowExecution?.workflowId };
  const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
  if (terminated) return { how: 'terminated', workflowId: terminated.workflowExecution?.workflowId };
  const timedOut = event.childWorkflowExecutionTimedOutEventAttributes;
  if (timedOut) return { how: 'timed-out', workflowId: timedOut.workflowExecution?.workflowId };
  return null;
}

/** The failure at the bottom of a chain of wrappers, or the last one that says something of its own. */
export function toInnermost(failure: ProtoFailure | null | undefined): ProtoFailure | null | undefined {
  let inner = failure;
  while (inner?.cause && !inner.applicationFailureInfo) inner = inner.cause;
  return inner;
}

/** `s1` of `<run id>/s1`; the whole id of a workflow that is not one of ours. */
export function toChildId(runId: string, workflowId: string | null | undefined): string {
  const id = workflowId ?? '';
  return id.startsWith(`${runId}/`) ? id.slice(runId.length + 1) : id;
}

export function toNumber(value: LongLike): number {
  return typeof value === 'number' ? value : (value?.toNumber() ?? 0);
}
