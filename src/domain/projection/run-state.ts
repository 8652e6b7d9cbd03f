/** What is known of a run and of the subagents below it. Plain data; each step of the fold replaces what it changes. */
import type { Amounts, Usage } from '../../contract/budget.ts';
import type { ResearchRequest } from '../../contract/request.ts';
import type { Draft, RecordedResult, TerminalRunStatus } from '../../contract/result.ts';
import type { BlockedStatus, RunStatus } from '../../contract/run-view.ts';
import { parentOf, rootOf } from '../subagent-tree.ts';
import { noUsage } from '../usage.ts';
import type { CancelTrace } from './cancel-proof.ts';
import type { OpenActivity } from './open-activity.ts';
import { addShare, noShare, type Share, shareOf } from './share.ts';
import { openSubagent, type SubagentFold } from './subagent-state.ts';

/** All that the facts so far say of a run. `describe-run` turns it into what people see. */
export type RunView = {
  readonly runId: string;
  readonly firstRunId: string;
  /** `null` where the input is no request, as in a run that was started by hand with something else. */
  readonly request: ResearchRequest | null;
  readonly question: string;
  readonly startedAt: string;
  readonly closedAt?: string;
  readonly lastEventAt: string;
  /** How far the work has come; a cancel and the end are kept apart from it. */
  readonly phase: Extract<RunStatus, 'queued' | 'planning' | 'running' | 'synthesizing'>;
  /** Somebody is needed, by the run's own word. */
  readonly blocked: BlockedStatus | null;
  /** The plan waits for approval. */
  readonly isProposed: boolean;
  /** What people have added to the limits so far. */
  readonly raised: Amounts & { readonly wallClockMs: number };
  /** How many calls people were asked to decide on. */
  readonly approvalCount: number;
  readonly finalizing?: { readonly at: string; readonly by: string; readonly reason?: string };
  readonly cancelRequested?: { readonly at: string; readonly reason: string };
  /** From its own history, once it was asked to stop. */
  readonly cancelTrace?: CancelTrace;
  readonly end: TerminalRunStatus | null;
  readonly failure?: { readonly code: string; readonly message: string };
  /** Drafts of a progressive run, in the order in which they were written. */
  readonly drafts: readonly Draft[];
  /** What the run that this one takes over has used, with all before it. */
  readonly earlier: Usage;
  readonly planner: Usage;
  readonly synthesis: Usage;
  /** From then on the report's reserve is no longer held. */
  readonly hasSynthesisBegun: boolean;
  readonly synthesisReserveMinTokens: number;
  readonly open: Readonly<Record<number, OpenActivity>>;
  readonly notes: readonly string[];
  /** Once it knows with what it works; `null` before. */
  readonly opened: {
    readonly storeId: string;
    readonly tools: readonly string[];
    readonly promptVersion: number;
  } | null;
  /** Ids and goals in plan order, once there is a plan. */
  readonly plan: readonly { readonly id: string; readonly goal: string }[] | null;
  /** In plan order, then in the order of their start. */
  readonly subagents: readonly SubagentFold[];
  readonly positions: Readonly<Record<string, number>>;
  /** Ids of those that a subagent started itself. */
  readonly below: Readonly<Record<string, readonly string[]>>;
  /** The sum of the shares of all subagents that the run started. */
  readonly shares: Share;
  readonly recorded: RecordedResult | null;
};

/** A run of which nothing is known yet. `synthesisReserveMinTokens` is the floor of what is kept for the report. */
export function openRunView(runId: string, options: { readonly synthesisReserveMinTokens: number }): RunView {
  return {
    runId,
    firstRunId: '',
    request: null,
    question: '',
    startedAt: '',
    lastEventAt: '',
    phase: 'queued',
    blocked: null,
    isProposed: false,
    raised: { tokens: 0, toolCalls: 0, microUsd: 0, wallClockMs: 0 },
    approvalCount: 0,
    end: null,
    drafts: [],
    earlier: noUsage,
    planner: noUsage,
    synthesis: noUsage,
    hasSynthesisBegun: false,
    synthesisReserveMinTokens: options.synthesisReserveMinTokens,
    open: {},
    notes: [],
    opened: null,
    plan: null,
    subagents: [],
    positions: {},
    below: {},
    shares: noShare,
    recorded: null,
  };
}

export function subagentOf(view: RunView, id: string): SubagentFold | undefined {
  return Object.hasOwn(view.positions, id) ? view.subagents[view.positions[id]!] : undefined;
}

export function runStatusOf(view: RunView): RunStatus {
  return view.end ?? (view.cancelRequested ? 'cancelling' : (view.blocked ?? view.phase));
}

/** Opens the subagent where it is new, and keeps the sum of the shares. */
export function changeSubagent(view: RunView, id: string, change: (subagent: SubagentFold) => SubagentFold): RunView {
  const known = subagentOf(view, id);
  const after = change(known ?? openSubagent(id, ''));
  if (after === known) return view;
  const changed = known
    ? { ...view, subagents: view.subagents.with(view.positions[id]!, after) }
    : withSubagent(view, after);
  // What it uses is used by the one of the run that it is below.
  const root = rootOf(id);
  const shares = addShare(
    addShare(view.shares, shareOf(view, subagentOf(view, root)), -1),
    shareOf(changed, subagentOf(changed, root)),
    1,
  );
  return { ...changed, shares };
}

function withSubagent(view: RunView, added: SubagentFold): RunView {
  const parent = parentOf(added.id);
  return {
    ...view,
    positions: { ...view.positions, [added.id]: view.subagents.length },
    subagents: [...view.subagents, added],
    ...(parent !== null && {
      below: { ...view.below, [parent]: [...(view.below[parent] ?? []), added.id] },
    }),
  };
}
