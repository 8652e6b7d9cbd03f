/** What the HTTP API says of itself, and of its refusals. */
import type { FailureCode } from './failure.ts';

/** How a server is set up, as far as a page needs to know. */
export type ServerConfig = {
  readonly version: string;
  /** Everything can be looked at, nothing can be changed. */
  readonly readOnly: boolean;
  /** Names of the folders of documents that a run may work on; where they are is nobody's business. */
  readonly corpora: readonly string[];
  readonly defaultModel: string;
  /** Temporal's own page; `null` where the server brings none. */
  readonly temporalUrl: string | null;
};

export type Health = {
  readonly server: 'ok' | 'unreachable';
  readonly namespace: string;
  readonly taskQueue: string;
  /** Whether a worker polls the task queue. */
  readonly hasWorker: boolean;
};

/** Runs that fit a filter, of the newest 1,000. */
export type RunCount = { readonly total: number; readonly byStatus: Readonly<Record<string, number>> };

/** RFC 9457, `application/problem+json`. */
export type ProblemDocument = {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: FailureCode;
};
