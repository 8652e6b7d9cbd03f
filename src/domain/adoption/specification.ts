/** What a subagent's answer depends on, and what has changed between two runs. */
import type { Specification } from '../../contract/adopt.ts';
import type { ResearchRequest } from '../../contract/request.ts';
import { canonicalJson } from '../canonical-json.ts';
import { previewText } from '../text.ts';

/** `tools`: names of those that the run has. */
export function toSpecification(
  request: ResearchRequest,
  { tools, promptVersion }: { readonly tools: readonly string[]; readonly promptVersion: number },
): Specification {
  const { question, instructions, corpus, web, models, baseUrl, maxDepth } = request;
  return {
    question,
    ...(instructions !== undefined && { instructions }),
    ...(corpus !== undefined && { corpus }),
    ...(web && { web }),
    tools: tools.toSorted(),
    model: models.subagent,
    ...(baseUrl !== undefined && { baseUrl }),
    maxDepth,
    promptVersion,
  };
}

const words: Readonly<Record<keyof Specification, string>> = {
  question: 'the question',
  instructions: 'the instructions',
  corpus: 'the corpus',
  web: 'what the web may be used for',
  tools: 'the tools',
  model: 'the model',
  baseUrl: 'the address of the model',
  maxDepth: 'the number of levels',
  promptVersion: 'the version of the prompts',
};

/** What is different, for people; none where the work is the same. */
export function diffSpecification(before: Specification, now: Specification): string[] {
  const keys = Object.keys(words) as (keyof Specification)[];
  return keys
    .filter((key) => canonicalJson(before[key]) !== canonicalJson(now[key]))
    .map((key) => `${words[key]} changed from ${show(before[key])} to ${show(now[key])}`);
}

function show(value: Specification[keyof Specification]): string {
  if (value === undefined) return 'none';
  return previewText(typeof value === 'string' ? value : canonicalJson(value), 60);
}
