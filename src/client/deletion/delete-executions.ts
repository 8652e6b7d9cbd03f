/** Deletes the workflow executions of a run from the server, and waits until it has done so: it does it later. */
import { setTimeout as delay } from 'node:timers/promises';
import { TributaryError } from '../../contract/failure.ts';
import { workflowTypes } from '../../temporal/names.ts';
import { callService, isNotFound } from '../call-service.ts';
import type { ClientContext } from '../client-context.ts';
import { listExecutions } from '../list-executions.ts';

export type ExecutionName = { readonly workflowId: string; readonly runId: string };

const maxAtOnce = 8;
const maxWaitMs = 120_000;
const pollMs = 250;

/** Every execution that the run and those below it ever had, by the server's visibility. */
export async function listOfRun(
  { client }: Pick<ClientContext, 'client'>,
  runId: string,
  signal?: AbortSignal,
): Promise<ExecutionName[]> {
  // The alphabet of a run id needs no escaping.
  const ofRun = `WorkflowType = "${workflowTypes.research}" AND WorkflowId = "${runId}"`;
  const below = `WorkflowType = "${workflowTypes.subagent}" AND WorkflowId STARTS_WITH "${runId}/"`;
  const query = `(${ofRun}) OR (${below})`;
  const infos = await listExecutions(client, query, signal);
  return infos.map(({ execution }) => ({ workflowId: execution?.workflowId ?? '', runId: execution?.runId ?? '' }));
}

/** `WAIT_TIMEOUT` where the server has not done it after two: asking again goes on with it. */
export async function deleteExecutions(
  context: Pick<ClientContext, 'client'>,
  executions: readonly ExecutionName[],
  signal?: AbortSignal,
): Promise<void> {
  await forEach(executions, (each) => requestDelete(context, each, signal));
  const deadlineMs = Date.now() + maxWaitMs;
  await forEach(executions, async (each) => {
    while (await isThere(context, each, signal)) {
      if (Date.now() > deadlineMs) {
        const message = `the server has not deleted the history of ${each.workflowId} after ${maxWaitMs / 1_000} s: delete the run again`;
        throw new TributaryError('WAIT_TIMEOUT', message);
      }
      await delay(pollMs, undefined, { signal });
    }
  });
}

async function requestDelete(
  { client }: Pick<ClientContext, 'client'>,
  workflowExecution: ExecutionName,
  signal?: AbortSignal,
): Promise<void> {
  const { namespace } = client.options;
  try {
    await callService(client, { ...(signal && { signal }) }, (service) =>
      service.deleteWorkflowExecution({ namespace, workflowExecution }),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function isThere(
  { client }: Pick<ClientContext, 'client'>,
  execution: ExecutionName,
  signal?: AbortSignal,
): Promise<boolean> {
  const { namespace } = client.options;
  try {
    await callService(client, { ...(signal && { signal }) }, (service) =>
      service.describeWorkflowExecution({ namespace, execution }),
    );
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function forEach<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: maxAtOnce }, work));
}
