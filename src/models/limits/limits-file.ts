/** The file with the limits of providers and models. `tributary limits set` writes it, every worker reads it as it starts. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { TributaryError } from '../../contract/failure.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { rateLimitNameSchema, rateLimitsSchema, type RateLimits } from '../../contract/rate-limits.ts';
import { modelVendors } from '../model-settings.ts';

/** `null` where limits can be kept under that name. */
export function findLimitNameProblem(name: string): string | null {
  const isKnown = rateLimitNameSchema.safeParse(name).success && modelVendors.some((each) => each === providerOf(name));
  if (isKnown) return null;
  const chat = providerOf(name) === 'openai-chat' ? '; the limits of openai-chat/ models are those of openai' : '';
  return `wanted ${modelVendors.join(', ')}, or one of their models such as openai/gpt-5, came ${JSON.stringify(name)}${chat}`;
}

function providerOf(name: string): string {
  return name.split('/')[0]!;
}

/** No file means no limits, unless it was asked for by name. Rejects with `INVALID_REQUEST`, one problem a line. */
export async function readLimits(path: string, options: { readonly mustExist: boolean }): Promise<RateLimits> {
  const refuse = (lines: readonly string[], cause?: unknown) =>
    new TributaryError('INVALID_REQUEST', lines.map((line) => `${path}: ${line}`).join('\n'), { cause });
  let value: unknown;
  try {
    value = parse(await readFile(path, 'utf8')) ?? {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !options.mustExist) return {};
    throw refuse([`wanted a file with limits in YAML or JSON, came ${(error as Error).message.split('\n')[0]}`], error);
  }
  const parsed = rateLimitsSchema.safeParse(value);
  if (!parsed.success) throw refuse(describeIssues(parsed.error, value));
  const problems = Object.keys(parsed.data).flatMap((name) => findLimitNameProblem(name) ?? []);
  if (problems.length > 0) throw refuse(problems);
  return parsed.data;
}

/** Whole or not at all: a worker that starts meanwhile reads the old limits or the new ones. */
export async function writeLimits(path: string, limits: RateLimits): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const sorted = Object.fromEntries(Object.entries(limits).sort(([a], [b]) => (a < b ? -1 : 1)));
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(sorted, null, 2)}\n`);
  await rename(temporary, path);
}
