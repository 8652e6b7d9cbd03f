/** Every activity's options in one place, each odd one with its reason. */
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities.ts';
import { defaults } from '../contract/defaults.ts';
import type { ToolTraits } from '../contract/tool.ts';

/**
 * Left out, it acts as TRY_CANCEL: a run would read "cancelled" while its tools still work.
 * Heartbeats come every second, so a dead worker is noticed within the time-out.
 */
const cancellable = {
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  heartbeatTimeout: defaults.heartbeatTimeoutMs,
} as const;

/** Our own stores and indexes: a repeat is free and usually helps. */
const localRetry = {
  initialInterval: '500ms',
  backoffCoefficient: 2,
  maximumInterval: '5s',
  maximumAttempts: 5,
} as const;

/**
 * No `maximumAttempts`: a wait for a rate limit and a crash are attempts to Temporal too. The activity counts its own
 * requests, and the schedule-to-close time-out bounds the rest.
 */
const modelRetry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' } as const;

export const { openRunActivity } = proxyActivities<Pick<Activities, 'openRunActivity'>>({
  ...cancellable,
  startToCloseTimeout: '10 minutes', // a large corpus is indexed here the first time
  retry: localRetry,
});

/** Reads the histories of another run, and waits until what is left of it has stopped. */
export const { adoptRunActivity } = proxyActivities<Pick<Activities, 'adoptRunActivity'>>({
  ...cancellable,
  startToCloseTimeout: '10 minutes',
  retry: localRetry,
});

export const { loadResumeActivity } = proxyActivities<Pick<Activities, 'loadResumeActivity'>>({
  ...cancellable,
  startToCloseTimeout: '30s',
  retry: localRetry,
});

/** Reads the history of one subagent. */
export const { readLeftWorkActivity } = proxyActivities<Pick<Activities, 'readLeftWorkActivity'>>({
  ...cancellable,
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '5 minutes',
  retry: localRetry,
});

/** Where model calls are put and for whom; nothing given, they are on the workflow's own queue. */
export type ModelRoute = { readonly modelQueue?: string | undefined; readonly tenant?: string | undefined };

/** The activities that call a model. Their queue carries the limit of its key, and takes the tenants in turn. */
export function callModel({ modelQueue, tenant }: ModelRoute) {
  return proxyActivities<Pick<Activities, 'planActivity' | 'callModelActivity' | 'synthesizeActivity'>>({
    ...cancellable,
    ...(modelQueue !== undefined && { taskQueue: modelQueue }),
    ...(tenant !== undefined && { priority: { fairnessKey: tenant } }),
    startToCloseTimeout: '10 minutes',
    scheduleToCloseTimeout: '30 minutes',
    retry: modelRetry,
  });
}

export const { settleStoppedActivity } = proxyActivities<Pick<Activities, 'settleStoppedActivity'>>({
  ...cancellable,
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '5 minutes',
  retry: localRetry,
});

/** All the work of a subagent hangs on it, so a store that is full or away is waited for. */
export const { storeReportActivity } = proxyActivities<Pick<Activities, 'storeReportActivity'>>({
  ...cancellable,
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '5 minutes',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' },
});

/** Three attempts in all. No schedule-to-close time-out: while no worker is there, a notice waits like the run itself. */
export const { notifyActivity } = proxyActivities<Pick<Activities, 'notifyActivity'>>({
  ...cancellable,
  startToCloseTimeout: '45s', // a command has 30 s, and is then stopped
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5s', maximumAttempts: 3 },
});

/** The options of one tool call: they depend on its effect and its deadline. */
export function callTool(
  tool: ToolTraits,
  deadlineMs: number,
): Activities['callToolActivity'] & {
  executeWithOptions(
    options: { summary: string },
    args: Parameters<Activities['callToolActivity']>,
  ): ReturnType<Activities['callToolActivity']>;
} {
  const repeatable = tool.effect === 'read' || tool.idempotent;
  const { callToolActivity } = proxyActivities<Pick<Activities, 'callToolActivity'>>({
    ...cancellable,
    // The deadline is inside the activity first; this is for a worker that no longer keeps time.
    startToCloseTimeout: deadlineMs + 2_000 + defaults.toolAbandonMs,
    retry: {
      initialInterval: '500ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      maximumAttempts: repeatable ? defaults.readToolAttempts : defaults.writeToolAttempts,
    },
  });
  return callToolActivity;
}
