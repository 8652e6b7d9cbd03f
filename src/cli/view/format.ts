/** Sizes and clocks as a terminal shows them, beside the numbers that the page shows too. */
export { formatCost, formatDuration, formatPlural, formatShort, formatUsd } from '../../domain/format.ts';

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [value, sign] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${sign}`;
}

/** Wall clock of this machine: `12:03:11`. */
export function formatClock(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime())
    ? '--:--:--'
    : [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Milliseconds from `iso` to `nowMs`, never negative; 0 for an unreadable time. */
export function ageOf(iso: string, nowMs: number): number {
  const then = Date.parse(iso);
  return Number.isNaN(then) ? 0 : Math.max(0, nowMs - then);
}
