/** One full and, where fields may be absent, one bare sample of every schema of the contract. */

const hash = 'ab'.repeat(32);
const ref = { hash, bytes: 1_234 };
const head = { hash, messages: 4, bytes: 9_000, knownTokens: 1_200 };
const usage = {
  inputTokens: 1_000,
  outputTokens: 200,
  tokens: 1_200,
  usd: 0.012,
  toolCalls: 3,
  wallClockMs: 4_500,
  estimated: false,
};
const unpricedUsage = { ...usage, usd: null, estimated: true };
const callUsage = {
  requests: 2,
  inputTokens: 1_000,
  outputTokens: 200,
  usd: null,
  lost: 1,
  requestTokens: 5_000,
  requestUsd: 0.02,
};
const meter = { spent: 1, reserved: 2, remaining: 3, limit: 6 };
const usdMeter = { spent: 3.82, reserved: 0.4, remaining: 0.78, limit: 5 };
const budget = { tokens: meter, toolCalls: meter, wallClockMs: meter, usd: usdMeter };
const amounts = { tokens: 50_000, toolCalls: 20, microUsd: 1_500_000 };
const price = { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 1.5 };
const rates = { input: 1.5, output: 10 };
const web = { sites: ['example.org'], blockedSites: ['example.com'] };
const claim = { text: 'Größe zählt 😀', sourceId: 'd-0123456789', quote: 'size\ncounts' };
const report = { summary: 'What was found', claims: [claim], tried: ['the index'], failed: ['one file'] };
const source = { id: 'd-0123456789', url: 'corpus:a%20b.md', title: 'A | B', contents: [ref] };
const sourceView = { id: source.id, url: source.url, title: source.title, by: 's1' };
const citation = { marker: '[1]', sourceId: source.id, quote: claim.quote, verified: true };
const gap = { subagentId: 's2', goal: 'the other half', status: 'failed', reason: 'provider' };
const tool = { name: 'corpus_search', effect: 'read', session: false, idempotent: false, asksFirst: true };
const approvals = { default: 'deny', allow: [{ tool: 'note', args: { kind: 'draft' } }, { tool: 'corpus_search' }] };
const approvalOutcome = { id: 'ap_1', decision: 'denied', by: 'me@here', at: '2026-11-30T12:00:00.000Z', reason: 'no' };
const times = {
  requestedAt: '2026-11-30T12:00:00.000Z',
  acknowledgedAt: '2026-11-30T12:00:00.100Z',
  lastSocketClosedAt: '2026-11-30T12:00:00.200Z',
  openSockets: 0,
  tokensAfter: 1_234,
  estimated: true,
};
const letGo = { callId: 't1c1', tool: 'note' };
const runCancel = {
  ...times,
  subagents: 3,
  stopped: 2,
  stoppedAt: null,
  mayStillRun: [
    { ...letGo, subagentId: 's1' },
    { ...letGo, subagentId: null },
  ],
};
const ceiling = { tokens: 1_000_000, usd: 25, toolCalls: 500, wallClockMs: 3_600_000 };
const delegation = { maxDepth: 2, maxSubtasks: 4, maxConcurrency: 2 };
const toolOptions = {
  policy: 'bounded',
  maxConcurrency: 2,
  maxToolCallsPerTurn: 8,
  overflow: 'reject',
  onFailure: 'cancel-siblings',
  stopOnFailure: true,
  parallelToolCalls: false,
  encourageBatching: false,
  maxOutputChars: 8_000,
  callDeadline: 30_000,
  batchDeadline: 60_000,
};
const call = { callId: 't1c2', name: 'corpus_search', arguments: { query: 'q', deep: { list: [1, null, 'x'] } } };
const result = { callId: 't1c1', name: 'corpus_read', isError: false, content: { ref } };
const message = { role: 'assistant', text: 'thinking', toolCalls: [call], provider: [{ signature: 'c2ln' }] };
const choice = { model: 'compatible/m', baseUrl: 'http://127.0.0.1:11434/v1', price, rates };
const bounds = {
  ...choice,
  maxOutputTokens: 4_096,
  maxSpendTokens: 20_000,
  maxSpendMicroUsd: 90_000,
  attempts: 4,
};
const plannedCall = {
  callId: 't1c1',
  name: 'corpus_search',
  argumentsPreview: '{"query":"q"}',
  argumentsHash: hash,
  problem: 'the arguments were refused',
  ask: { input: '{"query":"q"}' },
};
const plan = { subtasks: [{ id: 's1', goal: 'one' }], notes: ['plan: 1 subtask was dropped'] };
const document = { report: '# Q\n\ntext [1]\n', citations: [citation], sources: [sourceView] };
const summary = {
  id: 's1',
  goal: 'one',
  status: 'cancelled',
  reason: 'join',
  message: 'not needed',
  notNeeded: true,
  usage,
  turns: 2,
  toolCalls: 3,
  reusedFrom: 'run-0',
  again: 'the model changed',
};
const lineage = { kind: 'rerun', runId: 'run-0', from: 's2' };
const recorded = {
  runId: 'run-1',
  status: 'partial',
  question: 'Why?',
  gaps: [gap],
  notes: ['a note'],
  usage,
  origin: { ...lineage, spent: usage },
  budget,
  toolCallsPerMessage: 1.5,
  subagents: [summary],
  drafts: [{ number: 1, documentRef: ref, subagents: ['s1'] }],
  failure: { code: 'JOIN_UNMET', message: '1 of 2' },
  cancel: runCancel,
};
const runResult = { ...recorded, ...document, type: 'result', exitCode: 5 };
const stopped = { id: 's1', usage, turns: 2, toolCalls: 3, toolCallMessages: 1, transcript: head };
const edit = { goal: 'another', model: 'vendor/model-2', instructions: 'Hurry.' };
const origin = { ...lineage, firstRunId: '0199', reuse: ['s1'], edits: { s2: edit } };
const outcome = {
  id: 's2',
  status: 'done',
  report,
  reportRef: ref,
  usage,
  turns: 2,
  toolCalls: 3,
  toolCallMessages: 1,
  transcript: head,
};
const specification = {
  question: 'Why?',
  instructions: 'Be brief.',
  corpus: '/srv/docs',
  web,
  tools: ['corpus_search'],
  model: 'vendor/model-1',
  baseUrl: 'http://127.0.0.1:11434/v1',
  maxDepth: 1,
  promptVersion: 1,
};
const resume = {
  head,
  turns: 2,
  calls: [plannedCall],
  results: [result],
  begun: ['t1c2'],
  sources: [source],
  below: [ref],
};
const carriedAgent = {
  maxTurns: 10,
  turns: 4,
  stopping: 'loop',
  truncatedTurns: 0,
  malformedTurns: 1,
  recentBatches: ['corpus_search:ab'],
  toolCalls: 7,
  toolCallMessages: 3,
};
const carriedLedger = {
  total: amounts,
  accounts: { work: { reserved: amounts, spent: amounts, overdrawn: { tokens: 0, toolCalls: 0, microUsd: 0 } } },
};
const carry = {
  startedAtMs: 1_790_000_000_000,
  workedMs: 4_000,
  agent: carriedAgent,
  ledger: carriedLedger,
  handBack: amounts,
  usage,
  head,
  results: [result],
  note: 'truncated',
  sources: [source],
  below: [ref],
  delegated: 2,
  topUps: 1,
};
const request = {
  runId: 'run-1',
  question: 'Why? 😀',
  instructions: 'Be brief.',
  title: 'A title',
  tags: ['a', 'b'],
  tenant: 'acme',
  subtasks: [{ goal: 'one' }, { goal: 'two' }],
  corpus: '/srv/docs',
  models: { planner: 'extractive', subagent: 'scripted:a.yaml', synthesis: 'vendor/model-1' },
  web,
  offeredTools: ['web_fetch'],
  baseUrl: 'http://127.0.0.1:11434/v1',
  prices: { 'vendor/model-1': price },
  maxOutputTokens: 2_048,
  budget: { usd: 5, tokens: 50_000, toolCalls: 40, wallClock: 60_000, onExhausted: 'finalize', synthesisReserve: 0.2 },
  subagentTokens: 9_000,
  subagentWallClock: 30_000,
  maxSubagents: 3,
  maxDepth: 2,
  maxConcurrency: 2,
  join: { kind: 'partial', minSuccess: '50%', deadline: 45_000, progressive: true },
  plan: 'review',
  approvals,
  personTimeout: 3_600_000,
  onEvent: { kind: 'webhook', url: 'https://hooks.example.org/tributary' },
  tools: toolOptions,
  maxTurns: 5,
  modelAttempts: 2,
  origin,
};

const webhook = { kind: 'webhook', url: 'https://hooks.example.org/tributary' };
const onCommand = { kind: 'command', command: ['notify-send', 'Größe', ''] };
const needs = [{ kind: 'plan' }, { kind: 'approval', approvalId: 'ap_1', subagentId: 's1' }, { kind: 'budget' }];
const noticeOf = (ordinal: number) => ({
  runId: 'run-1',
  title: ordinal === 1 ? null : 'A title',
  ordinal,
  at: '2026-11-30T12:00:00.000Z',
});
const notices = [
  { type: 'run-needs-person', ...noticeOf(1), status: 'awaiting-approval', need: needs[1] },
  { type: 'run-ended', ...noticeOf(2), status: 'partial' },
];

/** By the name of the schema's export. */
export const samples: Readonly<Record<string, readonly unknown[]>> = {
  countSchema: [0, Number.MAX_SAFE_INTEGER],
  usageSchema: [usage, unpricedUsage],
  amountsSchema: [amounts],
  meterSchema: [meter],
  usdMeterSchema: [usdMeter],
  modelPriceSchema: [price, { input: 0, output: 0 }],
  ratesSchema: [rates],
  cancelProofSchema: [
    { abortedAt: times.requestedAt, socketsClosed: 2, socketsOpen: 1, lastSocketClosedAt: null },
    { abortedAt: times.requestedAt, socketsClosed: 2, socketsOpen: 0, lastSocketClosedAt: times.lastSocketClosedAt },
  ],
  subagentCancelSchema: [
    { ...times, mayStillRun: [letGo] },
    { ...times, acknowledgedAt: null, mayStillRun: [] },
  ],
  runCancelSchema: [runCancel],
  budgetCeilingSchema: [ceiling, {}],
  budgetRaiseSchema: [{ tokens: 1_000, usd: 0.5, toolCalls: 5, wallClock: 60_000 }],
  addBudgetInputSchema: [{ add: { tokens: 1_000 }, subagentId: 's2', reason: 'more', by: 'me@here' }],
  finalizeInputSchema: [{ reason: 'enough', by: 'me@here' }],
  planEditSchema: [
    { op: 'add', goal: 'three', after: 's1' },
    { op: 'edit', id: 's1', goal: 'one, better' },
    { op: 'remove', id: 's2' },
  ],
  approvePlanInputSchema: [{ edits: [{ op: 'remove', id: 's2' }], by: 'me@here' }],
  revisePlanInputSchema: [{ feedback: 'shorter', by: 'me@here' }],
  approvalIdSchema: ['ap_1', 'ap_12'],
  approvalRuleSchema: [{ tool: 'note', args: { kind: 'draft' } }],
  approvalAskSchema: [{ subagentId: 's1', callId: 't1c1', tool: 'note', input: '{}' }],
  decideApprovalInputSchema: [
    { id: 'ap_1', decision: 'approved', args: { a: 1 }, remember: 'run', reason: 'fine', by: 'me@here' },
  ],
  approvalOutcomeSchema: [approvalOutcome],
  approvalAnswerSchema: [{ ...approvalOutcome, callId: 't1c1', args: { a: 1 } }],
  personWaitSchema: [{ subagentId: 's1.2', isWaiting: true }],
  topUpAskSchema: [{ subagentId: 's1', ordinal: 1, wanted: amounts }],
  topUpAnswerSchema: [
    { ordinal: 1, granted: amounts },
    { ordinal: 2, granted: null },
  ],
  tenantSchema: ['acme', 'team-7.eu_west'],
  rateLimitSchema: [{ rpm: 600, tpm: 100_000, tenantRpm: 60 }, { tpm: 1 }],
  rateLimitNameSchema: ['anthropic', 'openai/gpt-5'],
  rateLimitsSchema: [{ anthropic: { rpm: 50 }, 'openai/gpt-5': { rpm: 600, tpm: 100_000 } }],
  baseUrlSchema: ['https://models.example.org/v1'],
  webPolicySchema: [web],
  onEventSchema: [webhook, onCommand],
  runNeedSchema: [...needs, { kind: 'budget', subagentId: 's2' }],
  runNoticeSchema: notices,
  notifyStepSchema: [
    { onEvent: webhook, notice: notices[0] },
    { onEvent: onCommand, notice: notices[1] },
  ],
  modelChoiceSchema: [choice, { model: 'extractive' }],
  budgetStateSchema: [budget],
  callUsageSchema: [callUsage],
  durationSchema: [1, 90_000],
  failureSchema: [{ code: 'MODEL_RATE_LIMIT', message: 'slow down', retryAfterMs: 2_000 }],
  runIdSchema: ['run-1', `r${'x'.repeat(63)}`],
  subagentIdSchema: ['s1', 's12.3'],
  outlineEntrySchema: [{ url: 'corpus:a.md', title: 'A', headings: ['One'], score: 0.5 }],
  synthesisInputSchema: [{ id: 's1', goal: 'one', status: 'partial', reason: 'budget', report, claimIds: ['s1.1'] }],
  finishReasonSchema: ['stop'],
  modelUsageSchema: [
    { inputTokens: 9, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 1 },
    { inputTokens: 1, outputTokens: 2 },
  ],
  outcomeStatusSchema: ['timed-out'],
  outcomeReasonSchema: ['max-turns'],
  claimSchema: [claim],
  subagentReportSchema: [report],
  sourceSchema: [source],
  storedReportSchema: [{ report, sources: [source] }],
  subagentOutcomeSchema: [
    {
      id: 's1',
      status: 'failed',
      reason: 'provider',
      message: 'gone',
      report: null,
      reportRef: null,
      usage,
      turns: 1,
      toolCalls: 0,
      toolCallMessages: 0,
      transcript: null,
    },
    outcome,
  ],
  reuseSchema: ['finished', 'none', ['s1', 's2']],
  rerunPointSchema: ['plan', 'synthesis', 's3'],
  subagentEditSchema: [edit, {}],
  originSchema: [origin, { kind: 'retry', runId: 'run-0', firstRunId: '0199', reuse: 'finished' }],
  lineageSchema: [lineage, { kind: 'retry', runId: 'run-0' }],
  continuedSchema: [{ id: 's2.1' }],
  carriedAgentSchema: [carriedAgent, { ...carriedAgent, stopping: null }],
  carriedLedgerSchema: [carriedLedger],
  carrySchema: [carry, { ...carry, head: null }],
  resumeSchema: [resume],
  specificationSchema: [specification],
  adoptStepSchema: [{ runId: 'run-1', storeId: 'store_1', origin, specification, goals: ['one'] }],
  adoptionSchema: [
    { kind: 'reuse', id: 's2', reusedFrom: 'run-0', outcome },
    { kind: 'continue', id: 's1', why: 'it was cancelled', resumeRef: ref },
    { kind: 'anew', id: 's3', why: 'the model changed' },
  ],
  adoptResultSchema: [
    { spent: usage, plan: null, subagents: [], drafts: [], notes: [] },
    {
      spent: usage,
      plan: [{ id: 's3', goal: 'three' }],
      subagents: [{ kind: 'anew', id: 's3', why: 'it failed' }],
      drafts: [{ number: 1, documentRef: ref, subagents: ['s1'] }],
      notes: ['done again: s3'],
    },
  ],
  readLeftWorkStepSchema: [{ runId: 'run-1', id: 's2', storeId: 'store_1' }],
  readLeftWorkResultSchema: [
    { resumeRef: ref, delegated: 2 },
    { resumeRef: null, delegated: 0 },
  ],
  retrySubagentInputSchema: [
    { id: 's2', budget: { tokens: 5_000 }, by: 'me@here' },
    { id: 's3', by: 'me@here' },
  ],
  loadResumeStepSchema: [{ storeId: 'store_1', resumeRef: ref }],
  subagentRecordSchema: [
    { id: 's2', goal: 'two', outcome, reusedFrom: 'run-0', resume },
    { id: 's3', goal: 'three', outcome, resume: null },
  ],
  runRecordSchema: [
    {
      runId: 'run-1',
      firstRunId: '0199',
      title: 'A title',
      tags: ['a'],
      startedAt: times.requestedAt,
      closedAt: times.requestedAt,
      request,
      storeId: 'store_1',
      tools: ['corpus_search'],
      promptVersion: 1,
      result: { ...recorded, document, documentRef: ref },
      subagents: [{ id: 's2', goal: 'two', outcome, resume: null }],
      below: [{ id: 's2.1', transcript: null, reportRef: ref }],
    },
  ],
  subtaskSchema: [{ id: 's1', goal: 'one' }],
  planSchema: [plan],
  modelNameSchema: ['extractive', 'scripted:a b.yaml', 'vendor/model-1'],
  minSuccessSchema: [1, '50%'],
  joinSchema: [request.join, { kind: 'all', minSuccess: 2, progressive: false }],
  approvalOptionsSchema: [approvals],
  budgetOptionsSchema: [request.budget],
  researchRequestSchema: [request],
  terminalRunStatusSchema: ['completed'],
  citationSchema: [citation],
  sourceViewSchema: [sourceView],
  gapSchema: [gap],
  subagentSummarySchema: [summary],
  draftSchema: [{ number: 1, documentRef: ref, subagents: ['s1', 's2'] }],
  runResultSchema: [runResult, { ...runResult, report: null, toolCallsPerMessage: null }],
  reportDocumentSchema: [document],
  recordedResultSchema: [
    { ...recorded, document, documentRef: ref },
    { ...recorded, document: null, documentRef: null },
  ],
  planStepSchema: [
    {
      ...bounds,
      runId: 'run-1',
      question: 'Why?',
      instructions: 'Be brief.',
      maxSubagents: 3,
      corpus: '/srv/docs',
      web,
      offeredTools: ['web_fetch'],
      attempt: 2,
      problem: 'no JSON',
    },
  ],
  planStepResultSchema: [
    { kind: 'plan', plan, usage: callUsage },
    { kind: 'again', problem: 'no JSON', usage: callUsage },
    { kind: 'does-not-fit', neededTokens: 9, usage: callUsage },
  ],
  openRunStepSchema: [
    {
      runId: 'run-1',
      corpus: '/srv/docs',
      web,
      offeredTools: ['web_fetch'],
      models: [{ model: 'compatible/m', baseUrl: choice.baseUrl, price }],
      needsPrices: true,
      budget: ceiling,
    },
  ],
  openRunResultSchema: [
    {
      storeId: 'store_1',
      tools: [tool],
      rates: { extractive: rates },
      notes: ['not read: a.pdf'],
      promptVersion: 1,
      maxHistoryEvents: 6_000,
      ceiling,
      queues: { 'openai/gpt-5': 'tributary-model-openai-1a2b3c4d' },
      bounds: { 'openai/gpt-5': { rpm: 600, maxConcurrency: 88 } },
    },
  ],
  subagentTaskSchema: [
    {
      runId: 'run-1',
      id: 's1',
      storeId: 'store_1',
      question: 'Why?',
      instructions: 'Be brief.',
      goal: 'one',
      ...choice,
      corpus: '/srv/docs',
      web,
      limitsUsd: true,
      tools: [tool],
      toolOptions,
      allotment: amounts,
      handBackReserveTokens: 2_000,
      wallClockMs: 60_000,
      maxTurns: 5,
      maxOutputTokens: 4_096,
      modelAttempts: 4,
      canTopUp: true,
      approvals,
      personTimeoutMs: 3_600_000,
      modelQueue: 'tributary-model-openai-1a2b3c4d',
      tenant: 'acme',
      delegation,
      resumeRef: ref,
      maxHistoryEvents: 6_000,
      carry,
      attempt: 2,
      delegatedBefore: 3,
      parentWorkflowId: 'run-1/s1',
    },
  ],
  modelStepSchema: [
    {
      ...bounds,
      runId: 'run-1',
      subagentId: 's1',
      storeId: 'store_1',
      turn: 2,
      head,
      question: 'Why?',
      instructions: 'Be brief.',
      goal: 'one',
      corpus: '/srv/docs',
      web,
      parallelToolCalls: true,
      encourageBatching: false,
      note: 'truncated',
      tools: [tool],
      results: [result],
      approvals,
      delegation,
      handBack: 'budget',
    },
  ],
  plannedCallSchema: [plannedCall],
  modelStepResultSchema: [
    {
      kind: 'reply',
      head,
      calls: [plannedCall],
      finish: 'tool-calls',
      rawFinish: 'tool_use',
      warnings: ['unsupported: temperature'],
      report: null,
      reportRef: ref,
      usage: callUsage,
    },
    { kind: 'does-not-fit', neededTokens: 9, usage: callUsage },
  ],
  toolStepSchema: [
    {
      runId: 'run-1',
      subagentId: 's1',
      storeId: 'store_1',
      head,
      callId: 't1c1',
      name: 'corpus_read',
      attempt: 2,
      deadlineMs: 30_000,
      maxOutputChars: 16_000,
      editedArguments: { query: 'other' },
      corpus: '/srv/docs',
      web,
      delegation,
    },
  ],
  toolStepResultSchema: [
    {
      callId: 't1c1',
      isError: false,
      ref,
      preview: 'first words',
      sources: [{ id: source.id, url: source.url, title: source.title }],
      durationMs: 12,
      delegated: ['one half', 'the other'],
    },
  ],
  storeReportStepSchema: [
    { storeId: 'store_1', report, sources: [source], below: [ref] },
    { storeId: 'store_1', reportRef: ref, sources: [] },
  ],
  synthesisStepSchema: [
    {
      ...bounds,
      runId: 'run-1',
      storeId: 'store_1',
      question: 'Why?',
      instructions: 'Be brief.',
      subagents: [
        { id: 's1', goal: 'one', status: 'done', reportRef: ref },
        { id: 's2', goal: 'two', status: 'failed', reason: 'tool', reportRef: null },
      ],
      gaps: [gap],
      notes: ['a note'],
      withoutModel: false,
      draft: 2,
    },
  ],
  synthesisStepResultSchema: [{ documentRef: ref, document: null, notes: ['trimmed'], usage: callUsage }],
  settleStoppedStepSchema: [{ runId: 'run-1', subagentIds: ['s1', 's2.1'] }],
  stoppedUsageSchema: [stopped, { ...stopped, usage: unpricedUsage, transcript: null }],
  runMemoSchema: [
    {
      title: 'A title',
      status: 'running',
      model: 'extractive',
      requestId: 'r-1',
      tags: ['a'],
      origin: lineage,
      spentTokens: 1,
      limitTokens: 2,
      spentUsd: null,
      estimated: true,
      limitUsd: 5,
      toolCalls: 4,
      planned: 3,
      settled: { done: 1 },
    },
  ],
  toolEffectSchema: ['write'],
  toolTraitsSchema: [tool],
  toolPolicySchema: ['serialize-writes'],
  delegationSchema: [delegation],
  toolOptionsSchema: [toolOptions],
  hashSchema: [hash],
  blobRefSchema: [ref],
  toolCallSchema: [call, { callId: 't2c1', name: 'x', arguments: {}, malformed: '{"q": "x"' }],
  toolResultSchema: [result, { ...result, isError: true, content: { text: 'no such tool' } }],
  messageSchema: [
    { role: 'system', text: 's' },
    { role: 'user', text: 'u' },
    message,
    { role: 'tool', results: [result] },
  ],
  transcriptLinkSchema: [
    { parent: null, message: { role: 'user', text: 'u' } },
    { parent: hash, message },
  ],
  transcriptHeadSchema: [head],
};
