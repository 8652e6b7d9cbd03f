/** Every default of the product in one place; `tributary help defaults` prints this table. */
export const defaults = {
  /** Subagents a run plans at most. */
  maxSubagents: 6,
  /** Levels of subagents: 1 = they do not fan out themselves. */
  maxDepth: 1,
  /** `null`: all planned subagents at once. */
  maxConcurrency: null,
  join: { kind: 'partial', minSuccess: 1 },
  budgetTokens: 1_000_000,
  /** `null`: no limit on money. */
  budgetUsd: null,
  budgetToolCalls: 200,
  budgetWallClockMs: 20 * 60_000,
  /** Off a terminal; `pause` on one. */
  onExhausted: 'finalize',
  /** Share of the token budget kept for the report … */
  synthesisReserve: 0.1,
  /** … and its floor in tokens. */
  synthesisReserveMinTokens: 2_000,
  /** Tokens of each allotment kept for the hand-back turn. */
  handBackReserveTokens: 2_000,
  subagentWallClockMs: 10 * 60_000,
  maxOutputTokens: 4_096,
  maxTurns: 10,
  maxToolCallsPerTurn: 8,
  overflow: 'batches',
  plan: 'auto',
  approvals: 'ask',
  /** A plan, an approval or a paused budget that nobody answers within this is given up. */
  personTimeoutMs: 24 * 60 * 60_000,
  /** What subagents have to hand back after `finalize`; then they are cancelled. */
  finalizeGraceMs: 30_000,
  /** Drafts of a progressive run at most, and their share of the tokens. */
  maxDrafts: 3,
  draftShare: 0.1,
  toolPolicy: 'serialize-writes',
  onToolFailure: 'collect',
  parallelToolCalls: true,
  encourageBatching: true,
  toolDeadlineMs: 30_000,
  toolOutputChars: 16_000,
  readToolAttempts: 3,
  writeToolAttempts: 1,
  modelAttempts: 4,
  /** What a subagent hands its parent, at most. */
  reportTokens: 1_500,
  /** A subagent whose history has grown to this goes on in a new one; the server ends a workflow at 51,200. */
  maxHistoryEvents: 6_000,
  /** Reports beyond this are in the store alone, and histories hold references. */
  maxInlineBytes: 64_000,
  heartbeatIntervalMs: 1_000,
  heartbeatTimeoutMs: 5_000,
  maxHeartbeatThrottleIntervalMs: 2_000,
  /** A tool that ignores its abort signal is let go after this. */
  toolAbandonMs: 5_000,
  /** Share of a known limit of requests a minute that the default number of subagents at once is planned with … */
  rateHeadroom: 0.7,
  /** … and the time of one model call that is assumed. */
  modelLatencyMs: 10_000,
  model: 'extractive',
} as const;

/** Names that travel: the namespace and the task queue of a default installation. */
export const names = { namespace: 'tributary', taskQueue: 'tributary' } as const;
