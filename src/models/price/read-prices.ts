/** The user's own prices, from a file. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { TributaryError } from '../../contract/failure.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { modelPriceSchema, type ModelPrice } from '../../contract/price.ts';
import { modelNameSchema } from '../../contract/request.ts';

const pricesSchema = z.record(modelNameSchema, modelPriceSchema);

/**
 * Prices by model name, in USD per million tokens, of a YAML or JSON file such as
 * `openai/my-fine-tune: { input: 3.75, output: 15 }`. Rejects with `INVALID_REQUEST`, one problem a line.
 */
export async function readPrices(path: string): Promise<Readonly<Record<string, ModelPrice>>> {
  const refuse = (lines: readonly string[], cause?: unknown) =>
    new TributaryError('INVALID_REQUEST', lines.map((line) => `${path}: ${line}`).join('\n'), { cause });
  let value: unknown;
  try {
    value = parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw refuse([`wanted a file with prices in YAML or JSON, came ${(error as Error).message.split('\n')[0]}`], error);
  }
  const parsed = pricesSchema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  throw refuse(describeIssues(parsed.error, value));
}
