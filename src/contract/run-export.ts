/** A run to take away: everything that people see of it, in one document. */
import type { BudgetState } from './budget.ts';
import type { RunResult, SourceView } from './result.ts';
import type { RunDescription, RunEvent } from './run-view.ts';

export const exportFormats = ['md', 'html', 'json', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** A claim that a subagent handed back. */
export type Finding = {
  /** `s1.2` is the second claim of `s1`; what drafts of the report cite. */
  readonly id: string;
  readonly subagentId: string;
  readonly text: string;
  readonly sourceId: string;
  readonly quote: string;
};

/** What `export --format json` writes, and what the other formats are rendered from. */
export type RunExport = {
  readonly type: 'export';
  readonly runId: string;
  /** The run with its tree of subagents; `null` where its history is gone. */
  readonly run: RunDescription | null;
  /** `null` while the run goes on. One of `run` and `result` is there. */
  readonly result: RunResult | null;
  /** Every document that a tool read, once, with the first subagent that read it. */
  readonly sources: readonly SourceView[];
  /** Of every subagent that has handed back an answer, in the order of the tree. */
  readonly findings: readonly Finding[];
  readonly budget: BudgetState;
  /** In the order in which a watcher is told; the last one is the `result` of a run that has ended. */
  readonly events: readonly RunEvent[];
};
