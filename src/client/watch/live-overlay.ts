/** What a describe call knows and no history does: attempts, waits and last failures of activities that are still open. */
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { LiveActivity } from '../../contract/history-fact.ts';
import { toLiveTexts } from '../../domain/projection/live-text.ts';
import type { RunView } from '../../domain/projection/run-state.ts';
import { toEpochMs } from '../../domain/projection/epoch-ms.ts';
import type { ClientContext } from '../client-context.ts';
import { describeWorkflow, type PendingActivity } from '../execution.ts';

/** Activities that ended sooner are not worth a describe call. */
const minOpenMs = 1_000;
/** Describe calls per look; with more subagents than that, each gets its turn. */
const maxDescribes = 50;

const stateByNumber: Readonly<Record<number, LiveActivity['state']>> = {
  1: 'scheduled',
  2: 'started',
  3: 'cancel-requested',
};

/** Texts by subagent, for those that have an activity open for more than a second. `look` counts up, for the turns. */
export async function readLiveTexts(
  context: ClientContext,
  view: RunView,
  look: number,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const now = Date.now();
  const waiting = view.subagents.filter((subagent) =>
    Object.values(subagent.open).some((activity) => now - (toEpochMs(activity.since) ?? now) > minOpenMs),
  );
  const first = waiting.length <= maxDescribes ? 0 : (look * maxDescribes) % waiting.length;
  const chosen = [...waiting.slice(first), ...waiting.slice(0, first)].slice(0, maxDescribes);
  const activities = await Promise.all(
    chosen.map(async ({ id }) => {
      const described = await describeWorkflow(context.client, `${view.runId}/${id}`, signal);
      return (described?.pendingActivities ?? []).map((pending) => toLiveActivity(id, pending, now));
    }),
  );
  return toLiveTexts(activities.flat());
}

export function toLiveActivity(subagentId: string | null, pending: PendingActivity, nowMs: number): LiveActivity {
  const nextAttemptMs = optionalTsToMs(pending.nextAttemptScheduleTime);
  return {
    subagentId,
    activityType: pending.activityType?.name ?? '',
    state: stateByNumber[Number(pending.state)] ?? 'started',
    attempt: pending.attempt ?? 1,
    maxAttempts: pending.maximumAttempts ?? 0,
    nextAttemptInMs: nextAttemptMs === undefined ? null : Math.max(0, nextAttemptMs - nowMs),
    lastFailure: pending.lastFailure?.message || null,
  };
}
