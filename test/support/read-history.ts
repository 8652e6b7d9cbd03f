/** Reads histories for tests: what was scheduled, how it ended, and whether a history is clean. */
import type { ModelStep } from '../../src/contract/steps.ts';
import { chargeReservation } from '../../src/domain/charge.ts';
import { boundMicroUsd, toMicroUsd } from '../../src/domain/money.ts';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { callUsageSchema, type Usage } from '../../src/contract/budget.ts';
import type { RecordedResult } from '../../src/contract/result.ts';
import { addUsage, noUsage, settleCall } from '../../src/domain/usage.ts';

export type History = temporal.api.history.v1.IHistory;
type Event = temporal.api.history.v1.IHistoryEvent;
type Long = NonNullable<Event['eventId']>;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

export type ScheduledActivity = {
  readonly eventId: number;
  readonly type: string;
  readonly taskQueue: string;
  /** `null` where the activity has none. */
  readonly fairnessKey: string | null;
  /** When the server gave the attempt that ended it to a worker; `null` while it is open. */
  readonly startedAtMs: number | null;
  readonly input: unknown;
  readonly end: 'completed' | 'failed' | 'timed-out' | 'cancelled' | 'open';
  /** Of the event that ended it; 0 while it is open. */
  readonly endId: number;
  readonly result: unknown;
  /** First detail of the failure or the cancellation. */
  readonly details: unknown;
};

export const eventsOf = (history: History): Event[] => history.events ?? [];
const idOf = (event: Event | undefined) => Number(event?.eventId ?? 0);
/** The first of the payloads as a value. */
const first = (payloads: Payloads): unknown =>
  payloads?.payloads?.[0] ? defaultPayloadConverter.fromPayload(payloads.payloads[0]) : undefined;

/** Every activity of a history with its input and its end, in the order of scheduling. */
export function activitiesOf(history: History, type?: string): ScheduledActivity[] {
  const events = eventsOf(history);
  return events.flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (!scheduled || (type !== undefined && scheduled.activityType?.name !== type)) return [];
    const eventId = idOf(event);
    const close = events.map(toClose).find((each) => each?.scheduledId === eventId);
    const { end = 'open', endId = 0, result, details } = close ?? {};
    const started = events.find(
      (each) => Number(each.activityTaskStartedEventAttributes?.scheduledEventId) === eventId,
    );
    return [
      {
        eventId,
        type: scheduled.activityType?.name ?? '',
        taskQueue: scheduled.taskQueue?.name ?? '',
        fairnessKey: scheduled.priority?.fairnessKey || null,
        startedAtMs: started ? toMs(started.eventTime) : null,
        ...{ input: first(scheduled.input), end, endId, result, details },
      },
    ];
  });
}

const toMs = (time: Event['eventTime']) => Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;

function toClose(event: Event) {
  const completed = event.activityTaskCompletedEventAttributes;
  const failed = event.activityTaskFailedEventAttributes;
  const timedOut = event.activityTaskTimedOutEventAttributes;
  const cancelled = event.activityTaskCanceledEventAttributes;
  const close = completed ?? failed ?? timedOut ?? cancelled;
  if (!close) return null;
  const end = completed ? 'completed' : failed ? 'failed' : timedOut ? 'timed-out' : 'cancelled';
  return {
    end: end as ScheduledActivity['end'],
    scheduledId: Number(close.scheduledEventId),
    endId: idOf(event),
    result: first(completed?.result),
    details: first(failed?.failure?.applicationFailureInfo?.details ?? cancelled?.details),
  };
}

/** Event id of the request to cancel this workflow; 0 where there was none. */
export function cancelRequestedAt(history: History): number {
  return idOf(eventsOf(history).find((event) => event.workflowExecutionCancelRequestedEventAttributes));
}

export function closeOf(history: History): 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed-out' | 'open' {
  const last = eventsOf(history).at(-1);
  if (last?.workflowExecutionCompletedEventAttributes) return 'completed';
  if (last?.workflowExecutionFailedEventAttributes) return 'failed';
  if (last?.workflowExecutionCanceledEventAttributes) return 'cancelled';
  if (last?.workflowExecutionTerminatedEventAttributes) return 'terminated';
  if (last?.workflowExecutionTimedOutEventAttributes) return 'timed-out';
  return 'open';
}

/** Children in the order of their start: ids, the one of the execution, and how each ended according to this history. */
export function childrenOf(history: History): { workflowId: string; executionId: string; end: string }[] {
  const events = eventsOf(history);
  return events.flatMap((event) => {
    const started = event.childWorkflowExecutionStartedEventAttributes;
    const workflowId = started?.workflowExecution?.workflowId;
    if (!started || !workflowId) return [];
    const executionId = started.workflowExecution?.runId ?? '';
    const closed = (attributes: { initiatedEventId?: Long | null } | null | undefined) =>
      attributes && Number(attributes.initiatedEventId) === Number(started.initiatedEventId);
    const end =
      events.flatMap((each) => {
        if (closed(each.childWorkflowExecutionCompletedEventAttributes)) return ['completed'];
        if (closed(each.childWorkflowExecutionFailedEventAttributes)) return ['failed'];
        if (closed(each.childWorkflowExecutionCanceledEventAttributes)) return ['cancelled'];
        if (closed(each.childWorkflowExecutionTerminatedEventAttributes)) return ['terminated'];
        if (closed(each.childWorkflowExecutionTimedOutEventAttributes)) return ['timed-out'];
        return [];
      })[0] ?? 'open';
    return [{ workflowId, executionId, end }];
  });
}

/**
 * Throws on what no history may hold: a failed workflow task (but one that a cancel or signal overtook), work that was
 * started after this history's own cancel request, and work that is open after the end.
 */
export function requireCleanHistory(workflowId: string, history: History): void {
  const problems: string[] = [];
  for (const event of eventsOf(history)) {
    const failed = event.workflowTaskFailedEventAttributes;
    const cause = failed?.cause;
    if (failed && cause !== temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND)
      problems.push(`workflow task failed: ${failed.failure?.message ?? String(cause)}`);
  }
  const cancelledAt = cancelRequestedAt(history);
  const cleanUp = ['settleStoppedActivity', 'notifyActivity'];
  const late = activitiesOf(history).filter(({ eventId, type }) => eventId > cancelledAt && !cleanUp.includes(type));
  if (cancelledAt > 0 && late.length > 0)
    problems.push(`started after the cancel request: ${late.map(({ type }) => type).join(', ')}`);
  const end = closeOf(history);
  if (end === 'completed' || end === 'failed' || end === 'cancelled') {
    for (const { type, end: each } of activitiesOf(history)) if (each === 'open') problems.push(`${type} is open`);
    for (const child of childrenOf(history)) if (child.end === 'open') problems.push(`${child.workflowId} is open`);
  }
  if (problems.length > 0) throw new Error(`${workflowId}: ${problems.join('; ')}`);
}

/** Usage of the calls that the run itself made: plans and syntheses. */
export function usageOfRunItself(history: History): Usage {
  return activitiesOf(history)
    .filter(({ type }) => type === 'planActivity' || type === 'synthesizeActivity')
    .map(({ input, result, details }) => {
      const stated = callUsageSchema.safeParse((result as { usage?: unknown } | undefined)?.usage ?? details);
      if (stated.success) return settleCall(stated.data).usage;
      const { maxSpendTokens: tokens, maxOutputTokens, rates } = input as ModelStep;
      return chargeReservation({ tokens, microUsd: rates ? boundMicroUsd(tokens, maxOutputTokens, rates) : null });
    })
    .reduce(addUsage, noUsage);
}

/** What a run that was taken over had spent + subagents + planner + synthesis = what the run says it used = what its budget says was spent (CASES B38). */
export function requireLedgerAddsUp(result: RecordedResult, history: History): void {
  const own = [usageOfRunItself(history), ...result.subagents.map(({ usage }) => usage)];
  const parts = own.reduce(addUsage, result.origin?.spent ?? noUsage);
  const { tokens, toolCalls, usd } = result.budget;
  const seen = {
    usage: { tokens: result.usage.tokens, toolCalls: result.usage.toolCalls, usd: result.usage.usd },
    spent: { tokens: tokens.spent, toolCalls: toolCalls.spent, ...(usd && { usd: usd.spent }) },
    inAndOut: result.usage.inputTokens + result.usage.outputTokens,
  };
  const wanted = {
    usage: { tokens: parts.tokens, toolCalls: parts.toolCalls, usd: parts.usd },
    spent: { tokens: parts.tokens, toolCalls: parts.toolCalls, ...(usd && { usd: parts.usd }) },
    inAndOut: parts.tokens,
  };
  if (JSON.stringify(seen) !== JSON.stringify(wanted))
    throw new Error(`${result.runId}: the parts add up to ${JSON.stringify(wanted)}, it says ${JSON.stringify(seen)}`);
  for (const [name, meter] of Object.entries({ tokens, toolCalls, ...(usd && { usd }) })) {
    const { spent, reserved, remaining, limit } = meter;
    if (reserved !== 0) throw new Error(`${result.runId}: ${reserved} ${name} are reserved after the end`);
    if (toMicroUsd(spent + reserved + remaining) !== toMicroUsd(limit) || spent > limit)
      throw new Error(`${result.runId}: ${name} do not add up: ${JSON.stringify(meter)}`);
  }
}
