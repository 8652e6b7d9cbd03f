/** One mark, one word and one colour for every status, the same on every screen. */
import type { RunStatus, SubagentStatus } from '../../contract/run-view.ts';
import type { IconName } from './icon.tsx';

export type Tone = 'run' | 'ok' | 'warn' | 'bad' | 'wait' | 'mute';
export type Look = { readonly icon: IconName; readonly word: string; readonly tone: Tone };

export const looks = {
  queued: { icon: 'dot', word: 'Queued', tone: 'mute' },
  planning: { icon: 'half', word: 'Planning', tone: 'run' },
  running: { icon: 'half', word: 'Running', tone: 'run' },
  synthesizing: { icon: 'half', word: 'Writing the report', tone: 'run' },
  retrying: { icon: 'retry', word: 'Retrying', tone: 'warn' },
  'awaiting-plan': { icon: 'alert', word: 'Plan to review', tone: 'wait' },
  'awaiting-approval': { icon: 'alert', word: 'Approval needed', tone: 'wait' },
  'paused-budget': { icon: 'pause', word: 'Paused: budget', tone: 'warn' },
  cancelling: { icon: 'stop', word: 'Cancelling', tone: 'warn' },
  completed: { icon: 'check', word: 'Completed', tone: 'ok' },
  done: { icon: 'check', word: 'Done', tone: 'ok' },
  reused: { icon: 'again', word: 'Reused', tone: 'ok' },
  partial: { icon: 'partial', word: 'Partial', tone: 'warn' },
  failed: { icon: 'cross', word: 'Failed', tone: 'bad' },
  terminated: { icon: 'cross', word: 'Terminated', tone: 'bad' },
  'timed-out': { icon: 'cross', word: 'Timed out', tone: 'bad' },
  cancelled: { icon: 'stop', word: 'Cancelled', tone: 'mute' },
  skipped: { icon: 'stop', word: 'Skipped', tone: 'mute' },
} as const satisfies Record<RunStatus | SubagentStatus, Look>;

/** A status of a newer server is shown by its name. */
export function toLook(status: string): Look {
  return Object.hasOwn(looks, status)
    ? looks[status as keyof typeof looks]
    : { icon: 'dot', word: status, tone: 'mute' };
}
