/** What activities are built over. The worker program is the only place that fills it. */
import type { OutlineEntry } from '../contract/model.ts';
import type { StoppedUsage } from '../contract/steps.ts';
import type { Model } from '../models/model.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Tool } from '../tools/tool.ts';

/** The tools of one run, and what its corpus holds. */
export type Toolbox = {
  readonly tools: readonly Tool[];
  /** What a planner should know of the corpus for this question, best first. */
  outline(question: string, limit: number): readonly OutlineEntry[];
  /** What people should know: files that could not be read. */
  readonly notes: readonly string[];
};

export type ActivityDependencies = {
  readonly store: BlobStore;
  /** `MODEL_UNKNOWN` or `MODEL_SCRIPT_INVALID` where the name means nothing here. */
  openModel(name: string): Promise<Model>;
  /**
   * `CORPUS_UNREADABLE` where the folder cannot be used. `undefined`: a run without a corpus. `refresh` looks at the
   * folder again; without it, what was opened before is used.
   */
  openToolbox(corpus: string | undefined, options?: { readonly refresh: boolean }): Promise<Toolbox>;
  /** What a subagent used, from its own history: for those that closed without saying so. */
  readStoppedUsage(runId: string, subagentId: string): Promise<StoppedUsage>;
};
