/** The client over Temporal. Everything but starting and cancelling is read from histories and needs no worker. */
import { hostname, userInfo } from 'node:os';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { BudgetState } from '../contract/budget.ts';
import type { ApprovalOutcome, BudgetRaiseInput } from '../contract/control.ts';
import { names } from '../contract/defaults.ts';
import type { Estimate } from '../contract/estimate.ts';
import { runIdSchema } from '../contract/ids.ts';
import { parseInput } from '../contract/invalid-input.ts';
import type { RatesOf } from '../contract/price.ts';
import type { RecordedWorkflow } from '../contract/replay.ts';
import type { RunResult } from '../contract/result.ts';
import type { RunDescription, RunEvent, RunSummary } from '../contract/run-view.ts';
import { toRates } from '../domain/money.ts';
import { toClientError } from './call-service.ts';
import { cancelRun, cancelSubagent } from './cancel-run.ts';
import type { ClientContext, KeptRecords, LastRun, RemovableBlobs } from './client-context.ts';
import { deleteRun } from './deletion/delete-run.ts';
import { describeRun } from './describe-run.ts';
import { estimateRun } from './estimate-run.ts';
import { exportRun } from './export-run.ts';
import { findRun } from './find-run.ts';
import { hasWorker } from './has-worker.ts';
import { fetchHistories } from './history/fetch-histories.ts';
import { listApprovals } from './list-approvals.ts';
import { listRuns } from './list-runs.ts';
import { readPastRuns } from './read-past-runs.ts';
import { readResult } from './read-result.ts';
import type {
  AddBudgetOptions,
  ApproveOptions,
  ApprovePlanOptions,
  CallOptions,
  CancelOptions,
  CancelReceipt,
  DeleteOptions,
  DeleteReceipt,
  DenyOptions,
  PendingApproval,
  RerunOptions,
  ResearchApi,
  ResultOptions,
  RetryOptions,
  RetrySubagentOptions,
  RunFilter,
  RunHandle,
  StartInput,
  StartOptions,
  SteerOptions,
  WatchOptions,
} from './research-api.ts';
import { retrySubagent } from './retry-subagent.ts';
import { addBudget, approvePlan, decideApproval, finalizeRun, revisePlan } from './steer-run.ts';
import { startRun } from './start-run.ts';
import { rerunRun, retryRun } from './take-over.ts';
import { terminateRun } from './terminate-run.ts';
import { watchRun } from './watch/watch-run.ts';

export type ResearchClientOptions = {
  readonly client: Client;
  /** Default `tributary`. */
  readonly taskQueue?: string;
  /** Who acts, as the server records it with a cancel. Default `<user>@<host name>`. */
  readonly identity?: string;
  /** Bytes of a blob of the store; without it reports that are only in the store cannot be read. */
  readonly readBlob?: (hash: string) => Promise<Uint8Array>;
  /** What is kept of ended runs in the store: answers once their history is gone. */
  readonly records?: KeptRecords;
  /** The blobs of the store, for `delete`. */
  readonly blobs?: RemovableBlobs;
  /** What tokens of a model cost, for `estimate`; without it only prices that the request gives are known. */
  readonly ratesOf?: RatesOf;
  /** Where `@last` is remembered. */
  readonly lastRun?: LastRun;
};

/** Rejects with `SERVER_UNREACHABLE` where Temporal does not answer; the other codes are those of `ResearchApi`. */
export class ResearchClient implements ResearchApi {
  private readonly context: ClientContext;

  constructor(options: ResearchClientOptions) {
    this.context = {
      ...options,
      taskQueue: options.taskQueue ?? names.taskQueue,
      identity: options.identity ?? whoami(),
      ratesOf: options.ratesOf ?? (({ price }) => (price ? toRates(price) : null)),
    };
  }

  async start(input: StartInput, options: StartOptions = {}): Promise<RunHandle> {
    return this.toHandle(await this.guard(() => startRun(this.context, input, options)));
  }

  async execute(input: StartInput, options: StartOptions & ResultOptions = {}): Promise<RunResult> {
    const run = await this.start(input, options);
    return run.result(options);
  }

  async estimate(input: StartInput, options: StartOptions = {}): Promise<Estimate> {
    const { context } = this;
    const readRuns = (model: string) => readPastRuns(context, model, options.signal);
    return this.guard(() => estimateRun({ ratesOf: context.ratesOf, readPastRuns: readRuns }, input, options));
  }

  getHandle(runId: string): RunHandle {
    return this.toHandle(parseInput(runIdSchema, runId, 'run'));
  }

  async attach(runId: string, options: CallOptions = {}): Promise<RunHandle> {
    return this.toHandle(await this.guard(() => findRun(this.context, runId, options.signal)));
  }

  list(filter: RunFilter = {}): AsyncIterable<RunSummary> {
    return this.guardEach(listRuns(this.context, filter));
  }

  approvals(filter: { readonly runId?: string } & CallOptions = {}): AsyncIterable<PendingApproval> {
    return this.guardEach(listApprovals(this.context, filter));
  }

  async hasWorker(options: CallOptions = {}): Promise<boolean> {
    return this.guard(() => hasWorker(this.context, options.signal));
  }

  /** The way out: Temporal's own handle of the run's workflow. */
  workflowHandle(runId: string): WorkflowHandle {
    return this.context.client.workflow.getHandle(parseInput(runIdSchema, runId, 'run'));
  }

  private toHandle(runId: string): RunHandle {
    const { context } = this;
    return {
      runId,
      describe: (options: CallOptions = {}): Promise<RunDescription> =>
        this.guard(() => describeRun(context, runId, options.signal)),
      watch: (options: WatchOptions = {}): AsyncIterable<RunEvent> => this.guardEach(watchRun(context, runId, options)),
      result: (options: ResultOptions = {}): Promise<RunResult> =>
        this.guard(() => readResult(context, runId, options)),
      histories: (options: CallOptions = {}): AsyncIterable<RecordedWorkflow> =>
        this.guardEach(fetchHistories(context, runId, options.signal)),
      export: ({ format, signal }): Promise<string> => this.guard(() => exportRun(context, runId, format, signal)),
      cancel: (options: CancelOptions = {}): Promise<CancelReceipt> =>
        this.guard(() => cancelRun(context, runId, options)),
      finalize: (options = {}): Promise<void> => this.guard(() => finalizeRun(context, runId, options)),
      terminate: (reason: string, options: CallOptions = {}) =>
        this.guard(() => terminateRun(context, runId, reason, options)),
      addBudget: (add: BudgetRaiseInput, options: AddBudgetOptions = {}): Promise<BudgetState> =>
        this.guard(() => addBudget(context, runId, add, options)),
      retrySubagent: (subagentId: string, options: RetrySubagentOptions = {}): Promise<void> =>
        this.guard(() => retrySubagent(context, runId, subagentId, options)),
      approvePlan: (options: ApprovePlanOptions = {}): Promise<void> =>
        this.guard(() => approvePlan(context, runId, options)),
      revisePlan: (feedback: string, options: SteerOptions = {}): Promise<void> =>
        this.guard(() => revisePlan(context, runId, feedback, options)),
      approve: (id: string, options: ApproveOptions = {}): Promise<ApprovalOutcome> =>
        this.guard(() => decideApproval(context, runId, { id, decision: 'approved' }, options)),
      deny: (id: string, options: DenyOptions = {}): Promise<ApprovalOutcome> =>
        this.guard(() => decideApproval(context, runId, { id, decision: 'denied' }, options)),
      retry: async (options: RetryOptions = {}): Promise<RunHandle> =>
        this.toHandle(await this.guard(() => retryRun(context, runId, options))),
      rerun: async (options: RerunOptions): Promise<RunHandle> =>
        this.toHandle(await this.guard(() => rerunRun(context, runId, options))),
      delete: (options: DeleteOptions = {}): Promise<DeleteReceipt> =>
        this.guard(() => deleteRun(context, runId, options)),
      cancelSubagent: (subagentId: string, options: CancelOptions = {}): Promise<CancelReceipt> =>
        this.guard(() => cancelSubagent(context, runId, subagentId, options)),
    };
  }

  private async guard<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw toClientError(this.context.client, error);
    }
  }

  private async *guardEach<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    try {
      yield* items;
    } catch (error) {
      throw toClientError(this.context.client, error);
    }
  }
}

function whoami(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `${process.pid}@${hostname()}`; // a user without a name, as in some containers
  }
}
