/** Says a problem with a field of a request as one with the flag that sets the field. */

/** Fields of the request by the flag that sets them, where the names differ. */
const flagOfField: Readonly<Record<string, string>> = {
  runId: '--run-id',
  instructions: '--instructions',
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

/** `budget.tokens: wanted …` becomes `--budget-tokens: wanted …`; `more`: flags of this command alone. */
export function nameFlag(issue: string, more: Readonly<Record<string, string>> = {}): string {
  const [field, ...rest] = issue.split(': ');
  const flags = Object.entries({ ...flagOfField, ...more });
  const flag = flags.find(([name]) => field === name || field!.startsWith(`${name}.`));
  return [flag?.[1] ?? field, ...rest].join(': ');
}
