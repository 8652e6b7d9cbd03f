/** What a describe call adds to a description. It is shown only: counts, cursors and statuses of record stay as they are. */
import type { LiveActivity } from '../../contract/history-fact.ts';
import type { RunDescription } from '../../contract/run-view.ts';
import { previewText } from '../text.ts';

const maxFailureChars = 40;

/** `retry 2/3 in 8s (timeout)`; `null` where the fold already says all there is to say. */
export function renderLive(activity: LiveActivity): string | null {
  if (activity.state === 'cancel-requested') return 'stopping';
  if (activity.attempt > 1) {
    const attempt = activity.maxAttempts > 0 ? `${activity.attempt}/${activity.maxAttempts}` : `${activity.attempt}`;
    const wait =
      activity.nextAttemptInMs === null ? '' : ` in ${Math.max(0, Math.ceil(activity.nextAttemptInMs / 1_000))}s`;
    const why = activity.lastFailure ? ` (${previewText(activity.lastFailure, maxFailureChars)})` : '';
    return `retry ${attempt}${activity.state === 'scheduled' ? wait : ''}${why}`;
  }
  return activity.state === 'scheduled' ? 'waits for a worker' : null;
}

/** The texts by subagent. Of several open activities the one that has something to say wins, the newest attempt first. */
export function toLiveTexts(activities: readonly LiveActivity[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const activity of [...activities].sort((a, b) => a.attempt - b.attempt)) {
    const text = renderLive(activity);
    if (activity.subagentId !== null && text !== null) texts[activity.subagentId] = text;
  }
  return texts;
}

/** The description with the texts in it; a running subagent whose activity is tried again shows as `retrying`. */
export function withLive(run: RunDescription, texts: Readonly<Record<string, string>>): RunDescription {
  if (Object.keys(texts).length === 0) return run;
  const tree = run.tree.map((subagent) => {
    const live = texts[subagent.id];
    if (live === undefined || subagent.closedAt !== undefined) return subagent;
    const isRetrying = subagent.status === 'running' && live.startsWith('retry ');
    return { ...subagent, live, ...(isRetrying && { status: 'retrying' as const }) };
  });
  return { ...run, tree };
}
