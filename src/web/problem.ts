/** Refusals and failures as RFC 9457 problem documents. What went wrong inside is logged, not told. */
import { failureCodeOf, TributaryError, type FailureCode } from '../contract/failure.ts';
import type { ProblemDocument } from '../contract/web.ts';
import { statusOfFailure } from './status-of-failure.ts';

/** Refusals of HTTP itself, which no other code tells apart. */
export type RefusalStatus = 403 | 404 | 405 | 413 | 415;

/** A refusal whose status is not the usual one of its code. */
export class HttpRefusal extends TributaryError {
  readonly status: RefusalStatus;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: RefusalStatus, code: FailureCode, message: string, headers: Record<string, string> = {}) {
    super(code, message);
    this.status = status;
    this.headers = headers;
  }
}

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  415: 'Unsupported media type',
  423: 'Over the ceiling',
  500: 'Internal error',
  502: 'Failed elsewhere',
  503: 'Not available',
  504: 'Not in time',
};

export function toProblem(error: unknown): ProblemDocument {
  const code = failureCodeOf(error);
  if (code === null || code === 'INTERNAL') return problemOf(500, 'INTERNAL', 'something failed inside: see the log');
  const status = error instanceof HttpRefusal ? error.status : statusOfFailure[code];
  return problemOf(status, code, (error as Error).message);
}

function problemOf(status: number, code: FailureCode, detail: string): ProblemDocument {
  return { type: 'about:blank', title: titles[status] ?? 'Failed', status, detail, code };
}

export function toProblemResponse(error: unknown, hide: (text: string) => string): Response {
  const problem = toProblem(error);
  const headers = {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    ...(problem.status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(error instanceof HttpRefusal && error.headers),
  };
  return new Response(JSON.stringify({ ...problem, detail: hide(problem.detail) }), {
    status: problem.status,
    headers,
  });
}
