/** Whether somebody works on the task queue of runs. */
import { hostname } from 'node:os';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { callService } from './call-service.ts';
import type { ClientContext } from './client-context.ts';

/** `TaskQueueType` on the wire: workflow tasks. */
const workflowTasks = 1;
/** A poll is answered, empty if need be, within a minute and then begun anew; the server itself forgets after five. */
const maxSilenceMs = 75_000;

/**
 * `true` when a worker has polled within the last 75 s, which a live one always has. One of this machine whose process
 * is gone does not count, so that a killed worker is noticed at once; one of another machine may be counted up to 75 s
 * after it was killed.
 */
export async function hasWorker({ client, taskQueue }: ClientContext, signal?: AbortSignal): Promise<boolean> {
  const response = await callService(client, { signal }, (service) =>
    service.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: workflowTasks,
    }),
  );
  return (response.pollers ?? []).some((poller) => {
    const silentMs = Date.now() - (optionalTsToMs(poller.lastAccessTime) ?? 0);
    return silentMs < maxSilenceMs && !isGone(poller.identity ?? '');
  });
}

/** The default identity of a worker is `<pid>@<host name>`. */
function isGone(identity: string): boolean {
  const [, pid, host] = /^(\d+)@(.+)$/.exec(identity) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
