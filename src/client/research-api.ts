/** The client's surface: what a program can do with runs. `ResearchClient` implements it over Temporal. */
import type { BudgetState } from '../contract/budget.ts';
import type { ApprovalOutcome, BudgetRaiseInput, PlanEdit } from '../contract/control.ts';
import type { Estimate } from '../contract/estimate.ts';
import type { RunCancel, SubagentCancel } from '../contract/cancel-proof.ts';
import type { RerunPoint, Reuse, SubagentEdit } from '../contract/origin.ts';
import type { RecordedWorkflow } from '../contract/replay.ts';
import type { ResearchRequestInput } from '../contract/request.ts';
import type { RunResult } from '../contract/result.ts';
import type { ExportFormat } from '../contract/run-export.ts';
import type {
  ApprovalView,
  RunDescription,
  RunEvent,
  RunStatus,
  RunSummary,
  SubagentStatus,
} from '../contract/run-view.ts';

export type CallOptions = {
  /** Aborts this client call only. It never cancels the run. */
  readonly signal?: AbortSignal;
};

/** `question` is required; everything else has the default of `contract/defaults.ts`. */
export type StartInput = Omit<ResearchRequestInput, 'runId' | 'origin'> & { runId?: string };
export type StartOptions = CallOptions & {
  /** Idempotency key: two starts with the same key are one run. */
  readonly requestId?: string;
};

export type ResultOptions = CallOptions & {
  /** Milliseconds to wait at most; past it rejects with `WAIT_TIMEOUT`. */
  readonly timeoutMs?: number;
};

export type WatchOptions = CallOptions & {
  /** Resume after this cursor. Absent = a snapshot first, then the live tail. An unusable one: `resync`, then a snapshot. */
  readonly after?: string;
  /** Told when the server stops answering, and when it answers again. Nothing is lost in between. */
  readonly onConnection?: (state: 'live' | 'reconnecting') => void;
};

export type CancelOptions = CallOptions & {
  readonly reason?: string;
  /** Wait until everything has stopped. */
  readonly wait?: boolean;
  readonly timeoutMs?: number;
};
export type CancelReceipt = {
  /** What the run or subagent is now: `cancelling` when the request is recorded, or its end. */
  readonly status: RunStatus | SubagentStatus;
  /** Subagents that were open when the request was recorded. */
  readonly affected: readonly string[];
  /** How the cancel went, where it was waited for: of the run, or of the one subagent. */
  readonly cancel?: RunCancel | SubagentCancel;
};

/** For whatever changes a run: idempotent by `requestId`, and refused within seconds where no worker answers. */
export type SteerOptions = CallOptions & {
  /** The same id twice has one effect and one answer. */
  readonly requestId?: string;
};
export type AddBudgetOptions = SteerOptions & { readonly subagentId?: string; readonly reason?: string };
export type ApprovePlanOptions = SteerOptions & {
  /** Applied in their order, all or none, before the fan-out begins. */
  readonly edits?: readonly PlanEdit[];
};
export type ApproveOptions = SteerOptions & {
  /** Instead of the model's; checked by the tool before it runs. */
  readonly args?: Record<string, unknown>;
  /** `run`: the same tool is not asked for again in this run. */
  readonly remember?: 'never' | 'run';
  readonly reason?: string;
};
/** What is different from the run before: whatever is left out stays. */
export type ChangedInput = Partial<Omit<StartInput, 'runId' | 'budget' | 'models' | 'join' | 'tools'>> & {
  readonly [K in 'budget' | 'models' | 'join' | 'tools']?: Partial<NonNullable<StartInput[K]>>;
};
export type RetryOptions = StartOptions & {
  /** Default `finished`: every finished subagent that would be asked the same. A list: those of them alone. */
  readonly reuse?: Reuse;
  /** Limits of the whole line of runs: what was spent before counts. */
  readonly budget?: ChangedInput['budget'];
  readonly input?: ChangedInput;
};
export type RerunOptions = StartOptions & {
  readonly from: RerunPoint;
  /** What is different for the subagent that it begins from. */
  readonly edit?: SubagentEdit;
  readonly budget?: ChangedInput['budget'];
  readonly input?: ChangedInput;
};
export type RetrySubagentOptions = SteerOptions & {
  /** What it may use, out of what the run has left. Default: as much as the others got, or what is left of that. */
  readonly budget?: { readonly tokens?: number };
};
export type DenyOptions = SteerOptions & { readonly reason?: string };
export type PendingApproval = ApprovalView & { readonly runId: string };

export type DeleteOptions = CallOptions & {
  /** Answers the same and removes nothing. */
  readonly dryRun?: boolean;
};
export type DeleteReceipt = {
  readonly runId: string;
  readonly dryRun: boolean;
  /** Workflow executions: the run's and those of all below it. */
  readonly histories: number;
  /** Whether there was a record of it. */
  readonly record: boolean;
  readonly blobs: number;
  readonly bytes: number;
  /** Blobs of the run that stay: others use them, or they were stored again since. */
  readonly blobsKept: number;
  /** Runs that use them. */
  readonly users: readonly string[];
};

export type RunFilter = {
  readonly status?: readonly RunStatus[];
  readonly text?: string;
  readonly startedAfter?: string;
  /** At most this many, newest first. Default 50. */
  readonly limit?: number;
};

export interface RunHandle {
  readonly runId: string;
  /** The run as it is now, from its histories. Rejects with `RUN_NOT_FOUND`. */
  describe(options?: CallOptions): Promise<RunDescription>;
  /** Ends after the `result` event. Closing it never touches the run. */
  watch(options?: WatchOptions): AsyncIterable<RunEvent>;
  /** Waits for the end. Resolves for every terminal status; the document says which. */
  result(options?: ResultOptions): Promise<RunResult>;
  /**
   * The run as one text to take away (`md`, `html`, `json` = a `RunExport`, `jsonl` = its events): as it ended, or as far as
   * it is. `RUN_NOT_FOUND`, `STORE_UNAVAILABLE`.
   */
  export(options: CallOptions & { readonly format: ExportFormat }): Promise<string>;
  /**
   * The raw histories of the run and of everything below it, for a replay: Temporal's check of recorded work against
   * today's code, neither a retry nor a rerun. Decodes nothing and needs no worker. `RUN_NOT_FOUND`.
   */
  histories(options?: CallOptions): AsyncIterable<RecordedWorkflow>;
  /** Cooperative; reaches every subagent. Resolves when the request is recorded. `RUN_ENDED` when there is nothing to cancel. */
  cancel(options?: CancelOptions): Promise<CancelReceipt>;
  /** One subagent; the others go on. `SUBAGENT_NOT_FOUND`, `RUN_ENDED`. */
  cancelSubagent(subagentId: string, options?: CancelOptions): Promise<CancelReceipt>;
  /** No new work; what runs hands back within its grace; then the report, and the run ends `partial`. `RUN_ENDED`, `NO_WORKER`. */
  finalize(options?: SteerOptions & { readonly reason?: string }): Promise<void>;
  /** No clean-up and no report; for a cancel that does not land. Needs no worker. `RUN_ENDED`. */
  terminate(reason: string, options?: CallOptions): Promise<{ readonly affected: readonly string[] }>;
  /**
   * Adds to the limits, never sets them, so two callers cannot undo each other. Yields the meters after it.
   * `BUDGET_CEILING`, `SUBAGENT_NOT_FOUND`, `RUN_ENDED`, `NO_WORKER`.
   */
  addBudget(add: BudgetRaiseInput, options?: AddBudgetOptions): Promise<BudgetState>;
  /**
   * Starts one again that has ended without a full answer, while the others go on: the run waits for it, and its new outcome
   * counts. Not `retry`, which is a new run. `SUBAGENT_NOT_FOUND`, `ALREADY_DECIDED`, `BUDGET_EXHAUSTED`, `RUN_ENDED`,
   * `NO_WORKER`.
   */
  retrySubagent(subagentId: string, options?: RetrySubagentOptions): Promise<void>;
  /** Begins the fan-out of a run that was started with `plan: 'review'`. `ALREADY_DECIDED`, `INVALID_REQUEST`, `NO_WORKER`. */
  approvePlan(options?: ApprovePlanOptions): Promise<void>;
  /** Has the planner write another plan, and tells it why. `ALREADY_DECIDED`, `NO_WORKER`. */
  revisePlan(feedback: string, options?: SteerOptions): Promise<void>;
  /** Lets a call run. `APPROVAL_NOT_FOUND`, `ALREADY_DECIDED`, `NO_WORKER`. */
  approve(approvalId: string, options?: ApproveOptions): Promise<ApprovalOutcome>;
  /** Answers a call as denied; the subagent goes on. Codes as of `approve`. */
  deny(approvalId: string, options?: DenyOptions): Promise<ApprovalOutcome>;
  /**
   * A new run that takes over every finished subagent, the plan, the drafts and what was spent, and goes on with the rest.
   * For an ended run of every kind; needs no worker. Not a replay: it does new work. `RUN_OPEN`, `INVALID_REQUEST`.
   */
  retry(options?: RetryOptions): Promise<RunHandle>;
  /** A new run that does everything from a point on anew, edited where wanted. `RUN_OPEN`, `INVALID_REQUEST`, `SUBAGENT_NOT_FOUND`. */
  rerun(options: RerunOptions): Promise<RunHandle>;
  /**
   * Removes an ended run for good: histories, record, and the blobs that nothing else refers to. Needs a client with a store.
   * `RUN_OPEN`, `STORE_UNAVAILABLE`, `STORE_MISMATCH`; then nothing was removed.
   */
  delete(options?: DeleteOptions): Promise<DeleteReceipt>;
}

export interface ResearchApi {
  /** Validates, starts, and resolves when the server has the run. Starts nothing on `INVALID_REQUEST`. */
  start(input: StartInput, options?: StartOptions): Promise<RunHandle>;
  /** `start` and `result` in one. */
  execute(input: StartInput, options?: StartOptions & ResultOptions): Promise<RunResult>;
  /** What a run with this input may use. Starts and spends nothing. `INVALID_REQUEST`, as for `start`. */
  estimate(input: StartInput, options?: StartOptions): Promise<Estimate>;
  /** No I/O. */
  getHandle(runId: string): RunHandle;
  /** Checks that the run exists; accepts a unique prefix (with or without `run_`) and `@last`. `RUN_NOT_FOUND`. */
  attach(runId: string, options?: CallOptions): Promise<RunHandle>;
  list(filter?: RunFilter): AsyncIterable<RunSummary>;
  /** Calls that wait for a person, in one run or in all. */
  approvals(filter?: { readonly runId?: string } & CallOptions): AsyncIterable<PendingApproval>;
  /** Whether a worker has polled the task queue of runs within the last moments. */
  hasWorker(options?: CallOptions): Promise<boolean>;
}
