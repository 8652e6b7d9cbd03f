/** The file form of recorded histories: by workflow id, one history, or a list where the workflow ran more than once. */
import { basename } from 'node:path';
import { TributaryError } from '../../contract/failure.ts';
import type { HistoryEventJson, HistoryJson, RecordedWorkflow } from '../../contract/replay.ts';
import { toEventName } from '../../domain/read-divergence.ts';

export type HistoriesDocument = Readonly<Record<string, HistoryJson | readonly HistoryJson[]>>;

/** What is gone from the server is not in the file. */
export function toHistoriesDocument(workflows: readonly RecordedWorkflow[]): HistoriesDocument {
  return Object.fromEntries(
    workflows.flatMap(({ workflowId, histories }) =>
      histories.length === 0 ? [] : [[workflowId, histories.length === 1 ? histories[0]! : histories]],
    ),
  );
}

/** Reads that form, and a single history as Temporal's own tools export it. `INVALID_REQUEST` says what is wrong with it. */
export function readHistories(path: string, text: string): RecordedWorkflow[] {
  const document = parse(path, text);
  if (isObject(document) && Array.isArray(document.events)) {
    const history = toHistory(path, null, document);
    return [{ workflowId: workflowIdOf(history) ?? basename(path, '.json'), histories: [history], gone: 0 }];
  }
  if (!isObject(document) || Object.keys(document).length === 0) {
    throw unreadable(path, 'wanted a history ({"events":[…]}) or histories by workflow id, came neither');
  }
  return Object.entries(document).map(([workflowId, value]) => {
    const all: unknown[] = Array.isArray(value) ? value : [value];
    if (all.length === 0) throw unreadable(path, `${workflowId}: wanted a history, came none`);
    return { workflowId, histories: all.map((each) => toHistory(path, workflowId, each)), gone: 0 };
  });
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw unreadable(path, `it is not JSON: ${(error as Error).message}`);
  }
}

/** Temporal's replay takes the process down over a history with holes: they are found here. */
function toHistory(path: string, workflowId: string | null, value: unknown): HistoryJson {
  const whose = workflowId === null ? '' : `${workflowId}: `;
  if (!isObject(value) || !Array.isArray(value.events))
    throw unreadable(path, `${whose}wanted a history with a list of events`);
  const events = value.events as unknown[];
  if (events.length === 0) throw unreadable(path, `${whose}the history has no events`);
  for (const [index, event] of events.entries()) {
    if (!isEvent(event)) throw unreadable(path, `${whose}entry ${index + 1} of the history is not an event`);
    if (Number(event.eventId) !== index + 1)
      throw unreadable(path, `${whose}wanted event ${index + 1} of the history, came event ${event.eventId}`);
    const name = toEventName(event.eventType);
    if (index === 0 && name !== 'WorkflowExecutionStarted')
      throw unreadable(path, `${whose}wanted WorkflowExecutionStarted as the first event, came ${name}`);
    const before = index === 0 ? null : toEventName((events[index - 1] as HistoryEventJson).eventType);
    if (before === 'WorkflowTaskStarted' && !endsTask(name))
      throw unreadable(path, `${whose}wanted the end of a workflow task as event ${index + 1}, came ${name}`);
  }
  return { events: events as HistoryEventJson[] };
}

function endsTask(name: string): boolean {
  return /^WorkflowTask(Completed|Failed|TimedOut)$|^WorkflowExecution(Terminated|TimedOut)$/.test(name);
}

function isEvent(value: unknown): value is HistoryEventJson {
  return (
    isObject(value) &&
    typeof value.eventType === 'string' &&
    ['string', 'number'].includes(typeof value.eventId) &&
    Object.entries(value).some(([key, each]) => key.endsWith('EventAttributes') && isObject(each))
  );
}

/** Servers of today write it into the first event. */
function workflowIdOf({ events }: HistoryJson): string | null {
  const started = events[0]!.workflowExecutionStartedEventAttributes as { readonly workflowId?: string } | undefined;
  return started?.workflowId || null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(path: string, problem: string): TributaryError {
  return new TributaryError('INVALID_REQUEST', `${path}: ${problem}`);
}
