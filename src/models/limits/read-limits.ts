/** What the user's providers allow, from a file. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { TributaryError } from '../../contract/failure.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { rateLimitsSchema, type RateLimits } from '../../contract/rate-limits.ts';

/**
 * Limits by vendor or model, of a YAML or JSON file such as `openai/gpt-5: { rpm: 600, tpm: 100000 }`. Rejects with
 * `INVALID_REQUEST`, one problem a line: a limit must never be switched off by a typing error.
 */
export async function readLimits(path: string): Promise<RateLimits> {
  const refuse = (lines: readonly string[], cause?: unknown) =>
    new TributaryError('INVALID_REQUEST', lines.map((line) => `${path}: ${line}`).join('\n'), { cause });
  let value: unknown;
  try {
    value = parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw refuse([`wanted a file with limits in YAML or JSON, came ${(error as Error).message.split('\n')[0]}`], error);
  }
  const parsed = rateLimitsSchema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  throw refuse(describeIssues(parsed.error, value));
}
