/** Keeps a description of a run current between snapshots, for what a terminal shows. Nothing is decided from it. */
import { outcomeReasons, outcomeStatuses, type OutcomeReason } from '../../contract/outcome.ts';
import { terminalRunStatuses } from '../../contract/result.ts';
import type { RunDescription, RunEvent, RunStatus, SubagentStatus, SubagentView } from '../../contract/run-view.ts';
import { parentOf, toTreeOrder } from '../../domain/subagent-tree.ts';

const endedSubagent: readonly SubagentStatus[] = outcomeStatuses;
const endedRun: readonly RunStatus[] = terminalRunStatuses;

export function hasEnded(status: RunStatus): boolean {
  return endedRun.includes(status);
}

export function hasSubagentEnded(status: SubagentStatus): boolean {
  return endedSubagent.includes(status);
}

/** `null` until the first snapshot. An end never turns back into work, whatever order events and snapshots come in. */
export function foldRunEvent(run: RunDescription | null, event: RunEvent): RunDescription | null {
  if (event.type === 'snapshot') return run && run.lastEventAt > event.run.lastEventAt ? run : event.run;
  if (!run) return null;
  const next = { ...run, cursor: event.cursor, lastEventAt: event.at > run.lastEventAt ? event.at : run.lastEventAt };
  switch (event.type) {
    case 'run-status':
      return hasEnded(run.status) ? next : { ...next, status: event.status };
    case 'plan-approved':
      // What a person took out of the plan is gone; what has started is of it.
      return event.subtasks.reduce<RunDescription>(
        (all, task) => changeSubagent(all, task.id, (view) => ({ ...view, goal: task.goal })),
        { ...next, tree: next.tree.filter(({ id, startedAt }) => startedAt !== undefined || isPlanned(event, id)) },
      );
    case 'subagent-status':
      return changeSubagent(next, event.subagentId, (known) => {
        const view = event.attempt > (known.attempt ?? 1) ? toNextAttempt(known, event.attempt) : known;
        return hasSubagentEnded(view.status) || event.attempt < (view.attempt ?? 1)
          ? view
          : {
              ...view,
              status: event.status,
              ...(event.goal !== undefined && { goal: event.goal }),
              ...(hasSubagentEnded(event.status) ? { closedAt: event.at } : {}),
              ...(event.status === 'running' && view.startedAt === undefined ? { startedAt: event.at } : {}),
              ...(event.reason !== undefined && { reason: toReason(event.reason) }),
              ...(event.reusedFrom !== undefined && { reusedFrom: event.reusedFrom }),
              ...(event.again !== undefined && { again: event.again }),
              live: undefined,
            };
      });
    case 'tool-call-started':
      return changeSubagent(next, event.subagentId, (view) =>
        view.lastCall && view.lastCall.startedAt > event.at
          ? view
          : {
              ...view,
              lastCall: { callId: event.toolCallId, tool: event.tool, input: event.input, startedAt: event.at },
              modelCallSince: undefined,
              live: undefined,
            },
      );
    case 'tool-call-finished':
      return changeSubagent(next, event.subagentId, (view) =>
        view.lastCall?.callId === event.toolCallId
          ? { ...view, lastCall: { ...view.lastCall, finishedAt: event.at, ok: event.ok }, live: undefined }
          : view,
      );
    case 'budget-updated':
      return changeSubagent(
        { ...next, budget: event.budget, spentTokens: event.budget.tokens.spent },
        event.subagentId,
        (view) => ({
          ...view,
          limitTokens: event.limitTokens ?? view.limitTokens,
          ...(event.usage && { usage: event.usage, toolCalls: Math.max(view.toolCalls, event.usage.toolCalls) }),
        }),
      );
    case 'subagent-live':
      return changeSubagent(next, event.subagentId, (view) => toLiveView(view, event.live));
    case 'result':
      return { ...next, status: event.status, closedAt: event.at };
    case 'finding-added':
      return changeSubagent(next, event.subagentId, (view) => ({ ...view, findings: view.findings + 1 }));
    case 'plan-proposed':
      return { ...next, tree: event.subtasks.map(({ id, goal }) => ({ ...openSubagent(id), goal })) };
    case 'budget-raised':
      return { ...next, budget: event.budget, limitTokens: event.budget.tokens.limit };
    case 'approval-requested':
      return { ...next, approvals: [...next.approvals.filter(({ id }) => id !== event.approval.id), event.approval] };
    case 'approval-resolved':
      return {
        ...next,
        approvals: next.approvals.map((each) =>
          each.id === event.outcome.id ? { ...each, outcome: event.outcome } : each,
        ),
      };
    case 'draft-written':
    case 'finalize-requested':
    case 'source-found':
    case 'resync':
      return next;
    default:
      return event satisfies never;
  }
}

function isPlanned(event: Extract<RunEvent, { type: 'plan-approved' }>, id: string): boolean {
  return event.subtasks.some((task) => task.id === id);
}

function changeSubagent(
  run: RunDescription,
  id: string | undefined,
  change: (view: SubagentView) => SubagentView,
): RunDescription {
  if (id === undefined) return run;
  const known = run.tree.some((view) => view.id === id);
  const tree = known ? run.tree : toTreeOrder([...run.tree, openSubagent(id)]);
  return { ...run, tree: tree.map((view) => (view.id === id ? change(view) : view)) };
}

/** It is started again: what it costs goes on, how it ended is over. */
function toNextAttempt(view: SubagentView, attempt: number): SubagentView {
  const { id, parentId, goal, usage, limitTokens, turns, toolCalls, again } = view;
  const kept = { id, parentId, goal, usage, limitTokens, turns, toolCalls, ...(again !== undefined && { again }) };
  return { ...kept, attempt, status: 'queued', findings: 0 };
}

/** A running subagent whose call is tried again shows as retrying, and back. */
function toLiveView(view: SubagentView, live: string | null): SubagentView {
  if (hasSubagentEnded(view.status)) return view;
  const isRetrying = live?.startsWith('retry ') === true;
  const status =
    view.status === 'running' && isRetrying
      ? 'retrying'
      : view.status === 'retrying' && !isRetrying
        ? 'running'
        : view.status;
  return { ...view, status, live: live ?? undefined };
}

function toReason(reason: string): OutcomeReason | undefined {
  return outcomeReasons.find((known) => known === reason);
}

function openSubagent(id: string): SubagentView {
  return {
    id,
    parentId: parentOf(id),
    goal: '',
    status: 'queued',
    usage: { inputTokens: 0, outputTokens: 0, tokens: 0, usd: 0, toolCalls: 0, wallClockMs: 0, estimated: false },
    limitTokens: 0,
    turns: 0,
    toolCalls: 0,
    findings: 0,
  };
}
