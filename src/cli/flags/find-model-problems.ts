/** Says what is wrong with the models of a run, as far as it can be told before anything is started. */
import type { ChangedInput } from '../../client/research-api.ts';
import type { Installation } from '../cli-dependencies.ts';
import { scripted, toAbsoluteModel } from './absolute-model.ts';
import { findPathProblem } from './find-path-problem.ts';

const compatible = 'compatible/';
const flags = ['--model', '--planner-model', '--subagent-model', '--synthesis-model'] as const;

export function usesServer(models: readonly string[]): boolean {
  return models.some((name) => name.startsWith(compatible));
}

/**
 * One line a problem. Whether the worker has a key is the worker's to say. `wantsAddress`: a compatible model has no server
 * but the one that this call names.
 */
export async function findModelProblems(
  installation: Installation,
  input: Pick<ChangedInput, 'baseUrl' | 'prices' | 'budget'>,
  options: {
    readonly models: readonly string[];
    readonly values: { readonly [K in (typeof flags)[number]]?: string | undefined };
    readonly wantsAddress: boolean;
  },
): Promise<string[]> {
  const { models, values } = options;
  const problems: string[] = [];
  for (const name of new Set(models)) {
    if (name.startsWith(scripted)) {
      const isOf = (flag: (typeof flags)[number]) =>
        values[flag] !== undefined && toAbsoluteModel(values[flag]) === name;
      const problem = await findPathProblem(flags.find(isOf) ?? '--model', name.slice(scripted.length), 'file');
      if (problem !== null) problems.push(problem);
    }
    if (options.wantsAddress && name.startsWith(compatible) && input.baseUrl === undefined) {
      problems.push(`--base-url: wanted the address of the server of ${name}, or TRIBUTARY_BASE_URL, came nothing`);
    }
    const isPriced = async () => (await installation.ratesOf({ model: name, price: input.prices?.[name] })) !== null;
    if (input.budget?.usd !== undefined && !(await isPriced())) {
      problems.push(
        `--budget-usd: the price of ${name} is not known; give it in a file with --prices: {"${name}": {"input": 1.25, "output": 10}} (USD per million tokens)`,
      );
    }
  }
  return problems;
}
