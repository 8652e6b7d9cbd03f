/** One mark and one colour for every status; the word always stands beside it. */
import type { RunStatus, SubagentStatus } from '../../contract/run-view.ts';
import { paintText, type Paint, type Style } from './style.ts';

type Mark = { readonly sign: string; readonly ascii: string; readonly paint: Paint };

const marks = {
  queued: { sign: '·', ascii: '[ ]', paint: 'gray' },
  planning: { sign: '◐', ascii: '[..]', paint: 'cyan' },
  running: { sign: '◐', ascii: '[..]', paint: 'cyan' },
  synthesizing: { sign: '◐', ascii: '[..]', paint: 'cyan' },
  retrying: { sign: '↻', ascii: '[!]', paint: 'yellow' },
  'awaiting-plan': { sign: '!', ascii: '[!]', paint: 'yellow' },
  'awaiting-approval': { sign: '!', ascii: '[!]', paint: 'yellow' },
  'paused-budget': { sign: 'Ⅱ', ascii: '[=]', paint: 'yellow' },
  cancelling: { sign: '◌', ascii: '[..]', paint: 'yellow' },
  completed: { sign: '✓', ascii: '[ok]', paint: 'green' },
  done: { sign: '✓', ascii: '[ok]', paint: 'green' },
  reused: { sign: '↺', ascii: '[ok]', paint: 'green' },
  partial: { sign: '◪', ascii: '[~]', paint: 'yellow' },
  failed: { sign: '✗', ascii: '[x]', paint: 'red' },
  terminated: { sign: '✗', ascii: '[x]', paint: 'red' },
  'timed-out': { sign: '✗', ascii: '[x]', paint: 'red' },
  cancelled: { sign: '⊘', ascii: '[-]', paint: 'gray' },
  skipped: { sign: '⊘', ascii: '[-]', paint: 'gray' },
} as const satisfies Record<RunStatus | SubagentStatus, Mark>;

/** The mark, padded to the width that all marks of this style share. */
export function renderMark(status: RunStatus | SubagentStatus, style: Style): string {
  const mark: Mark = marks[status];
  return paintText(style, mark.paint, style.unicode ? mark.sign : mark.ascii.padEnd(4));
}

export function markWidth(style: Style): number {
  return style.unicode ? 1 : 4;
}

export function paintOf(status: RunStatus | SubagentStatus): Paint {
  return marks[status].paint;
}

/** Signs inside a line. */
export function signsOf(style: Style): { readonly dot: string; readonly ellipsis: string; readonly atLeast: string } {
  return style.unicode ? { dot: '·', ellipsis: '…', atLeast: '≥' } : { dot: '-', ellipsis: '...', atLeast: '>=' };
}
