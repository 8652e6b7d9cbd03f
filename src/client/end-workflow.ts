/** Ends a workflow: asks it to stop, and terminates it where it does not. */
import { randomUUID } from 'node:crypto';
import { failureCodeOf } from '../contract/failure.ts';
import { callService, isNotFound } from './call-service.ts';
import type { ClientContext } from './client-context.ts';
import { waitForClose } from './history/wait-for-close.ts';

/** Resolves when it is closed. One that is closed already, or that nobody knows, is left alone. */
export async function endWorkflow(
  { client, identity }: Pick<ClientContext, 'client' | 'identity'>,
  workflowId: string,
  { stopMs, signal }: { readonly stopMs: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const { namespace } = client.options;
  const workflowExecution = { workflowId };
  const reason = 'its run has ended, and another one takes over its work';
  try {
    await callService(client, { signal }, (service) =>
      service.requestCancelWorkflowExecution({
        ...{ namespace, workflowExecution, identity, reason },
        requestId: randomUUID(),
      }),
    );
    await waitForClose({ client }, workflowId, { timeoutMs: stopMs, ...(signal && { signal }) });
  } catch (error) {
    if (isGone(error)) return;
    if (failureCodeOf(error) !== 'WAIT_TIMEOUT') throw error;
    await callService(client, { signal }, (service) =>
      service.terminateWorkflowExecution({ namespace, workflowExecution, identity, reason }),
    ).catch((failure: unknown) => {
      if (!isGone(failure)) throw failure;
    });
    await waitForClose({ client }, workflowId, { timeoutMs: stopMs, ...(signal && { signal }) });
  }
}

function isGone(error: unknown): boolean {
  return isNotFound(error) || failureCodeOf(error) === 'RUN_NOT_FOUND';
}
