/** Waits for the end of one workflow by its history: no worker is asked. */
import { setTimeout as delay } from 'node:timers/promises';
import { TributaryError } from '../../contract/failure.ts';
import { callService, isNotFound, isTransient } from '../call-service.ts';
import type { ClientContext } from '../client-context.ts';

/** `HistoryEventFilterType` on the wire: the close event alone. */
const closeEventOnly = 2;
const pollDeadlineMs = 45_000;
const pauseMs = 250;
/** `setTimeout` takes no more than this. */
const maxTimerMs = 2 ** 31 - 1;

export type WaitOptions = { readonly signal?: AbortSignal; readonly timeoutMs?: number };

/** Resolves when the last execution of `workflowId` has closed. `WAIT_TIMEOUT` past `timeoutMs`. */
export async function waitForClose(
  context: Pick<ClientContext, 'client'>,
  workflowId: string,
  options: WaitOptions = {},
): Promise<void> {
  const { signal, timeoutMs } = options;
  if (timeoutMs === undefined) return followToClose(context, workflowId, signal);
  const timeUp = AbortSignal.timeout(Math.min(timeoutMs, maxTimerMs));
  try {
    await followToClose(context, workflowId, signal ? AbortSignal.any([signal, timeUp]) : timeUp);
  } catch (error) {
    if (!timeUp.aborted || signal?.aborted) throw error;
    throw new TributaryError('WAIT_TIMEOUT', `${workflowId} is still going on after ${timeoutMs / 1_000} s`);
  }
}

async function followToClose(
  { client }: Pick<ClientContext, 'client'>,
  workflowId: string,
  signal?: AbortSignal,
): Promise<void> {
  let runId = '';
  let nextPageToken: Uint8Array | undefined;
  for (;;) {
    try {
      const response = await callService(client, { signal, deadlineMs: pollDeadlineMs }, (service) =>
        service.getWorkflowExecutionHistory({
          namespace: client.options.namespace,
          execution: { workflowId, runId },
          historyEventFilterType: closeEventOnly,
          waitNewEvent: true,
          nextPageToken,
        }),
      );
      nextPageToken = response.nextPageToken?.length ? response.nextPageToken : undefined;
      const last = response.history?.events?.at(-1);
      const next = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (next) {
        runId = next;
        nextPageToken = undefined;
      } else if (last) return;
    } catch (error) {
      if (isNotFound(error)) {
        throw new TributaryError('RUN_NOT_FOUND', `there is no workflow "${workflowId}"`, { cause: error });
      }
      if (!isTransient(error)) throw error;
      nextPageToken = undefined;
    }
    await delay(pauseMs, undefined, { signal });
  }
}
