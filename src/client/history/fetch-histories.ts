/** The raw histories of a run and of everything below it, one workflow after the other: needs no worker and decodes nothing. */
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { TributaryError } from '../../contract/failure.ts';
import type { HistoryEventJson, HistoryJson, RecordedWorkflow } from '../../contract/replay.ts';
import { callService, isNotFound } from '../call-service.ts';
import type { ClientContext } from '../client-context.ts';
import { describeRunExecution } from '../execution.ts';
import type { HistoryEvent, HistoryResponse } from './event-parts.ts';

/** Read side by side: each waits for the server, and a run of many subagents would wait long one by one. */
const window = 8;

/** A workflow and the executions that others started of it: each may have continued as new. */
type Wanted = { readonly workflowId: string; readonly starts: string[] };

/** The run first, then its subagents in the order of their starts, then those below them. `RUN_NOT_FOUND`. */
export async function* fetchHistories(
  context: ClientContext,
  runId: string,
  signal?: AbortSignal,
): AsyncGenerator<RecordedWorkflow, void, undefined> {
  const { firstRunId } = await describeRunExecution(context, runId, signal);
  let waiting: Wanted[] = [{ workflowId: runId, starts: [firstRunId] }];
  const seen = new Set<string>();
  while (waiting.length > 0) {
    const below: Wanted[] = [];
    for (let at = 0; at < waiting.length; at += window) {
      const some = waiting.slice(at, at + window);
      for (const workflow of await Promise.all(some.map((each) => fetchWorkflow(context, each, signal)))) {
        if (workflow.workflowId === runId && workflow.histories.length === 0)
          throw new TributaryError(
            'RUN_NOT_FOUND',
            `the history of the run "${runId}" is gone: its retention has ended`,
          );
        yield workflow;
        below.push(...childrenOf(workflow));
      }
    }
    waiting = below.filter(({ workflowId }) => !seen.has(workflowId));
    for (const { workflowId } of waiting) seen.add(workflowId);
  }
}

async function fetchWorkflow(
  context: ClientContext,
  { workflowId, starts }: Wanted,
  signal: AbortSignal | undefined,
): Promise<RecordedWorkflow> {
  const histories: HistoryJson[] = [];
  let gone = 0;
  for (const start of starts) {
    for (let executionId: string | null = start; executionId !== null;) {
      const history = await fetchHistory(context, workflowId, executionId, signal);
      if (history) histories.push(history);
      else gone += 1;
      executionId = history && nextExecution(history);
    }
  }
  return { workflowId, histories, gone };
}

/** `null` where the server has it no more. */
async function fetchHistory(
  { client }: ClientContext,
  workflowId: string,
  executionId: string,
  signal: AbortSignal | undefined,
): Promise<HistoryJson | null> {
  const events: HistoryEvent[] = [];
  let nextPageToken: Uint8Array | null = null;
  try {
    do {
      const execution = { workflowId, runId: executionId };
      const page = { ...{ namespace: client.options.namespace, execution }, ...(nextPageToken && { nextPageToken }) };
      const response: HistoryResponse = await callService(client, { signal }, (service) =>
        service.getWorkflowExecutionHistory(page),
      );
      events.push(...(response.history?.events ?? []));
      nextPageToken = response.nextPageToken?.length ? response.nextPageToken : null;
    } while (nextPageToken !== null);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
  return JSON.parse(historyToJSON({ events })) as HistoryJson;
}

/** The execution that the last event continues in, after continue-as-new or a retry by the server. */
function nextExecution({ events }: HistoryJson): string | null {
  const last = events.at(-1);
  return (last && attributesOf(last).newExecutionRunId) || null;
}

function childrenOf({ histories }: RecordedWorkflow): Wanted[] {
  const children = new Map<string, string[]>();
  for (const event of histories.flatMap(({ events }) => events)) {
    // In the order of the wish: starts are confirmed in any order.
    const wished = event.startChildWorkflowExecutionInitiatedEventAttributes as { workflowId: string } | undefined;
    if (wished && !children.has(wished.workflowId)) children.set(wished.workflowId, []);
    const started = event.childWorkflowExecutionStartedEventAttributes as StartedChild | undefined;
    if (started) children.get(started.workflowExecution.workflowId)?.push(started.workflowExecution.runId);
  }
  return [...children].flatMap(([workflowId, starts]) => (starts.length === 0 ? [] : [{ workflowId, starts }]));
}

type StartedChild = { readonly workflowExecution: { readonly workflowId: string; readonly runId: string } };

function attributesOf(event: HistoryEventJson): { readonly newExecutionRunId?: string } {
  const name = Object.keys(event).find((key) => key.endsWith('EventAttributes'));
  return (name === undefined ? {} : event[name]) as { readonly newExecutionRunId?: string };
}
