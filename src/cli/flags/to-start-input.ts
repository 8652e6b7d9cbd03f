/** From flags to the input of `client.start`: paths made absolute, everything checked before anything starts. */
import { resolve } from 'node:path';
import type { StartInput } from '../../client/research-api.ts';
import { TributaryError, type FailureCode } from '../../contract/failure.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { researchRequestSchema } from '../../contract/request.ts';
import { findPathProblem } from './find-path-problem.ts';
import type { FlagValues } from './flag-table.ts';
import type { requestFlags } from './request-flags.ts';

const scripted = 'scripted:';

/** Fields of the request by the flag that sets them, where the names differ. */
const flagOfField: Readonly<Record<string, string>> = {
  runId: '--run-id',
  tags: '--tag',
  subtasks: '--subtask',
  models: '--model',
  'budget.tokens': '--budget-tokens',
  'budget.toolCalls': '--budget-calls',
  'budget.wallClock': '--budget-time',
  subagentTokens: '--subagent-tokens',
  maxSubagents: '--max-subagents',
  maxConcurrency: '--concurrency',
  maxTurns: '--max-turns',
  'join.kind': '--join',
  'join.minSuccess': '--min-success',
  'join.deadline': '--deadline',
  'tools.policy': '--tool-policy',
  'tools.maxConcurrency': '--tool-concurrency',
  title: '--title',
  corpus: '--corpus',
};

type Values = FlagValues<typeof requestFlags>;

/** Rejects with `INVALID_REQUEST` or `CORPUS_UNREADABLE`, one problem a line, those of `problems` first. */
export async function toStartInput(
  question: string,
  values: Values,
  options: { readonly model: string; readonly problems: readonly string[] },
): Promise<StartInput> {
  const model = toAbsoluteModel(values['--model'] ?? options.model);
  const corpus = values['--corpus'] === undefined ? undefined : resolve(values['--corpus']);
  const input = toInput(question, values, model, corpus);
  const parsed = researchRequestSchema.safeParse({ runId: 'unnamed', ...input });
  const issues = parsed.success ? [] : describeIssues(parsed.error, input).map(nameFlag);
  const modelProblem = model.startsWith(scripted)
    ? await findPathProblem('--model', model.slice(scripted.length), 'file')
    : null;
  const corpusProblem = corpus === undefined ? null : await findPathProblem('--corpus', corpus, 'folder');
  const others = [...options.problems, ...issues, ...(modelProblem === null ? [] : [modelProblem])];
  const problems = [...others, ...(corpusProblem === null ? [] : [corpusProblem])];
  if (problems.length === 0) return input;
  const code: FailureCode = others.length === 0 ? 'CORPUS_UNREADABLE' : 'INVALID_REQUEST';
  throw new TributaryError(code, [...new Set(problems)].join('\n'));
}

function toInput(question: string, values: Values, model: string, corpus: string | undefined): StartInput {
  const join = {
    ...(values['--join'] && { kind: values['--join'] }),
    ...(values['--min-success'] !== undefined && { minSuccess: values['--min-success'] }),
    ...(values['--deadline'] && { deadline: values['--deadline'] }),
  };
  const budget = {
    ...(values['--budget-tokens'] && { tokens: values['--budget-tokens'] }),
    ...(values['--budget-calls'] && { toolCalls: values['--budget-calls'] }),
    ...(values['--budget-time'] && { wallClock: values['--budget-time'] }),
  };
  const tools = {
    ...(values['--tool-policy'] && { policy: values['--tool-policy'] }),
    ...(values['--tool-concurrency'] && { maxConcurrency: values['--tool-concurrency'] }),
  };
  return {
    question,
    models: { planner: model, subagent: model, synthesis: model },
    join,
    budget,
    tools,
    ...(values['--run-id'] && { runId: values['--run-id'] }),
    ...(values['--title'] && { title: values['--title'] }),
    ...(values['--tag'] && { tags: [...values['--tag']] }),
    ...(values['--subtask'] && { subtasks: values['--subtask'].map((goal) => ({ goal })) }),
    ...(corpus !== undefined && { corpus }),
    ...(values['--subagent-tokens'] && { subagentTokens: values['--subagent-tokens'] }),
    ...(values['--max-subagents'] && { maxSubagents: values['--max-subagents'] }),
    ...(values['--concurrency'] && { maxConcurrency: values['--concurrency'] }),
    ...(values['--max-turns'] && { maxTurns: values['--max-turns'] }),
  };
}

function toAbsoluteModel(name: string): string {
  return name.startsWith(scripted) ? scripted + resolve(name.slice(scripted.length)) : name;
}

function nameFlag(issue: string): string {
  const [field, ...rest] = issue.split(': ');
  const flag = Object.entries(flagOfField).find(([name]) => field === name || field!.startsWith(`${name}.`));
  return [flag?.[1] ?? field, ...rest].join(': ');
}
