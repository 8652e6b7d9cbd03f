/** Finds where a history and the code part: the first event that the code does not follow, and what it wanted there. */
import type { Divergence, HistoryEventJson, HistoryJson } from '../contract/replay.ts';
import { readDivergence, toEventName } from '../domain/read-divergence.ts';
import type { ReplayFailure } from './open-replayer.ts';

/** One more replay, of a history that was cut short. */
export type Retry = (history: HistoryJson) => Promise<ReplayFailure | null>;

/** `failure` is that of the whole history. */
export async function findDivergence(history: HistoryJson, failure: ReplayFailure, retry: Retry): Promise<Divergence> {
  if (failure.kind === 'no-end') return toDivergence(history, history.events.length, failure, null);
  const { eventId } = readDivergence(failure.message);
  const told = failure.kind === 'other-code' && eventId !== null && eventId <= history.events.length;
  const at = told ? { length: eventId, failure } : await shortestFailing(history, failure, retry);
  if (at.failure.kind !== 'other-code') return toDivergence(history, at.length, at.failure, null);
  const { wanted } = readDivergence(at.failure.message);
  const named = wanted === 'an activity' ? await askForName(history, at.length, retry) : null;
  return toDivergence(history, at.length, at.failure, named ?? wanted);
}

/** A history fails as soon as the event is in it that the code does not follow, and with whatever comes after it. */
async function shortestFailing(
  { events }: HistoryJson,
  ofWhole: ReplayFailure,
  retry: Retry,
): Promise<{ readonly length: number; readonly failure: ReplayFailure }> {
  let failure = ofWhole;
  let good = 2; // no code has run before the first workflow task has started
  let bad = events.length;
  while (bad - good > 1) {
    const length = Math.floor((good + bad) / 2);
    const failed = await retry({ events: events.slice(0, length) });
    if (failed?.kind === 'no-end') break;
    if (failed) [bad, failure] = [length, failed];
    else good = length;
  }
  return { length: bad, failure };
}

/**
 * Where it is said only that the code wanted an activity: puts one of no name in the event's place, which is refused by
 * first its id, then its type.
 */
async function askForName({ events }: HistoryJson, length: number, retry: Retry): Promise<string | null> {
  const event = events[length - 1]!;
  const task = attributesOf(event).workflowTaskCompletedEventId;
  if (task === undefined) return null;
  const ask = async (activityId: string) => {
    const attributes = { activityId, activityType: { name: '?' }, workflowTaskCompletedEventId: task };
    const forged: HistoryEventJson = {
      ...{ eventId: event.eventId, eventTime: event.eventTime, taskId: event.taskId },
      eventType: 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED',
      activityTaskScheduledEventAttributes: attributes,
    };
    const failed = await retry({ events: [...events.slice(0, length - 1), forged] });
    return failed?.message ?? '';
  };
  const id = /activity id of (?:local )?activity command '(.*?)'/.exec(await ask('?'))?.[1];
  if (id === undefined) return null;
  const { wanted } = readDivergence(await ask(id));
  return wanted?.startsWith('activity ') ? wanted : null;
}

function toDivergence(
  { events }: HistoryJson,
  length: number,
  { kind, message }: ReplayFailure,
  wanted: string | null,
): Divergence {
  const event = events[length - 1]!;
  return {
    eventId: Number(event.eventId),
    eventType: toEventName(event.eventType),
    kind:
      kind === 'failed' ? (isUndecodable(message) ? 'undecodable' : 'fails') : kind === 'no-end' ? kind : 'wants-other',
    recorded: describe(event),
    wanted,
    message,
  };
}

function isUndecodable(message: string): boolean {
  return /unknown encoding|missing payload|payload codec|failed to (?:de|en)code/i.test(message);
}

function describe(event: HistoryEventJson): string | null {
  const { activityType, workflowId } = attributesOf(event);
  if (activityType) return `activity ${activityType.name}`;
  return toEventName(event.eventType) === 'StartChildWorkflowExecutionInitiated'
    ? `child workflow ${workflowId}`
    : null;
}

function attributesOf(event: HistoryEventJson): {
  readonly workflowTaskCompletedEventId?: string;
  readonly activityType?: { readonly name: string };
  readonly workflowId?: string;
} {
  const name = Object.keys(event).find((key) => key.endsWith('EventAttributes'));
  return name === undefined ? {} : (event[name] as object);
}
