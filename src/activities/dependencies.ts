/** What activities are built over. The worker program is the only place that fills it. */
import type { BudgetCeiling } from '../contract/budget.ts';
import type { ModelUsage, OutlineEntry } from '../contract/model.ts';
import type { Rates } from '../contract/price.ts';
import type { RateLimit } from '../contract/rate-limits.ts';
import type { WebPolicy } from '../contract/request.ts';
import type { Delegation } from '../contract/tool.ts';
import type { ModelChoice } from '../contract/model-choice.ts';
import type { RunRecord } from '../contract/run-record.ts';
import type { LeftWork } from '../contract/left-work.ts';
import type { StoppedUsage } from '../contract/stopped-usage.ts';
import type { Model } from '../models/model.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { RateBuckets } from '../store/buckets/rate-buckets.ts';
import type { Tool } from '../tools/tool.ts';

/** The tools of one run, and what its corpus holds. */
export type Toolbox = {
  readonly tools: readonly Tool[];
  /** What a planner should know of the corpus for this question, best first. */
  outline(question: string, limit: number): readonly OutlineEntry[];
  /** What people should know: files that could not be read. */
  readonly notes: readonly string[];
};

/** What a run works on: a folder of documents, the web, both or neither; and whether the caller may fan out itself. */
export type ToolScope = {
  readonly corpus?: string | undefined;
  readonly web?: WebPolicy | undefined;
  readonly delegation?: Delegation | undefined;
};

/** How runs reach those who wait for news of them. */
export type Notices = {
  /** Whether this worker runs this command when a run names it. */
  mayRun(command: readonly string[]): Promise<boolean>;
  /** Goes through the proxy that is configured. */
  readonly fetch: typeof globalThis.fetch;
};
export type ModelTraffic = { readonly taskQueue: string | null; readonly limit: RateLimit | null };

export type ActivityDependencies = {
  readonly store: BlobStore;
  /** The most that a run may be given here; absent = no limit. */
  readonly ceiling?: BudgetCeiling;
  /** Events after which a subagent goes on in a new history; absent = the default. */
  readonly maxHistoryEvents?: number;
  /** `MODEL_UNKNOWN`, `MODEL_SCRIPT_INVALID` or `MODEL_AUTH` where the model cannot be used here. */
  openModel(choice: Pick<ModelChoice, 'model' | 'baseUrl'>): Promise<Model>;
  /**
   * `CORPUS_UNREADABLE` where the folder cannot be used. `refresh` looks at the folder again; without it, what was
   * opened before is used.
   */
  openToolbox(scope: ToolScope, options?: { readonly refresh: boolean }): Promise<Toolbox>;
  /** The most that a token can cost; `null` where nobody knows the price. */
  ratesOf(choice: Pick<ModelChoice, 'model' | 'price'>): Rates | null;
  /** The task queue of its calls, `null` = the run's own, and the limit that its provider sets, where it is known. */
  trafficOf(choice: Pick<ModelChoice, 'model' | 'baseUrl'>): ModelTraffic;
  /** USD of what one model call used; `null` where nobody knows the price. */
  priceUsage(choice: Pick<ModelChoice, 'model' | 'price'>, usage: ModelUsage): number | null;
  /** Where the requests of all models wait for their turn. */
  readonly buckets: RateBuckets;
  /** What a subagent used, from its own history: for those that closed without saying so. */
  readStoppedUsage(runId: string, subagentId: string): Promise<StoppedUsage>;
  /** What a subagent that has ended left to go on with, from its own history. */
  readLeftWork(runId: string, subagentId: string, signal: AbortSignal): Promise<LeftWork>;
  /** A run that has ended, with all of its subagents closed. `RUN_OPEN`, `RUN_NOT_FOUND`. */
  readEndedRun(run: { readonly runId: string; readonly firstRunId: string }, signal: AbortSignal): Promise<RunRecord>;
  readonly notices: Notices;
};
