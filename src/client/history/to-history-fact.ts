/** Decodes raw history events into facts. What cannot be decoded becomes `null` and a note: a bad payload never stops a reader. */
import type { Client } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeMapFromPayloads,
} from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import type { HistoryFact } from '../../contract/history-fact.ts';

type HistoryResponse = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;
/** A history event as the service sends it. */
export type HistoryEvent = NonNullable<NonNullable<HistoryResponse['history']>['events']>[number];
type ProtoFailure = NonNullable<NonNullable<HistoryEvent['activityTaskFailedEventAttributes']>['failure']>;
type Payloads = NonNullable<HistoryEvent['workflowExecutionStartedEventAttributes']>['input'];
type LongLike = { toNumber(): number } | number | null | undefined;
type FactBody = HistoryFact extends infer Fact
  ? Fact extends HistoryFact
    ? Omit<Fact, 'subagentId' | 'eventId' | 'at'>
    : never
  : never;

export type FactDecoder = {
  /** `null` for an event that the projection has no use for. Must see the events of one execution in their order. */
  decode(event: HistoryEvent): Promise<HistoryFact | null>;
  /** What could not be read so far. */
  readonly notes: readonly string[];
};

/** One decoder per workflow execution: attempts and inputs stand in earlier events than the facts that need them. */
export function createFactDecoder(options: {
  readonly converter: LoadedDataConverter;
  readonly runId: string;
  readonly subagentId: string | null;
}): FactDecoder {
  const { converter, runId, subagentId } = options;
  const notes: string[] = [];
  const attempts = new Map<number, number>();
  const childInputs = new Map<number, Payloads>();

  async function readAll(payloads: Payloads, event: HistoryEvent): Promise<unknown[] | null> {
    try {
      return await decodeArrayFromPayloads(converter, payloads?.payloads ?? undefined);
    } catch (error) {
      const whose = subagentId === null ? runId : `${runId}/${subagentId}`;
      const why = error instanceof Error ? error.message : String(error);
      notes.push(`event ${toNumber(event.eventId)} of ${whose} could not be read: ${why}`);
      return null;
    }
  }
  const readOne = async (payloads: Payloads, event: HistoryEvent): Promise<unknown> =>
    (await readAll(payloads, event))?.[0] ?? null;

  async function toBody(event: HistoryEvent): Promise<FactBody | null> {
    if (event.workflowExecutionStartedEventAttributes) {
      const { input, firstExecutionRunId, originalExecutionRunId } = event.workflowExecutionStartedEventAttributes;
      return {
        kind: 'workflow-started',
        input: await readOne(input, event),
        firstRunId: firstExecutionRunId || originalExecutionRunId || '',
      };
    }
    if (event.workflowExecutionCompletedEventAttributes) {
      const { result } = event.workflowExecutionCompletedEventAttributes;
      return { kind: 'workflow-completed', result: await readOne(result, event) };
    }
    if (event.workflowExecutionFailedEventAttributes) {
      const failure = toInnermost(event.workflowExecutionFailedEventAttributes.failure);
      return {
        kind: 'workflow-failed',
        code: failure?.applicationFailureInfo?.type || 'INTERNAL',
        message: failure?.message || 'the workflow failed',
        details: await readAll(failure?.applicationFailureInfo?.details, event),
      };
    }
    if (event.workflowExecutionCancelRequestedEventAttributes) {
      const { cause, externalWorkflowExecution } = event.workflowExecutionCancelRequestedEventAttributes;
      const byRun = Boolean(externalWorkflowExecution?.workflowId);
      return { kind: 'workflow-cancel-requested', reason: cause ?? '', byRun };
    }
    if (event.workflowExecutionCanceledEventAttributes) return { kind: 'workflow-cancelled' };
    if (event.workflowExecutionTerminatedEventAttributes) {
      return { kind: 'workflow-terminated', reason: event.workflowExecutionTerminatedEventAttributes.reason ?? '' };
    }
    if (event.workflowExecutionTimedOutEventAttributes) return { kind: 'workflow-timed-out' };
    if (event.workflowExecutionContinuedAsNewEventAttributes) {
      const newRunId = event.workflowExecutionContinuedAsNewEventAttributes.newExecutionRunId ?? '';
      return { kind: 'workflow-continued', newRunId };
    }
    if (event.workflowExecutionSignaledEventAttributes) {
      const { signalName, input } = event.workflowExecutionSignaledEventAttributes;
      return { kind: 'signalled', signal: signalName ?? '', input: await readOne(input, event) };
    }
    if (event.workflowPropertiesModifiedEventAttributes) {
      try {
        const fields = event.workflowPropertiesModifiedEventAttributes.upsertedMemo?.fields;
        return { kind: 'memo', memo: (await decodeMapFromPayloads(converter, fields)) ?? {} };
      } catch {
        return { kind: 'memo', memo: null };
      }
    }
    return (await toActivityBody(event)) ?? (await toChildBody(event));
  }

  async function toActivityBody(event: HistoryEvent): Promise<FactBody | null> {
    if (event.activityTaskStartedEventAttributes) {
      const { scheduledEventId, attempt } = event.activityTaskStartedEventAttributes;
      attempts.set(toNumber(scheduledEventId), attempt ?? 1);
      return null;
    }
    if (event.activityTaskScheduledEventAttributes) {
      const { activityType, input } = event.activityTaskScheduledEventAttributes;
      return { kind: 'activity-scheduled', activityType: activityType?.name ?? '', input: await readOne(input, event) };
    }
    if (event.activityTaskCompletedEventAttributes) {
      const { scheduledEventId, result } = event.activityTaskCompletedEventAttributes;
      return { kind: 'activity-completed', ...closed(scheduledEventId), result: await readOne(result, event) };
    }
    if (event.activityTaskFailedEventAttributes) {
      const { scheduledEventId, failure } = event.activityTaskFailedEventAttributes;
      const inner = toInnermost(failure);
      return {
        kind: 'activity-failed',
        how: 'failed',
        ...closed(scheduledEventId),
        code: inner?.applicationFailureInfo?.type || 'INTERNAL',
        message: inner?.message || 'the activity failed',
        details: await readAll(inner?.applicationFailureInfo?.details, event),
      };
    }
    if (event.activityTaskTimedOutEventAttributes) {
      const { scheduledEventId, failure } = event.activityTaskTimedOutEventAttributes;
      return {
        kind: 'activity-failed',
        how: 'timed-out',
        ...closed(scheduledEventId),
        code: 'TIMED_OUT',
        message: failure?.message || 'the activity timed out',
        details: await readAll(failure?.timeoutFailureInfo?.lastHeartbeatDetails, event),
      };
    }
    if (event.activityTaskCanceledEventAttributes) {
      const { scheduledEventId, details } = event.activityTaskCanceledEventAttributes;
      return {
        kind: 'activity-failed',
        how: 'cancelled',
        ...closed(scheduledEventId),
        code: 'CANCELLED',
        message: 'cancelled',
        details: await readAll(details, event),
      };
    }
    return null;
  }

  async function toChildBody(event: HistoryEvent): Promise<FactBody | null> {
    if (event.startChildWorkflowExecutionInitiatedEventAttributes) {
      const { input } = event.startChildWorkflowExecutionInitiatedEventAttributes;
      childInputs.set(toNumber(event.eventId), input);
      return null;
    }
    if (event.startChildWorkflowExecutionFailedEventAttributes) {
      const { workflowId } = event.startChildWorkflowExecutionFailedEventAttributes;
      const message = `${workflowId ?? 'the subagent'} could not be started: its id is taken`;
      return {
        kind: 'child-failed',
        childId: toChildId(runId, workflowId),
        how: 'start-failed',
        message,
        details: null,
      };
    }
    if (event.childWorkflowExecutionStartedEventAttributes) {
      const { workflowExecution, initiatedEventId } = event.childWorkflowExecutionStartedEventAttributes;
      const initiated = toNumber(initiatedEventId);
      const input = childInputs.get(initiated);
      childInputs.delete(initiated);
      return {
        kind: 'child-started',
        childId: toChildId(runId, workflowExecution?.workflowId),
        workflowRunId: workflowExecution?.runId ?? '',
        input: await readOne(input, event),
      };
    }
    if (event.childWorkflowExecutionCompletedEventAttributes) {
      const { workflowExecution, result } = event.childWorkflowExecutionCompletedEventAttributes;
      const childId = toChildId(runId, workflowExecution?.workflowId);
      return { kind: 'child-completed', childId, result: await readOne(result, event) };
    }
    const ended = toChildEnd(event);
    if (!ended) return null;
    const inner = toInnermost(ended.failure);
    return {
      kind: 'child-failed',
      childId: toChildId(runId, ended.workflowId),
      how: ended.how,
      message: inner?.message ?? '',
      details: await readAll(inner?.applicationFailureInfo?.details, event),
    };
  }

  function closed(scheduledEventId: LongLike): { scheduledEventId: number; attempt: number } {
    const id = toNumber(scheduledEventId);
    const attempt = attempts.get(id) ?? 1;
    attempts.delete(id);
    return { scheduledEventId: id, attempt };
  }

  return {
    notes,
    async decode(event) {
      const body = await toBody(event);
      if (!body) return null;
      const at = (optionalTsToDate(event.eventTime) ?? new Date(0)).toISOString();
      return { subagentId, eventId: toNumber(event.eventId), at, ...body };
    },
  };
}

function toChildEnd(event: HistoryEvent): {
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
function toInnermost(failure: ProtoFailure | null | undefined): ProtoFailure | null | undefined {
  let inner = failure;
  while (inner?.cause && !inner.applicationFailureInfo) inner = inner.cause;
  return inner;
}

/** `s1` of `<run id>/s1`; the whole id of a workflow that is not one of ours. */
function toChildId(runId: string, workflowId: string | null | undefined): string {
  const id = workflowId ?? '';
  return id.startsWith(`${runId}/`) ? id.slice(runId.length + 1) : id;
}

function toNumber(value: LongLike): number {
  return typeof value === 'number' ? value : (value?.toNumber() ?? 0);
}
