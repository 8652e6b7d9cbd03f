/** From flags to what is different in a run that takes over another one: only what was given. */
import type { ChangedInput } from '../../client/research-api.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { researchRequestSchema } from '../../contract/request.ts';
import type { Installation } from '../cli-dependencies.ts';
import { acceptInput } from './accept-input.ts';
import type { changeFlags } from './change-flags.ts';
import { findModelProblems } from './find-model-problems.ts';
import type { FlagValues } from './flag-table.ts';
import { nameFlag } from './name-flag.ts';
import { pricesOf, readRunPrices } from './read-run-prices.ts';
import { toGivenInput } from './to-given-input.ts';

export type ChangeValues = FlagValues<typeof changeFlags>;

/**
 * `undefined` where nothing was given. `models`: further models that are given, for one subagent. Rejects as `toStartInput`
 * does; whether the input fits the run before is the client's to say.
 */
export async function toChangedInput(
  values: ChangeValues,
  options: {
    readonly installation: Installation;
    readonly problems: readonly string[];
    readonly models?: readonly string[];
  },
): Promise<ChangedInput | undefined> {
  const { installation } = options;
  const given = toGivenInput(values);
  const models = [...Object.values(given.models ?? {}), ...(options.models ?? [])];
  const prices = await readRunPrices(installation, values['--prices']);
  // A file that was named is meant as a whole; the configured one has something to say about new models alone.
  const used = values['--prices'] === undefined ? pricesOf(prices.values, models) : prices.values;
  const input: ChangedInput = {
    ...given,
    ...(values['--question'] && { question: values['--question'] }),
    ...(Object.keys(used).length > 0 && { prices: used }),
  };
  await acceptInput(installation, input, [
    ...options.problems,
    ...findIssues(input),
    ...prices.problems,
    ...(await findModelProblems(installation, input, { models, values, wantsAddress: false })),
  ]);
  return Object.keys(input).length > 0 ? input : undefined;
}

/** As part of a request whose other fields are sound. */
function findIssues(input: ChangedInput): string[] {
  const sound = { planner: 'extractive', subagent: 'extractive', synthesis: 'extractive' };
  const whole = { runId: 'unnamed', question: 'unchanged', ...input, models: { ...sound, ...input.models } };
  const parsed = researchRequestSchema.safeParse(whole);
  if (parsed.success) return [];
  return describeIssues(parsed.error, whole).map((issue) => nameFlag(issue, { question: '--question' }));
}
