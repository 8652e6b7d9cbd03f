/** Times as people read them, by the clock of this browser. */
import { formatDuration } from '../../domain/format.ts';

/** Milliseconds from `iso` to `nowMs`, never negative; 0 for an unreadable time. */
export function ageOf(iso: string, nowMs: number): number {
  const then = Date.parse(iso);
  return Number.isNaN(then) ? 0 : Math.max(0, nowMs - then);
}

export function formatAgo(iso: string, nowMs: number): string {
  const ms = ageOf(iso, nowMs);
  return ms < 1_000 ? 'now' : `${formatDuration(ms)} ago`;
}

/** `12:03:11` */
export function formatClock(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? '–' : date.toLocaleTimeString('en-GB');
}

export function formatDate(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? '–' : `${date.toLocaleDateString('en-CA')} ${formatClock(iso)}`;
}
