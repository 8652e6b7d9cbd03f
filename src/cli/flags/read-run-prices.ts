/** The user's prices, by the names that models have in a run. */
import { resolve } from 'node:path';
import type { StartInput } from '../../client/research-api.ts';
import { failureCodeOf } from '../../contract/failure.ts';
import type { Installation } from '../cli-dependencies.ts';
import { toAbsoluteModel } from './absolute-model.ts';

export type RunPrices = NonNullable<StartInput['prices']>;

/** From the file of `--prices`, else the configured one. What is wrong in it is a problem with the flag. */
export async function readRunPrices(
  installation: Installation,
  path: string | undefined,
): Promise<{ readonly values: RunPrices; readonly problems: readonly string[] }> {
  try {
    const prices = await installation.readPrices(path === undefined ? undefined : resolve(path));
    // A script is named by its absolute path in a run, and as the user likes in the file.
    const values = Object.entries(prices).map(([name, price]) => [toAbsoluteModel(name), price] as const);
    return { values: Object.fromEntries(values), problems: [] };
  } catch (error) {
    if (failureCodeOf(error) !== 'INVALID_REQUEST') throw error;
    return { values: {}, problems: (error as Error).message.split('\n').map((line) => `--prices: ${line}`) };
  }
}

/** Those of these models alone. */
export function pricesOf(prices: RunPrices, models: readonly string[]): RunPrices {
  return Object.fromEntries(Object.entries(prices).filter(([name]) => models.includes(name)));
}
