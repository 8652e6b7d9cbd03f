/** A command that ends badly, as it is told: what, why, what to run next. */
import { exitCodeOfFailure, failureCodeOf, type FailureCode } from '../../contract/failure.ts';
import type { RunStatus } from '../../contract/run-view.ts';
import { toPlainLine } from './plain-text.ts';

/** Codes of ways to end that only a command line has. */
export type ProblemCode = FailureCode | 'INTERRUPTED' | 'INPUT_NEEDED';

export type Problem = {
  readonly code: ProblemCode;
  readonly exitCode: number;
  /** One line. */
  readonly what: string;
  readonly why?: string;
  /** Where a call has several problems at once: the ones after `what`. */
  readonly others?: readonly string[];
  /** Command lines that go on from here, each with what it is for: `['check', 'tributary doctor']`. */
  readonly next: readonly (readonly [string, string])[];
  readonly run?: { readonly runId: string; readonly status?: RunStatus; readonly cursor?: string };
  /** Stack, for `-v`. */
  readonly stack?: string;
};

/** Thrown by commands for an end that they describe themselves. */
export class ProblemError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.what);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** Commands as this user must type them: with the connection flags of this call. */
export type ToCommand = (...words: string[]) => string;

/** Any error, told as a problem. The first line of a message is the what, the rest the why. */
export function toProblem(error: unknown, toCommand: ToCommand): Problem {
  if (error instanceof ProblemError) return error.problem;
  const code = failureCodeOf(error) ?? 'INTERNAL';
  const message = error instanceof Error ? error.message : String(error);
  const [what, ...rest] = message.split('\n').map(toPlainLine).filter(Boolean);
  const cause = error instanceof Error && error.cause instanceof Error ? toPlainLine(error.cause.message) : '';
  const isUsage = exitCodeOfFailure[code] === 2;
  const why = (isUsage ? '' : rest.join(' ')) || (cause === what ? '' : cause);
  return {
    code,
    exitCode: exitCodeOfFailure[code],
    what: what ?? 'something failed without saying what',
    ...(why !== '' && { why }),
    ...(isUsage && rest.length > 0 && { others: rest }),
    next: nextSteps(code, toCommand),
    ...(error instanceof Error && error.stack !== undefined && { stack: error.stack }),
  };
}

function nextSteps(code: FailureCode, toCommand: ToCommand): Problem['next'] {
  switch (code) {
    case 'RUN_NOT_FOUND':
      return [['see the runs', toCommand('list')]];
    case 'SERVER_UNREACHABLE':
    case 'STORE_UNAVAILABLE':
    case 'STORE_MISMATCH':
    case 'TRANSCRIPT_MISSING':
      return [['check', toCommand('doctor')]];
    case 'SERVER_BINARY':
      return [
        ['fetch it', 'npm run setup'],
        ['check', toCommand('doctor')],
      ];
    case 'SERVER_STATE_VERSION':
      return [['start clean', toCommand('dev', '--reset')]];
    case 'INTERNAL':
      return [['check', toCommand('doctor')]];
    default:
      return [];
  }
}
