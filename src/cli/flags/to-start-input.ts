/** From flags to the input of `client.start`: what was given, what the installation has for the rest, and all of it checked. */
import type { StartInput } from '../../client/research-api.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { researchRequestSchema } from '../../contract/request.ts';
import type { Installation } from '../cli-dependencies.ts';
import { toAbsoluteModel } from './absolute-model.ts';
import { acceptInput } from './accept-input.ts';
import { findModelProblems, usesServer } from './find-model-problems.ts';
import type { FlagValues } from './flag-table.ts';
import { nameFlag } from './name-flag.ts';
import { pricesOf, readRunPrices } from './read-run-prices.ts';
import type { requestFlags } from './request-flags.ts';
import { toGivenInput, type GivenInput } from './to-given-input.ts';

type Values = FlagValues<typeof requestFlags>;

/** Rejects with `INVALID_REQUEST` or `CORPUS_UNREADABLE`, one problem a line, those of `problems` first. */
export async function toStartInput(
  question: string,
  values: Values,
  options: {
    readonly installation: Installation;
    readonly problems: readonly string[];
    /** Somebody is there to raise a budget: a run without means waits instead of ending. */
    readonly isInteractive: boolean;
  },
): Promise<StartInput> {
  const { installation, isInteractive } = options;
  const given = toGivenInput(values);
  const fallback = toAbsoluteModel(installation.model);
  const roles = { planner: fallback, subagent: fallback, synthesis: fallback, ...given.models };
  const models = Object.values(roles);
  const prices = await readRunPrices(installation, values['--prices']);
  const used = pricesOf(prices.values, models);
  const baseUrl = given.baseUrl ?? (usesServer(models) ? installation.baseUrl : null);
  const input: StartInput = {
    ...given,
    question,
    models: roles,
    join: { ...given.join },
    budget: { ...(isInteractive && { onExhausted: 'pause' as const }), ...given.budget },
    tools: { ...given.tools },
    ...toWeb(given, roles.subagent),
    ...(baseUrl !== null && { baseUrl }),
    ...(Object.keys(used).length > 0 && { prices: used }),
    ...(values['--run-id'] && { runId: values['--run-id'] }),
  };
  const parsed = researchRequestSchema.safeParse({ runId: 'unnamed', ...input });
  const issues = parsed.success ? [] : describeIssues(parsed.error, input).map((issue) => nameFlag(issue));
  await acceptInput(installation, input, [
    ...options.problems,
    ...issues,
    ...prices.problems,
    ...(await findModelProblems(installation, input, { models, values, wantsAddress: true })),
  ]);
  return input;
}

/**
 * The web is offered where it is asked for, and to a language model that has no corpus to work on. A run over a folder of
 * documents does not reach out by itself.
 */
function toWeb({ web, corpus, offeredTools }: GivenInput, subagent: string): Pick<StartInput, 'web'> {
  const hasLanguage = subagent.includes('/') && !subagent.startsWith('scripted:');
  const isAlone = corpus === undefined && offeredTools === undefined && hasLanguage;
  return web || isAlone ? { web: { sites: [], blockedSites: [], ...web } } : {};
}
