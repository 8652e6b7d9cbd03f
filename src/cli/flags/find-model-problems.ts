/** Says what is wrong with the models of a run, as far as it can be told before anything is started. */
import type { StartInput } from '../../client/research-api.ts';
import type { Installation } from '../cli-dependencies.ts';
import { findPathProblem } from './find-path-problem.ts';

const scripted = 'scripted:';
const compatible = 'compatible/';

/** One line a problem. Whether the worker has a key is the worker's to say. */
export async function findModelProblems(installation: Installation, input: StartInput): Promise<string[]> {
  const problems: string[] = [];
  const names = [...new Set(Object.values(input.models!))];
  for (const name of names) {
    if (name.startsWith(scripted)) {
      const problem = await findPathProblem('--model', name.slice(scripted.length), 'file');
      if (problem !== null) problems.push(problem);
    }
    if (name.startsWith(compatible) && input.baseUrl === undefined) {
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
