/** Numbers and times as people read them. */
export { formatCost, formatDuration, formatUsd } from '../../domain/format.ts';

/** Three figures or so: `812`, `3.2k`, `150k`, `1.21M`. */
export function formatShort(count: number): string {
  if (count < 1_000) return String(count);
  const [value, sign] = count < 999_500 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M'];
  const digits = value < 10 ? (sign === 'M' ? 2 : 1) : value < 100 ? 1 : 0;
  return `${Number(value.toFixed(digits))}${sign}`;
}

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

/** `1 source`, `2 sources`. */
export function formatPlural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
