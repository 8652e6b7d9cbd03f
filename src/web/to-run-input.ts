/**
 * What a request asks a run to do, made fit to be started: a corpus by its configured name, the installation's model and
 * prices, and nothing that would reach files, addresses or programs unless the operator said so.
 */
import { TributaryError } from '../contract/failure.ts';
import type { ChangedInput, StartInput } from '../client/research-api.ts';
import { toModelName } from './hide-paths.ts';
import type { Acceptable, WebOptions } from './web-options.ts';

type Setup = Pick<WebOptions, 'corpora' | 'defaultModel' | 'prices' | 'accept'>;

export function toStartInput(body: StartInput, setup: Setup): StartInput {
  const { defaultModel, prices = {} } = setup;
  const changed = toChangedInput(body, setup);
  const models = changed.models ?? {};
  const { planner = defaultModel, subagent = defaultModel, synthesis = defaultModel } = models;
  const used = Object.entries(prices).filter(([name]) => [planner, subagent, synthesis].includes(name));
  return {
    ...(changed as StartInput),
    models: { planner, subagent, synthesis },
    ...(used.length > 0 && { prices: { ...Object.fromEntries(used), ...body.prices } }),
  };
}

/** Throws `INVALID_REQUEST` with everything that is refused. */
export function toChangedInput(input: ChangedInput, setup: Setup): ChangedInput {
  const problems = findProblems(input, setup);
  if (problems.length > 0) throw new TributaryError('INVALID_REQUEST', `research request: ${problems.join('; ')}`);
  const { corpora, defaultModel } = setup;
  const toModel = (name: string) => (name === toModelName(defaultModel) ? defaultModel : name);
  const models = Object.entries(input.models ?? {}).map(([role, name]) => [role, toModel(name)] as const);
  return {
    ...input,
    ...(input.corpus !== undefined && { corpus: corpora[input.corpus]! }),
    ...(input.models && { models: Object.fromEntries(models) }),
  };
}

function findProblems({ corpus, models = {}, baseUrl, onEvent }: ChangedInput, setup: Setup): string[] {
  const { corpora, defaultModel, accept } = setup;
  const problems: string[] = [];
  if (corpus !== undefined && !Object.hasOwn(corpora, corpus)) {
    const names = Object.keys(corpora);
    const wanted = names.length === 0 ? 'wanted none: no corpus is configured' : `wanted one of ${names.join(', ')}`;
    problems.push(`corpus: ${wanted}, came ${JSON.stringify(corpus.slice(0, 60))}`);
  }
  const refuse = (what: Acceptable, field: string, why: string) => {
    if (!accept.includes(what))
      problems.push(`${field}: ${why} over HTTP, unless the server is started with --accept ${what}`);
  };
  for (const [role, name] of Object.entries(models)) {
    const isScript = name?.startsWith('scripted:') && name !== toModelName(defaultModel) && name !== defaultModel;
    if (isScript) refuse('scripted', `models.${role}`, 'a model that is a file is not accepted');
  }
  if (baseUrl !== undefined) refuse('base-url', 'baseUrl', 'an address of a model is not accepted');
  if (onEvent?.kind === 'webhook') refuse('webhook', 'onEvent', 'an address to call is not accepted');
  if (onEvent?.kind === 'command') refuse('command', 'onEvent', 'a command is not accepted');
  return problems;
}
