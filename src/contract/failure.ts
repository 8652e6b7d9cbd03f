/** Every failure the product knows: its code, whether a repeat can help, and the exit code it ends in. */
import { z } from 'zod';
import type { OutcomeReason } from './outcome.ts';
import type { TerminalRunStatus } from './result.ts';

const table = {
  INVALID_REQUEST: { retryable: false },
  PLAN_INVALID: { retryable: false },
  BUDGET_EXHAUSTED: { retryable: false },
  /** More than the server's configuration lets anybody spend. */
  BUDGET_CEILING: { retryable: false },
  JOIN_UNMET: { retryable: false },
  /** Nobody approved the plan in time. */
  PLAN_EXPIRED: { retryable: false },
  /** The plan, or the request for approval, is decided already. */
  ALREADY_DECIDED: { retryable: false },
  APPROVAL_NOT_FOUND: { retryable: false },
  /** The request may be recorded; nobody has answered it. */
  NO_WORKER: { retryable: true },
  RUN_NOT_FOUND: { retryable: false },
  RUN_ENDED: { retryable: false },
  /** It goes on still, and what was asked for needs its end. */
  RUN_OPEN: { retryable: false },
  RUN_EXISTS: { retryable: false },
  SUBAGENT_NOT_FOUND: { retryable: false },
  SUBAGENT_FAILED: { retryable: false },
  WAIT_TIMEOUT: { retryable: true },
  CORPUS_UNREADABLE: { retryable: false },
  STORE_MISMATCH: { retryable: false },
  TRANSCRIPT_MISSING: { retryable: false },
  STORE_UNAVAILABLE: { retryable: true },
  MODEL_UNKNOWN: { retryable: false },
  MODEL_SCRIPT_INVALID: { retryable: false },
  /** A limit in USD was set for a model whose price nobody knows. */
  MODEL_PRICE_UNKNOWN: { retryable: false },
  MODEL_AUTH: { retryable: false },
  MODEL_QUOTA: { retryable: false },
  MODEL_CONTEXT: { retryable: false },
  MODEL_BAD_REQUEST: { retryable: false },
  MODEL_RATE_LIMIT: { retryable: true },
  MODEL_OVERLOADED: { retryable: true },
  MODEL_SERVER: { retryable: true },
  MODEL_NETWORK: { retryable: true },
  MODEL_BAD_RESPONSE: { retryable: true },
  /** The configured number of requests was made, or the next one would pass the reservation. */
  MODEL_ATTEMPTS: { retryable: false },
  TOOL_FAILED: { retryable: true },
  /** A webhook or a command that should have been told of a run was not. */
  NOTICE_FAILED: { retryable: true },
  SERVER_UNREACHABLE: { retryable: true },
  SERVER_BINARY: { retryable: false },
  SERVER_STATE_VERSION: { retryable: false },
  INTERNAL: { retryable: false },
} as const satisfies Record<string, { retryable: boolean }>;

export type FailureCode = keyof typeof table;
export const failureCodes = Object.keys(table) as FailureCode[];

/** A failure as it is recorded: plain data. */
export const failureSchema = z.object({
  code: z.enum(failureCodes as [FailureCode, ...FailureCode[]]),
  message: z.string(),
  /** A floor for the wait before the next attempt. */
  retryAfterMs: z.number().int().nonnegative().optional(),
});
export type Failure = Readonly<z.infer<typeof failureSchema>>;

export function isRetryable(code: FailureCode): boolean {
  return table[code].retryable;
}

/** Our exception. Its identity is the code: `instanceof` does not survive realms, JSON and test runners. */
export class TributaryError extends Error {
  readonly code: FailureCode;
  readonly retryAfterMs?: number;
  /** No repeat can help this time, whatever the code says: the provider has said so. */
  readonly final?: true;
  constructor(
    code: FailureCode,
    message: string,
    options?: { cause?: unknown; retryAfterMs?: number; final?: boolean },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TributaryError';
    this.code = code;
    if (options?.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options?.final === true) this.final = true;
  }
}

/** The code of one of our errors, whatever realm it comes from; `null` for anything else. */
export function failureCodeOf(error: unknown): FailureCode | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && Object.hasOwn(table, code) ? (code as FailureCode) : null;
}

/** Exit code of a command that ends with this failure. */
export const exitCodeOfFailure: Record<FailureCode, number> = {
  INVALID_REQUEST: 2,
  CORPUS_UNREADABLE: 2,
  MODEL_UNKNOWN: 2,
  MODEL_SCRIPT_INVALID: 2,
  MODEL_PRICE_UNKNOWN: 2,
  BUDGET_CEILING: 4,
  PLAN_EXPIRED: 3,
  ALREADY_DECIDED: 10,
  APPROVAL_NOT_FOUND: 9,
  NO_WORKER: 1,
  RUN_NOT_FOUND: 9,
  SUBAGENT_NOT_FOUND: 9,
  SUBAGENT_FAILED: 3,
  RUN_ENDED: 10,
  RUN_OPEN: 10,
  RUN_EXISTS: 10,
  WAIT_TIMEOUT: 8,
  PLAN_INVALID: 3,
  BUDGET_EXHAUSTED: 3,
  JOIN_UNMET: 3,
  STORE_MISMATCH: 1,
  TRANSCRIPT_MISSING: 1,
  STORE_UNAVAILABLE: 1,
  MODEL_AUTH: 4,
  MODEL_QUOTA: 1,
  MODEL_CONTEXT: 1,
  MODEL_BAD_REQUEST: 1,
  MODEL_RATE_LIMIT: 1,
  MODEL_OVERLOADED: 1,
  MODEL_SERVER: 1,
  MODEL_NETWORK: 1,
  MODEL_BAD_RESPONSE: 1,
  MODEL_ATTEMPTS: 1,
  TOOL_FAILED: 1,
  NOTICE_FAILED: 1,
  SERVER_UNREACHABLE: 1,
  SERVER_BINARY: 1,
  SERVER_STATE_VERSION: 1,
  INTERNAL: 1,
};

/** Exit code of a command that followed a run to this end. */
export const exitCodeOfStatus: Record<TerminalRunStatus, number> = {
  completed: 0,
  partial: 5,
  failed: 3,
  cancelled: 6,
  terminated: 3,
  'timed-out': 3,
};

/** The reason that a subagent gets when a model call ended with this failure. */
export function toOutcomeReason(code: FailureCode): OutcomeReason {
  switch (code) {
    case 'MODEL_RATE_LIMIT':
      return 'rate-limit';
    case 'MODEL_QUOTA':
      return 'quota';
    case 'MODEL_CONTEXT':
      return 'context-exceeded';
    case 'BUDGET_EXHAUSTED':
      return 'budget';
    case 'TOOL_FAILED':
      return 'tool';
    default:
      return 'provider';
  }
}
