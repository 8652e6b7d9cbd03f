/** The library: what a program needs to start, watch and cancel runs. */
export { ResearchClient } from './client/research-client.ts';
export type {
  CancelOptions,
  CancelReceipt,
  ResearchApi,
  ResultOptions,
  RunFilter,
  RunHandle,
  StartInput,
  StartOptions,
  WatchOptions,
} from './client/research-api.ts';
export type { Estimate, Range } from './contract/estimate.ts';
export { defaults } from './contract/defaults.ts';
export { failureCodeOf, TributaryError, type FailureCode } from './contract/failure.ts';
export type { Usage, BudgetState } from './contract/budget.ts';
export type { RunResult, Citation, Gap, SourceView } from './contract/result.ts';
export type { ExportFormat, Finding, RunExport } from './contract/run-export.ts';
export type {
  RunDescription,
  RunEvent,
  RunStatus,
  RunSummary,
  SubagentStatus,
  SubagentView,
} from './contract/run-view.ts';
export { ratesOf } from './models/price/price-catalogue.ts';
