/** From flags to the input of `client.start`: paths made absolute, everything checked before anything starts. */
import { resolve } from 'node:path';
import type { StartInput } from '../../client/research-api.ts';
import { failureCodeOf, TributaryError, type FailureCode } from '../../contract/failure.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { researchRequestSchema } from '../../contract/request.ts';
import type { Installation } from '../cli-dependencies.ts';
import { findModelProblems } from './find-model-problems.ts';
import { findPathProblem } from './find-path-problem.ts';
import type { FlagValues } from './flag-table.ts';
import type { requestFlags } from './request-flags.ts';

const scripted = 'scripted:';
const compatible = 'compatible/';

/** Fields of the request by the flag that sets them, where the names differ. */
const flagOfField: Readonly<Record<string, string>> = {
  runId: '--run-id',
  tags: '--tag',
  subtasks: '--subtask',
  'models.planner': '--planner-model',
  'models.subagent': '--subagent-model',
  'models.synthesis': '--synthesis-model',
  baseUrl: '--base-url',
  prices: '--prices',
  'web.sites': '--site',
  'web.blockedSites': '--block-site',
  offeredTools: '--tool',
  maxOutputTokens: '--max-output-tokens',
  modelAttempts: '--attempts',
  'tools.maxOutputChars': '--tool-output-chars',
  'budget.usd': '--budget-usd',
  'budget.tokens': '--budget-tokens',
  'budget.toolCalls': '--budget-calls',
  'budget.wallClock': '--budget-time',
  subagentTokens: '--subagent-tokens',
  maxSubagents: '--max-subagents',
  maxDepth: '--max-depth',
  maxConcurrency: '--concurrency',
  maxTurns: '--max-turns',
  'join.kind': '--join',
  'join.minSuccess': '--min-success',
  'join.deadline': '--deadline',
  'budget.onExhausted': '--on-exhausted',
  'join.progressive': '--progressive',
  plan: '--plan',
  'approvals.default': '--approvals',
  'approvals.allow': '--allow',
  personTimeout: '--person-timeout',
  onEvent: '--on-event',
  'tools.maxToolCallsPerTurn': '--max-tool-calls',
  'tools.callDeadline': '--tool-deadline',
  'tools.policy': '--tool-policy',
  'tools.maxConcurrency': '--tool-concurrency',
  title: '--title',
  tenant: '--tenant',
  corpus: '--corpus',
};

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
  const { installation } = options;
  const models = toModels(values, installation.model);
  const corpus = values['--corpus'] === undefined ? undefined : resolve(values['--corpus']);
  const prices = await readPrices(installation, values['--prices']);
  const input = toInput(question, values, {
    models,
    corpus,
    prices: prices.values,
    baseUrl: installation.baseUrl,
    isInteractive: options.isInteractive,
  });
  const parsed = researchRequestSchema.safeParse({ runId: 'unnamed', ...input });
  const issues = parsed.success ? [] : describeIssues(parsed.error, input).map(nameFlag);
  const corpusProblem = corpus === undefined ? null : await findPathProblem('--corpus', corpus, 'folder');
  const others = [
    ...options.problems,
    ...issues,
    ...prices.problems,
    ...(await findModelProblems(installation, input)),
  ];
  const problems = [...others, ...(corpusProblem === null ? [] : [corpusProblem])];
  if (problems.length === 0) {
    if (input.onEvent?.kind === 'command') await installation.allowCommand(input.onEvent.command);
    return input;
  }
  const code: FailureCode = others.length === 0 ? 'CORPUS_UNREADABLE' : 'INVALID_REQUEST';
  throw new TributaryError(code, [...new Set(problems)].join('\n'));
}

type Models = NonNullable<StartInput['models']>;
type Prices = NonNullable<StartInput['prices']>;

function toModels(values: Values, fallback: string): Models {
  const model = toAbsoluteModel(values['--model'] ?? fallback);
  const of = (name: string | undefined) => (name === undefined ? model : toAbsoluteModel(name));
  return {
    planner: of(values['--planner-model']),
    subagent: of(values['--subagent-model']),
    synthesis: of(values['--synthesis-model']),
  };
}

async function readPrices(installation: Installation, path: string | undefined) {
  try {
    const prices = await installation.readPrices(path === undefined ? undefined : resolve(path));
    // A script is named by its absolute path in a run, and as the user likes in the file.
    const values = Object.entries(prices).map(([name, price]) => [toAbsoluteModel(name), price] as const);
    return { values: Object.fromEntries(values) as Prices, problems: [] };
  } catch (error) {
    if (failureCodeOf(error) !== 'INVALID_REQUEST') throw error;
    return { values: {}, problems: (error as Error).message.split('\n').map((line) => `--prices: ${line}`) };
  }
}

function toInput(
  question: string,
  values: Values,
  known: {
    readonly models: Models;
    readonly corpus: string | undefined;
    readonly prices: Prices;
    readonly baseUrl: string | null;
    readonly isInteractive: boolean;
  },
): StartInput {
  const join = {
    ...(values['--join'] && { kind: values['--join'] }),
    ...(values['--min-success'] !== undefined && { minSuccess: values['--min-success'] }),
    ...(values['--deadline'] && { deadline: values['--deadline'] }),
    ...(values['--progressive'] && { progressive: true }),
  };
  const budget = {
    ...(values['--budget-usd'] && { usd: values['--budget-usd'] }),
    ...(values['--budget-tokens'] && { tokens: values['--budget-tokens'] }),
    ...(values['--budget-calls'] && { toolCalls: values['--budget-calls'] }),
    ...(values['--budget-time'] && { wallClock: values['--budget-time'] }),
    ...(values['--on-exhausted'] && { onExhausted: values['--on-exhausted'] }),
    ...(!values['--on-exhausted'] && known.isInteractive && { onExhausted: 'pause' as const }),
  };
  const tools = {
    ...(values['--tool-policy'] && { policy: values['--tool-policy'] }),
    ...(values['--max-tool-calls'] && { maxToolCallsPerTurn: values['--max-tool-calls'] }),
    ...(values['--tool-deadline'] && { callDeadline: values['--tool-deadline'] }),
    ...(values['--tool-concurrency'] && { maxConcurrency: values['--tool-concurrency'] }),
    ...(values['--tool-output-chars'] && { maxOutputChars: values['--tool-output-chars'] }),
    ...(values['--parallel-tool-calls'] !== undefined && { parallelToolCalls: values['--parallel-tool-calls'] }),
    ...(values['--batching-prompt'] !== undefined && { encourageBatching: values['--batching-prompt'] }),
  };
  const { models, corpus, prices } = known;
  const used = Object.fromEntries(Object.entries(prices).filter(([name]) => Object.values(models).includes(name)));
  const baseUrl = values['--base-url'] ?? (usesServer(models) ? known.baseUrl : null);
  return {
    question,
    models,
    join,
    budget,
    tools,
    ...(values['--plan'] && { plan: values['--plan'] }),
    ...((values['--approvals'] || values['--allow']) && {
      approvals: {
        ...(values['--approvals'] && { default: values['--approvals'] }),
        ...(values['--allow'] && { allow: [...values['--allow']] }),
      },
    }),
    ...(values['--person-timeout'] && { personTimeout: values['--person-timeout'] }),
    ...(values['--on-event'] && { onEvent: values['--on-event'] }),
    ...(baseUrl !== null && { baseUrl }),
    ...(Object.keys(used).length > 0 && { prices: used }),
    ...(values['--run-id'] && { runId: values['--run-id'] }),
    ...(values['--title'] && { title: values['--title'] }),
    ...(values['--tag'] && { tags: [...values['--tag']] }),
    ...(values['--tenant'] && { tenant: values['--tenant'] }),
    ...(values['--subtask'] && { subtasks: values['--subtask'].map((goal) => ({ goal })) }),
    ...(corpus !== undefined && { corpus }),
    ...toWeb(values, models),
    ...(values['--tool'] && { offeredTools: [...values['--tool']] }),
    ...(values['--subagent-tokens'] && { subagentTokens: values['--subagent-tokens'] }),
    ...(values['--max-subagents'] && { maxSubagents: values['--max-subagents'] }),
    ...(values['--max-depth'] && { maxDepth: values['--max-depth'] }),
    ...(values['--concurrency'] && { maxConcurrency: values['--concurrency'] }),
    ...(values['--max-turns'] && { maxTurns: values['--max-turns'] }),
    ...(values['--max-output-tokens'] && { maxOutputTokens: values['--max-output-tokens'] }),
    ...(values['--attempts'] && { modelAttempts: values['--attempts'] }),
  };
}

/**
 * The web is offered where it is asked for (a site, a web tool), and to a language model that has no corpus to work on.
 * A run over a folder of documents does not reach out by itself.
 */
function toWeb(values: Values, { subagent }: Models): Pick<StartInput, 'web'> {
  const named = values['--site'] ?? values['--block-site'];
  const isNamed = named !== undefined || values['--tool']?.some((name) => name.startsWith('web_'));
  const hasLanguage = subagent.includes('/') && !subagent.startsWith(scripted);
  const isAlone = values['--corpus'] === undefined && values['--tool'] === undefined && hasLanguage;
  if (!isNamed && !isAlone) return {};
  return { web: { sites: [...(values['--site'] ?? [])], blockedSites: [...(values['--block-site'] ?? [])] } };
}

function usesServer(models: Models): boolean {
  return Object.values(models).some((name) => name.startsWith(compatible));
}

function toAbsoluteModel(name: string): string {
  return name.startsWith(scripted) ? scripted + resolve(name.slice(scripted.length)) : name;
}

function nameFlag(issue: string): string {
  const [field, ...rest] = issue.split(': ');
  const flag = Object.entries(flagOfField).find(([name]) => field === name || field!.startsWith(`${name}.`));
  return [flag?.[1] ?? field, ...rest].join(': ');
}
