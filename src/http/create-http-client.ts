/** The client over HTTP: the same interface as the library's, for browsers, other services and the page. */
import { TributaryError } from '../contract/failure.ts';
import { runIdSchema } from '../contract/ids.ts';
import { parseInput } from '../contract/invalid-input.ts';
import type { BudgetState } from '../contract/budget.ts';
import type { ApprovalOutcome } from '../contract/control.ts';
import type { Estimate } from '../contract/estimate.ts';
import type { RunResult } from '../contract/result.ts';
import type { ExportFormat } from '../contract/run-export.ts';
import type { RunDescription, RunSummary } from '../contract/run-view.ts';
import type { Health, RunCount, ServerConfig } from '../contract/web.ts';
import type {
  CallOptions,
  CancelReceipt,
  PendingApproval,
  ResearchApi,
  ResultOptions,
  RunFilter,
  RunHandle,
  StartInput,
  StartOptions,
} from '../client/research-api.ts';
import { createHttpTransport, type HttpClientOptions, type HttpTransport, type SendOptions } from './http-transport.ts';
import { watchEvents } from './watch-events.ts';

export type { HttpClientOptions } from './http-transport.ts';

export type HttpRunHandle = RunHandle & {
  /** The same as `export`. */
  report(format: ExportFormat, options?: CallOptions): Promise<string>;
  retry(...options: Parameters<RunHandle['retry']>): Promise<HttpRunHandle>;
  rerun(...options: Parameters<RunHandle['rerun']>): Promise<HttpRunHandle>;
};

export type HttpExtras = {
  /** Of the newest 1,000 runs. */
  count(filter?: Omit<RunFilter, 'limit'> & CallOptions): Promise<RunCount>;
  config(options?: CallOptions): Promise<ServerConfig>;
  health(options?: CallOptions): Promise<Health>;
};

export type HttpClient = Omit<ResearchApi, 'start' | 'getHandle' | 'attach'> &
  HttpExtras & {
    start(input: StartInput, options?: StartOptions): Promise<HttpRunHandle>;
    getHandle(runId: string): HttpRunHandle;
    attach(runId: string, options?: CallOptions): Promise<HttpRunHandle>;
  };

/**
 * `corpus` of an input is the name of a folder that the server has configured. Rejects with `SERVER_UNREACHABLE` where
 * nobody answers, `NOT_SIGNED_IN` and `NOT_ALLOWED`; the other codes are those of `ResearchApi`.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const transport = createHttpTransport(options);
  const toHandle = (runId: string) => createRunHandle(transport, runId);
  const client: HttpClient = {
    async start(input, { requestId, signal } = {}) {
      const { runId } = await transport.post<{ runId: string }>('runs', input, { requestId, signal });
      return toHandle(runId);
    },
    async execute(input, given = {}) {
      return (await client.start(input, given)).result(given);
    },
    estimate: (input, { signal } = {}) => transport.post<Estimate>('estimate', input, { signal }),
    getHandle: (runId) => toHandle(parseInput(runIdSchema, runId, 'run')),
    async attach(typed, { signal } = {}) {
      const path = `runs/${encodeURIComponent(typed)}`;
      return toHandle((await transport.get<RunDescription>(path, { signal })).runId);
    },
    async *list(filter = {}) {
      const query = { ...toQuery(filter), limit: filter.limit };
      yield* (await transport.get<{ runs: RunSummary[] }>('runs', { query })).runs;
    },
    async *approvals({ runId, signal } = {}) {
      yield* (await transport.get<{ approvals: PendingApproval[] }>('approvals', { query: { runId }, signal }))
        .approvals;
    },
    hasWorker: async (given) => (await client.health(given)).hasWorker,
    count: ({ signal, ...filter } = {}) => transport.get<RunCount>('runs/count', { query: toQuery(filter), signal }),
    config: ({ signal } = {}) => transport.get<ServerConfig>('config', { signal }),
    health: ({ signal } = {}) => transport.get<Health>('health', { signal }),
  };
  return client satisfies ResearchApi;
}

function toQuery({ status, text, startedAfter }: RunFilter) {
  return { status: status && status.length > 0 ? status.join(',') : undefined, text: text || undefined, startedAfter };
}

function createRunHandle(transport: HttpTransport, runId: string): HttpRunHandle {
  const path = `runs/${encodeURIComponent(runId)}`;
  /** Options of a call that travel in the request itself, apart from those of the body. */
  const post = <T>(what: string, given: SendOptions & object, body: object = {}) => {
    const { signal, requestId, ...rest } = given;
    return transport.post<T>(`${path}/${what}`, { ...rest, ...body }, { signal, requestId });
  };
  const report = async (format: ExportFormat, { signal }: CallOptions = {}) =>
    (await transport.send('GET', `${path}/report.${format}`, { signal, headers: { accept: '*/*' } })).text();
  const succeed = async (what: 'retry' | 'rerun', given: object) =>
    createRunHandle(transport, (await post<{ runId: string }>(what, given)).runId);
  return {
    runId,
    describe: ({ signal } = {}) => transport.get<RunDescription>(path, { signal }),
    watch: (options) => watchEvents(transport, runId, options),
    result: (options) => waitForResult(transport, runId, options),
    report,
    export: ({ format, signal }) => report(format, { ...(signal && { signal }) }),
    cancel: (options = {}) => post<CancelReceipt>('cancel', options),
    cancelSubagent: (id, options = {}) => post<CancelReceipt>(`subagents/${encodeURIComponent(id)}/cancel`, options),
    retrySubagent: (id, options = {}) => post<void>(`subagents/${encodeURIComponent(id)}/retry`, options),
    histories: () => refuse('recorded histories'),
    delete: async () => refuse('a deletion'),
    finalize: (options = {}) => post<void>('finalize', options),
    terminate: (reason, options = {}) => post<{ affected: string[] }>('terminate', options, { reason }),
    addBudget: (add, options = {}) => post<BudgetState>('budget', options, { add }),
    approvePlan: (options = {}) => post<void>('plan/approve', options),
    revisePlan: (feedback, options = {}) => post<void>('plan/revise', options, { feedback }),
    approve: (id, options = {}) =>
      post<ApprovalOutcome>(`approvals/${encodeURIComponent(id)}`, options, { decision: 'approved' }),
    deny: (id, options = {}) =>
      post<ApprovalOutcome>(`approvals/${encodeURIComponent(id)}`, options, { decision: 'denied' }),
    retry: (options = {}) => succeed('retry', options),
    rerun: (options) => succeed('rerun', options),
  };
}

/** Some things are for those who have the server and the store at hand. */
function refuse(what: string): never {
  throw new TributaryError('NOT_ALLOWED', `${what} cannot be asked for over HTTP: use the command line or the library`);
}

/** The result is the last event of the run. */
async function waitForResult(
  transport: HttpTransport,
  runId: string,
  { timeoutMs, signal }: ResultOptions = {},
): Promise<RunResult> {
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signals = [signal, limit].filter((each) => each !== undefined);
  try {
    for await (const event of watchEvents(transport, runId, { signal: AbortSignal.any(signals) })) {
      if (event.type === 'result') return event.result;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!limit?.aborted) throw error;
    throw new TributaryError('WAIT_TIMEOUT', `the run ${runId} has not ended within ${timeoutMs} ms`);
  }
  throw new TributaryError('INTERNAL', `the events of ${runId} ended without a result`);
}
