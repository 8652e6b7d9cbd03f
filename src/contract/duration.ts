/** Durations as people write them (`90s`, `10m`, `2h`, `20 minutes`) and as the code keeps them: whole milliseconds. */
import { z } from 'zod';

const unitMs: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const pattern = /^(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)$/;
/** Temporal timers hold a year without trouble; anything longer is a typing error. */
const maxMs = 366 * 86_400_000;

/** Milliseconds of `text`, or `null` where it is not a duration. */
export function toMilliseconds(text: string): number | null {
  const match = pattern.exec(text.trim());
  if (!match) return null;
  const word = match[2]!;
  const unit = word.startsWith('ms') || word.startsWith('milli') ? 'ms' : word[0]!;
  return Math.round(Number(match[1]) * unitMs[unit]!);
}

const wanted = 'wanted a duration such as "90s", "10m" or "2h"';

/** Accepts milliseconds or a text with a unit; yields whole milliseconds, at least 1 and at most a year. */
export const durationSchema = z.union([z.number(), z.string()], { error: wanted }).transform((value, context) => {
  const ms = typeof value === 'number' ? value : toMilliseconds(value);
  if (ms === null || !Number.isSafeInteger(ms) || ms < 1 || ms > maxMs) {
    context.addIssue({ code: 'custom', message: wanted, input: value });
    return z.NEVER;
  }
  return ms;
});
