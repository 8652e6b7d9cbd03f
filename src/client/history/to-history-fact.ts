/** Decodes raw history events into facts. What cannot be decoded becomes `null` and a note: a bad payload never stops a reader. */
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow/codec-helpers.js';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import type { HistoryFact } from '../../contract/history-fact.ts';
import { researchRequestSchema } from '../../contract/request.ts';
import {
  type HistoryEvent,
  type LongLike,
  type Payloads,
  toChildEnd,
  toChildId,
  toInnermost,
  toNumber,
} from './event-parts.ts';
import { createPayloadReader } from './payload-reader.ts';

type FactBody = HistoryFact extends infer Fact
  ? Fact extends HistoryFact
    ? Omit<Fact, 'subagentId' | 'ofAttempt' | 'eventId' | 'at'>
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
  /** Of a subagent; absent = the first. */
  readonly attempt?: number;
}): FactDecoder {
  const { converter, runId, subagentId, attempt = 1 } = options;
  const { readAll, readOne, notes } = createPayloadReader(
    converter,
    subagentId === null ? runId : `${runId}/${subagentId}`,
  );
  const attempts = new Map<number, number>();
  const childInputs = new Map<number, Payloads>();

  async function toBody(event: HistoryEvent): Promise<FactBody | null> {
    if (event.workflowExecutionStartedEventAttributes) {
      const { input, firstExecutionRunId, originalExecutionRunId } = event.workflowExecutionStartedEventAttributes;
      return {
        kind: 'workflow-started',
        input: toFilledRequest(await readOne(input, event)),
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
    if (event.workflowExecutionUpdateAcceptedEventAttributes) {
      const { acceptedRequest } = event.workflowExecutionUpdateAcceptedEventAttributes;
      const input = await readOne(acceptedRequest?.input?.args, event);
      return { kind: 'updated', update: acceptedRequest?.input?.name ?? '', input };
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
      const ofAttempt = attempt > 1 ? { ofAttempt: attempt } : {};
      return { subagentId, ...ofAttempt, eventId: toNumber(event.eventId), at, ...body };
    },
  };
}

/** A run that was started by hand leaves defaults to its workflow; whatever is no request stays as it came. */
function toFilledRequest(input: unknown): unknown {
  return researchRequestSchema.safeParse(input).data ?? input;
}
