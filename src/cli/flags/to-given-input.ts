/** From flags to fields of a request: the one place that maps them. Only what was given is there; no defaults. */
import { resolve } from 'node:path';
import type { ChangedInput } from '../../client/research-api.ts';
import { toAbsoluteModel } from './absolute-model.ts';
import type { FlagValues } from './flag-table.ts';
import type { requestFlags } from './request-flags.ts';

type Values = Partial<FlagValues<typeof requestFlags>>;
/** Prices come out of a file, and the question is an argument of most commands. */
export type GivenInput = Omit<ChangedInput, 'prices' | 'question'>;

/** Paths are made absolute. A group of fields of which none was given is absent. */
export function toGivenInput(values: Values): GivenInput {
  const approvals = {
    ...(values['--approvals'] && { default: values['--approvals'] }),
    ...(values['--allow'] && { allow: [...values['--allow']] }),
  };
  const groups = {
    models: toModels(values),
    join: toJoin(values),
    budget: toBudget(values),
    tools: toTools(values),
    approvals,
  };
  return {
    ...Object.fromEntries(Object.entries(groups).filter(([, group]) => Object.keys(group).length > 0)),
    ...toWeb(values),
    ...(values['--instructions'] && { instructions: values['--instructions'] }),
    ...(values['--title'] && { title: values['--title'] }),
    ...(values['--tag'] && { tags: [...values['--tag']] }),
    ...(values['--tenant'] && { tenant: values['--tenant'] }),
    ...(values['--on-event'] && { onEvent: values['--on-event'] }),
    ...(values['--corpus'] !== undefined && { corpus: resolve(values['--corpus']) }),
    ...(values['--base-url'] && { baseUrl: values['--base-url'] }),
    ...(values['--attempts'] && { modelAttempts: values['--attempts'] }),
    ...(values['--max-output-tokens'] && { maxOutputTokens: values['--max-output-tokens'] }),
    ...(values['--subtask'] && { subtasks: values['--subtask'].map((goal) => ({ goal })) }),
    ...(values['--max-subagents'] && { maxSubagents: values['--max-subagents'] }),
    ...(values['--max-depth'] && { maxDepth: values['--max-depth'] }),
    ...(values['--concurrency'] && { maxConcurrency: values['--concurrency'] }),
    ...(values['--plan'] && { plan: values['--plan'] }),
    ...(values['--person-timeout'] && { personTimeout: values['--person-timeout'] }),
    ...(values['--max-turns'] && { maxTurns: values['--max-turns'] }),
    ...(values['--subagent-tokens'] && { subagentTokens: values['--subagent-tokens'] }),
    ...(values['--tool'] && { offeredTools: [...values['--tool']] }),
  };
}

/** `--model` is that of every role without a flag of its own. */
function toModels(values: Values): NonNullable<GivenInput['models']> {
  const planner = values['--planner-model'] ?? values['--model'];
  const subagent = values['--subagent-model'] ?? values['--model'];
  const synthesis = values['--synthesis-model'] ?? values['--model'];
  return {
    ...(planner !== undefined && { planner: toAbsoluteModel(planner) }),
    ...(subagent !== undefined && { subagent: toAbsoluteModel(subagent) }),
    ...(synthesis !== undefined && { synthesis: toAbsoluteModel(synthesis) }),
  };
}

function toJoin(values: Values): NonNullable<GivenInput['join']> {
  return {
    ...(values['--join'] && { kind: values['--join'] }),
    ...(values['--min-success'] !== undefined && { minSuccess: values['--min-success'] }),
    ...(values['--deadline'] && { deadline: values['--deadline'] }),
    ...(values['--progressive'] && { progressive: true }),
  };
}

function toBudget(values: Values): NonNullable<GivenInput['budget']> {
  return {
    ...(values['--budget-usd'] && { usd: values['--budget-usd'] }),
    ...(values['--budget-tokens'] && { tokens: values['--budget-tokens'] }),
    ...(values['--budget-calls'] && { toolCalls: values['--budget-calls'] }),
    ...(values['--budget-time'] && { wallClock: values['--budget-time'] }),
    ...(values['--on-exhausted'] && { onExhausted: values['--on-exhausted'] }),
  };
}

function toTools(values: Values): NonNullable<GivenInput['tools']> {
  return {
    ...(values['--tool-policy'] && { policy: values['--tool-policy'] }),
    ...(values['--max-tool-calls'] && { maxToolCallsPerTurn: values['--max-tool-calls'] }),
    ...(values['--tool-deadline'] && { callDeadline: values['--tool-deadline'] }),
    ...(values['--tool-concurrency'] && { maxConcurrency: values['--tool-concurrency'] }),
    ...(values['--tool-output-chars'] && { maxOutputChars: values['--tool-output-chars'] }),
    ...(values['--parallel-tool-calls'] !== undefined && { parallelToolCalls: values['--parallel-tool-calls'] }),
    ...(values['--batching-prompt'] !== undefined && { encourageBatching: values['--batching-prompt'] }),
  };
}

/** The web is asked for by naming a site or one of its tools. */
function toWeb(values: Values): Pick<GivenInput, 'web'> {
  const sites = values['--site'];
  const blockedSites = values['--block-site'];
  const isNamed = sites ?? blockedSites ?? values['--tool']?.find((name) => name.startsWith('web_'));
  if (isNamed === undefined) return {};
  return { web: { ...(sites && { sites: [...sites] }), ...(blockedSites && { blockedSites: [...blockedSites] }) } };
}
