/** The limit of requests a minute that the server keeps for a task queue: for all workers together, and for each tenant. */
import type { Client } from '@temporalio/client';
import type { RateLimit } from '../contract/rate-limits.ts';
import { toQueueRate, toRpm } from '../domain/concurrency.ts';
import { callService, toClientError } from './call-service.ts';

/** `TaskQueueType` on the wire: activity tasks. */
const activityTasks = 2;
const reason = 'tributary limits';

export type QueueLimit = { readonly rpm: number | null; readonly tenantRpm: number | null };

/**
 * Sets both limits of a queue to those of `limit`; one that it leaves out is taken away. Needs no worker, holds at once and
 * survives the server. Rejects with what the server says where it knows no such limits, or allows no change.
 */
export async function applyQueueLimit(client: Client, taskQueue: string, limit: RateLimit): Promise<void> {
  const toUpdate = (rpm: number | undefined) => ({
    reason,
    ...(rpm !== undefined && { rateLimit: { requestsPerSecond: toQueueRate(rpm) } }),
  });
  await callService(client, {}, (service) =>
    service.updateTaskQueueConfig({
      namespace: client.options.namespace,
      identity: client.options.identity,
      taskQueue,
      taskQueueType: activityTasks,
      updateQueueRateLimit: toUpdate(limit.rpm),
      updateFairnessKeyRateLimitDefault: toUpdate(limit.tenantRpm),
    }),
  ).catch((error: unknown) => {
    throw toClientError(client, error);
  });
}

/** What the server keeps now. */
export async function readQueueLimit(client: Client, taskQueue: string): Promise<QueueLimit> {
  const { config } = await callService(client, {}, (service) =>
    service.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: activityTasks,
      reportConfig: true,
    }),
  ).catch((error: unknown) => {
    throw toClientError(client, error);
  });
  const toLimit = (rate: number | null | undefined) => (rate === null || rate === undefined ? null : toRpm(rate));
  return {
    rpm: toLimit(config?.queueRateLimit?.rateLimit?.requestsPerSecond),
    tenantRpm: toLimit(config?.fairnessKeysRateLimitDefault?.rateLimit?.requestsPerSecond),
  };
}
