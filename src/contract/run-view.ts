/** What watchers see: the run as the projection folds it, and the events that it emits on the way. */
import type { BudgetState, Usage } from './budget.ts';
import type { ApprovalOutcome } from './control.ts';
import type { RunCancel, SubagentCancel } from './cancel-proof.ts';
import type { Lineage } from './origin.ts';
import type { OutcomeReason, OutcomeStatus } from './outcome.ts';
import type { ResearchRequest } from './request.ts';
import type { Draft, RunResult, TerminalRunStatus } from './result.ts';

/** Statuses of a run that somebody is needed for. */
export const blockedStatuses = ['awaiting-plan', 'awaiting-approval', 'paused-budget'] as const;
export type BlockedStatus = (typeof blockedStatuses)[number];
export type RunStatus =
  'queued' | 'planning' | 'running' | 'synthesizing' | 'cancelling' | BlockedStatus | TerminalRunStatus;
export type SubagentStatus =
  'queued' | 'running' | 'retrying' | 'awaiting-approval' | 'paused-budget' | 'cancelling' | OutcomeStatus;

export type ToolCallView = {
  readonly callId: string;
  readonly tool: string;
  /** First characters of the arguments. */
  readonly input: string;
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly ok?: boolean;
  readonly preview?: string;
};

/** A call that waits, or waited, for a person's decision. */
export type ApprovalView = {
  /** `ap_1` is the first of the run. */
  readonly id: string;
  readonly subagentId: string;
  readonly tool: string;
  /** The arguments, as the person reads them. */
  readonly input: string;
  readonly requestedAt: string;
  /** `null` where it is not known. */
  readonly expiresAt: string | null;
  /** Absent while it is open. */
  readonly outcome?: ApprovalOutcome;
};

export type SubagentView = {
  readonly id: string;
  readonly parentId: string | null;
  readonly goal: string;
  readonly status: SubagentStatus;
  readonly reason?: OutcomeReason;
  readonly message?: string;
  /** The run that did the work, where it was taken over. */
  readonly reusedFrom?: string;
  /** Why it is done again, or gone on with, in a run that takes over another one. */
  readonly again?: string;
  /** From 2 on: how often it was started; what it used before is part of its usage. */
  readonly attempt?: number;
  readonly startedAt?: string;
  readonly closedAt?: string;
  /** Spent so far, from its own history. */
  readonly usage: Usage;
  readonly limitTokens: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly findings: number;
  /** The newest tool call. */
  readonly lastCall?: ToolCallView;
  /** The open model call, when there is one. */
  readonly modelCallSince?: string;
  /** From a describe call, not from the history: `retry 2/3 in 8s`. */
  readonly live?: string;
  /** How its cancel went, once it was asked to stop. */
  readonly cancel?: SubagentCancel;
};

export type RunSummary = {
  readonly runId: string;
  readonly title: string;
  readonly status: RunStatus;
  readonly startedAt: string;
  readonly closedAt?: string;
  readonly spentTokens: number;
  readonly limitTokens: number;
  readonly spentUsd: number | null;
  /** `true` where part of what was spent is a charge for something whose true usage is not known. */
  readonly estimated: boolean;
  /** `null` where the money is not limited. */
  readonly limitUsd: number | null;
  /** Subagents by status. */
  readonly subagents: Readonly<Record<string, number>>;
  readonly tags: readonly string[];
  /** Whose work it takes over. */
  readonly origin?: Lineage;
};

export type RunDescription = RunSummary & {
  /** Its history is gone: this is what was kept of it. */
  readonly isKept?: true;
  /** Opaque; pass it back as `after`. */
  readonly cursor: string;
  readonly request: ResearchRequest | null;
  readonly budget: BudgetState;
  readonly usage: Usage;
  /** What the run that is taken over had used; it is part of `usage`. */
  readonly earlier?: Usage;
  /** Runs that took over this one's work. */
  readonly successors?: readonly (Lineage & { readonly status: RunStatus })[];
  readonly toolCallsPerMessage: number | null;
  readonly tree: readonly SubagentView[];
  readonly notes: readonly string[];
  readonly failure?: { readonly code: string; readonly message: string };
  /** When a cancel was asked for, and why. */
  readonly cancelRequestedAt?: string;
  readonly cancelReason?: string;
  /** Calls that people were asked to decide on, in the order in which they were asked. */
  readonly approvals: readonly ApprovalView[];
  /** Drafts of a progressive run so far. */
  readonly drafts: readonly Draft[];
  /** When the report was asked for, and by whom. */
  readonly finalizeRequested?: { readonly at: string; readonly by: string; readonly reason?: string };
  /** How the cancel went: the run and all its subagents. */
  readonly cancel?: RunCancel;
  readonly lastEventAt: string;
  readonly temporal: { readonly workflowId: string; readonly firstRunId: string; readonly url?: string };
};

type Base = {
  readonly cursor: string;
  readonly at: string;
  readonly runId: string;
  readonly subagentId?: string;
  readonly parentId?: string;
};
export type RunEvent = Base &
  (
    | { readonly type: 'snapshot'; readonly run: RunDescription }
    | { readonly type: 'run-status'; readonly status: RunStatus; readonly reason?: string }
    /** Waits for a person's approval. */
    | { readonly type: 'plan-proposed'; readonly subtasks: readonly { readonly id: string; readonly goal: string }[] }
    | { readonly type: 'plan-approved'; readonly subtasks: readonly { readonly id: string; readonly goal: string }[] }
    | {
        readonly type: 'subagent-status';
        readonly status: SubagentStatus;
        readonly attempt: number;
        readonly reason?: string;
        /** Of a subagent that another one started: it stands in no plan. */
        readonly goal?: string;
        readonly reusedFrom?: string;
        readonly again?: string;
      }
    | { readonly type: 'tool-call-started'; readonly toolCallId: string; readonly tool: string; readonly input: string }
    | {
        readonly type: 'tool-call-finished';
        readonly toolCallId: string;
        readonly tool: string;
        readonly ok: boolean;
        readonly durationMs: number;
        readonly output?: string;
        readonly error?: string;
      }
    | {
        readonly type: 'source-found';
        readonly source: { readonly id: string; readonly url: string; readonly title: string };
      }
    | {
        readonly type: 'finding-added';
        readonly findingId: string;
        readonly text: string;
        readonly sourceIds: readonly string[];
      }
    | {
        readonly type: 'budget-updated';
        readonly budget: BudgetState;
        /** With a `subagentId`: what that subagent has spent so far. */
        readonly usage?: Usage;
        /** … and what it may spend; absent before it has started. */
        readonly limitTokens?: number;
      }
    | { readonly type: 'budget-raised'; readonly budget: BudgetState; readonly by: string; readonly reason?: string }
    /** A draft of a progressive run, over these subagents' answers. */
    | { readonly type: 'draft-written'; readonly number: number; readonly subagents: readonly string[] }
    | { readonly type: 'finalize-requested'; readonly by: string; readonly reason?: string }
    | { readonly type: 'approval-requested'; readonly approval: ApprovalView }
    | { readonly type: 'approval-resolved'; readonly outcome: ApprovalOutcome }
    /** Shown, never counted: what a describe call knows of its open activity (`retry 2/3 in 8s`); `null` = nothing any more. */
    | { readonly type: 'subagent-live'; readonly live: string | null }
    | { readonly type: 'resync'; readonly reason: string }
    | {
        readonly type: 'result';
        readonly status: TerminalRunStatus;
        readonly exitCode: number;
        readonly result: RunResult;
      }
  );
