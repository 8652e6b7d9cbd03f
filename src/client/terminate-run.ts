/** The hard stop: no clean-up and no report. Open subagents are ended too, since only a worker would do that. */
import { setTimeout as delay } from 'node:timers/promises';
import { TributaryError } from '../contract/failure.ts';
import { toSubagentWorkflowId } from '../contract/ids.ts';
import { callService, isNotFound } from './call-service.ts';
import type { ClientContext } from './client-context.ts';
import { openSubagentsOf, readTree } from './cancel-run.ts';
import { describeRunExecution } from './execution.ts';
import type { CallOptions } from './research-api.ts';

/** What the server needs to pass the end of a run on to subagents whose worker is up: they stop in an orderly way. */
const passOnMs = 2_000;

/** `RUN_ENDED` where there is nothing to end. */
export async function terminateRun(
  context: ClientContext,
  runId: string,
  reason: string,
  { signal }: CallOptions,
): Promise<{ readonly affected: readonly string[] }> {
  const execution = await describeRunExecution(context, runId, signal);
  const open = openSubagentsOf(await readTree(context, execution, signal));
  const wasOpen = execution.end === null && (await terminate(context, runId, reason, signal));
  if (!wasOpen && open.length === 0) {
    const { end } = await describeRunExecution(context, runId, signal);
    throw new TributaryError('RUN_ENDED', `the run ${runId} has ended already: ${end ?? 'ended'}`);
  }
  if (wasOpen) await delay(passOnMs, undefined, { signal });
  await Promise.all(open.map((id) => terminate(context, toSubagentWorkflowId(runId, id), reason, signal)));
  return { affected: open };
}

/** `false` where it is closed already. */
async function terminate(
  { client, identity }: ClientContext,
  workflowId: string,
  reason: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await callService(client, { signal }, (service) =>
      service.terminateWorkflowExecution({
        namespace: client.options.namespace,
        workflowExecution: { workflowId },
        reason,
        identity,
      }),
    );
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
