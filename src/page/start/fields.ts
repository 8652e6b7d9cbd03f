/** The fields of a new run. Each is a flag of the command line and a place in the request; the rest follows from that. */
import { defaults } from '../../contract/defaults.ts';
import { formatShort } from '../../domain/format.ts';

export type Field = {
  readonly name: string;
  readonly label: string;
  readonly flag: string;
  readonly path: readonly string[];
  readonly kind: 'text' | 'number' | 'duration' | 'list' | 'switch' | 'choice' | 'lines';
  readonly group: 'budget' | 'tools' | 'models' | 'fan-out' | 'more';
  /** What is taken where nothing is written. */
  readonly fallback?: string;
  readonly choices?: readonly string[];
  readonly hint?: string;
};

export const fields: readonly Field[] = [
  {
    name: 'usd',
    label: 'Cost cap, USD',
    flag: '--budget-usd',
    path: ['budget', 'usd'],
    kind: 'number',
    group: 'budget',
    fallback: 'no limit',
  },
  {
    name: 'tokens',
    label: 'Tokens',
    flag: '--budget-tokens',
    path: ['budget', 'tokens'],
    kind: 'number',
    group: 'budget',
    fallback: formatShort(defaults.budgetTokens),
  },
  {
    name: 'toolCalls',
    label: 'Tool calls',
    flag: '--budget-calls',
    path: ['budget', 'toolCalls'],
    kind: 'number',
    group: 'budget',
    fallback: String(defaults.budgetToolCalls),
  },
  {
    name: 'wallClock',
    label: 'Time',
    flag: '--budget-time',
    path: ['budget', 'wallClock'],
    kind: 'duration',
    group: 'budget',
    fallback: '20m',
  },
  {
    name: 'onExhausted',
    label: 'At the limit',
    flag: '--on-exhausted',
    path: ['budget', 'onExhausted'],
    kind: 'choice',
    group: 'budget',
    choices: ['pause', 'finalize', 'fail'],
    fallback: 'pause',
    hint: 'pause and ask, write the report, or fail',
  },
  {
    name: 'subagentTokens',
    label: 'Tokens of one subagent',
    flag: '--subagent-tokens',
    path: ['subagentTokens'],
    kind: 'number',
    group: 'budget',
    fallback: 'an equal share',
  },

  {
    name: 'approvals',
    label: 'Calls that ask first',
    flag: '--approvals',
    path: ['approvals', 'default'],
    kind: 'choice',
    group: 'tools',
    choices: ['ask', 'deny'],
    fallback: defaults.approvals,
  },
  {
    name: 'sites',
    label: 'Web: only these sites',
    flag: '--site',
    path: ['web', 'sites'],
    kind: 'list',
    group: 'tools',
    fallback: 'any',
    hint: 'example.org, example.net',
  },
  {
    name: 'blockedSites',
    label: 'Web: never these sites',
    flag: '--block-site',
    path: ['web', 'blockedSites'],
    kind: 'list',
    group: 'tools',
    fallback: 'none',
  },
  {
    name: 'offeredTools',
    label: 'Only these tools',
    flag: '--tool',
    path: ['offeredTools'],
    kind: 'list',
    group: 'tools',
    fallback: 'all that there are',
  },
  {
    name: 'policy',
    label: 'Calls of one turn',
    flag: '--tool-policy',
    path: ['tools', 'policy'],
    kind: 'choice',
    group: 'tools',
    choices: ['parallel', 'bounded', 'sequential', 'serialize-writes'],
    fallback: defaults.toolPolicy,
  },
  {
    name: 'toolConcurrency',
    label: 'Calls at a time',
    flag: '--tool-concurrency',
    path: ['tools', 'maxConcurrency'],
    kind: 'number',
    group: 'tools',
    fallback: 'all',
  },

  {
    name: 'planner',
    label: 'Model of the plan',
    flag: '--planner-model',
    path: ['models', 'planner'],
    kind: 'text',
    group: 'models',
  },
  {
    name: 'subagent',
    label: 'Model of the subagents',
    flag: '--subagent-model',
    path: ['models', 'subagent'],
    kind: 'text',
    group: 'models',
  },
  {
    name: 'synthesis',
    label: 'Model of the report',
    flag: '--synthesis-model',
    path: ['models', 'synthesis'],
    kind: 'text',
    group: 'models',
  },
  {
    name: 'baseUrl',
    label: 'Server of compatible/ models',
    flag: '--base-url',
    path: ['baseUrl'],
    kind: 'text',
    group: 'models',
    fallback: "the worker's",
  },
  {
    name: 'maxOutputTokens',
    label: 'Tokens of one reply',
    flag: '--max-output-tokens',
    path: ['maxOutputTokens'],
    kind: 'number',
    group: 'models',
    fallback: String(defaults.maxOutputTokens),
  },
  {
    name: 'modelAttempts',
    label: 'Requests of one model call',
    flag: '--attempts',
    path: ['modelAttempts'],
    kind: 'number',
    group: 'models',
    fallback: String(defaults.modelAttempts),
  },

  {
    name: 'maxConcurrency',
    label: 'Subagents at once',
    flag: '--concurrency',
    path: ['maxConcurrency'],
    kind: 'number',
    group: 'fan-out',
    fallback: 'as limits allow',
  },
  {
    name: 'maxTurns',
    label: 'Turns of one subagent',
    flag: '--max-turns',
    path: ['maxTurns'],
    kind: 'number',
    group: 'fan-out',
    fallback: String(defaults.maxTurns),
  },
  {
    name: 'join',
    label: 'Which must succeed',
    flag: '--join',
    path: ['join', 'kind'],
    kind: 'choice',
    group: 'fan-out',
    choices: ['all', 'partial', 'first'],
    fallback: defaults.join.kind,
  },
  {
    name: 'minSuccess',
    label: 'At least this many',
    flag: '--min-success',
    path: ['join', 'minSuccess'],
    kind: 'number',
    group: 'fan-out',
    fallback: '1',
    hint: 'a number, or a share such as 50%',
  },
  {
    name: 'deadline',
    label: 'Deadline of the fan-out',
    flag: '--deadline',
    path: ['join', 'deadline'],
    kind: 'duration',
    group: 'fan-out',
    fallback: 'none',
  },
  {
    name: 'progressive',
    label: 'Drafts of the report as subagents end',
    flag: '--progressive',
    path: ['join', 'progressive'],
    kind: 'switch',
    group: 'fan-out',
  },

  {
    name: 'title',
    label: 'Title in lists',
    flag: '--title',
    path: ['title'],
    kind: 'text',
    group: 'more',
    fallback: 'the question',
  },
  {
    name: 'tags',
    label: 'Tags',
    flag: '--tag',
    path: ['tags'],
    kind: 'list',
    group: 'more',
    hint: 'separated by commas',
  },
  { name: 'tenant', label: 'Tenant', flag: '--tenant', path: ['tenant'], kind: 'text', group: 'more' },
  {
    name: 'personTimeout',
    label: 'How long it waits for a person',
    flag: '--person-timeout',
    path: ['personTimeout'],
    kind: 'duration',
    group: 'more',
    fallback: '24h',
  },
];

/** Beside these there are the question, the depth, the plan, the subtasks and the corpus, which have a look of their own. */
export const depths = {
  quick: { label: 'Quick', maxSubagents: 4, maxDepth: 1 },
  standard: { label: 'Standard', maxSubagents: 8, maxDepth: 1 },
  deep: { label: 'Deep', maxSubagents: 16, maxDepth: 2 },
} as const;
export type DepthName = keyof typeof depths | 'custom';
