/** Turns the fold into what people see: the description of a run, its tree, and its line in a list. */
import type { RunCancel } from '../../contract/cancel-proof.ts';
import type { RunDescription, RunSummary, SubagentView } from '../../contract/run-view.ts';
import type { ResearchRequest } from '../../contract/request.ts';
import { toLineage } from '../adoption/to-lineage.ts';
import { approvalsOf } from './approvals.ts';
import { attemptsOf } from './attempts.ts';
import { toRunCancel, toSubagentCancel } from './cancel-proof.ts';
import { budgetOf, usageOfRun } from './run-budget.ts';
import { readClaims } from './read-payload.ts';
import { type RunView, runStatusOf } from './run-state.ts';
import {
  closedAtOf,
  closingOf,
  isRequeued,
  limitOf,
  reasonOf,
  shownAttemptOf,
  type SubagentFold,
  statusOf,
} from './subagent-state.ts';
import { wholeUsageOf } from './whole-usage.ts';
import { elapsedMs } from './epoch-ms.ts';
import { ofRun, parentOf, toTreeOrder } from '../subagent-tree.ts';
import { previewText } from '../text.ts';
import { sumTurns } from '../sum-attempts.ts';

const maxTitleChars = 80;

/** The title of a run: the caller's, or the beginning of the question. */
export function toTitle(request: Pick<ResearchRequest, 'title' | 'question'>): string {
  return request.title ?? previewText(request.question, maxTitleChars);
}

/** `cursor` and `workflowId` are the reader's; `atIso` is the time up to which open clocks are shown. */
export function toRunDescription(
  view: RunView,
  context: { readonly cursor: string; readonly workflowId: string; readonly atIso: string },
): RunDescription {
  const tree = toTreeOrder(view.subagents).map((subagent) => toSubagentView(view, subagent, context.atIso));
  const usage = usageOfRun(view, context.atIso);
  const cancel = cancelOf(view);
  return {
    ...toSummary(view, tree),
    spentUsd: usage.usd,
    estimated: usage.estimated,
    cursor: context.cursor,
    request: view.request,
    budget: budgetOf(view, context.atIso),
    usage,
    ...(view.request?.origin && { earlier: view.earlier }),
    toolCallsPerMessage: toolCallsPerMessageOf(view),
    tree,
    notes: view.notes,
    ...(view.failure && { failure: view.failure }),
    ...(view.cancelRequested && {
      cancelRequestedAt: view.cancelRequested.at,
      ...(view.cancelRequested.reason !== '' && { cancelReason: view.cancelRequested.reason }),
    }),
    approvals: approvalsOf(view),
    drafts: view.recorded?.drafts ?? view.drafts,
    ...(view.finalizing && { finalizeRequested: view.finalizing }),
    ...(cancel && { cancel }),
    lastEventAt: view.lastEventAt,
    temporal: { workflowId: context.workflowId, firstRunId: view.firstRunId },
  };
}

function toSummary(view: RunView, tree: readonly SubagentView[]): Omit<RunSummary, 'spentUsd' | 'estimated'> {
  const budget = budgetOf(view, view.lastEventAt);
  const counts: Record<string, number> = {};
  for (const { status } of ofRun(tree)) counts[status] = (counts[status] ?? 0) + 1;
  return {
    runId: view.runId,
    title: view.request ? toTitle(view.request) : view.runId,
    status: runStatusOf(view),
    startedAt: view.startedAt,
    ...(view.closedAt !== undefined && { closedAt: view.closedAt }),
    spentTokens: budget.tokens.spent,
    limitTokens: budget.tokens.limit,
    limitUsd: budget.usd?.limit ?? null,
    subagents: counts,
    tags: view.request?.tags ?? [],
    ...(view.request?.origin && { origin: toLineage(view.request.origin) }),
  };
}

export function toSubagentView(view: RunView, subagent: SubagentFold, atIso: string): SubagentView {
  const isWaiting = isRequeued(subagent) && !subagent.recorded;
  const closedAt = isWaiting ? undefined : (closedAtOf(subagent) ?? (subagent.recorded ? view.closedAt : undefined));
  const attempt = shownAttemptOf(subagent);
  const reason = reasonOf(subagent, view.cancelRequested !== undefined);
  const message = messageOf(subagent);
  const modelCall = Object.values(subagent.open).find((activity) => activity.activityType === 'callModelActivity');
  return {
    id: subagent.id,
    parentId: parentOf(subagent.id),
    goal: subagent.goal,
    status: statusOf(subagent),
    ...(reason && { reason }),
    ...(message && { message }),
    ...(subagent.reusedFrom !== undefined && { reusedFrom: subagent.reusedFrom }),
    ...(subagent.again !== undefined && { again: subagent.again }),
    ...(attempt > 1 && { attempt }),
    ...(subagent.startedAt !== undefined && !isWaiting && { startedAt: subagent.startedAt }),
    ...(closedAt !== undefined && { closedAt }),
    usage: {
      ...wholeUsageOf(view, subagent),
      wallClockMs: isWaiting ? 0 : elapsedMs(subagent.startedAt, closedAt ?? atIso),
    },
    limitTokens: limitOf(subagent)?.tokens ?? 0,
    turns: turnsOf(subagent),
    toolCalls: toolCallsOf(subagent),
    findings: readClaims(subagent.outcome).length,
    ...(subagent.lastCall && { lastCall: subagent.lastCall }),
    ...(modelCall && closedAt === undefined && { modelCallSince: modelCall.since }),
    ...(subagent.cancelTrace && { cancel: toSubagentCancel(subagent.cancelTrace) }),
  };
}

/** How the cancel of the run went; `undefined` where nobody asked for one. */
export function cancelOf({ cancelTrace, subagents }: RunView): RunCancel | undefined {
  if (!cancelTrace) return undefined;
  const reached = subagents.flatMap((subagent) =>
    subagent.cancelTrace
      ? [{ id: subagent.id, trace: subagent.cancelTrace, isClosed: closedAtOf(subagent) !== undefined }]
      : [],
  );
  return toRunCancel(cancelTrace, reached);
}

export function messageOf(subagent: SubagentFold): string {
  if (isRequeued(subagent) && !subagent.recorded) return '';
  return subagent.recorded?.message ?? subagent.outcome?.message ?? closingOf(subagent)?.message ?? '';
}

export function turnsOf(subagent: SubagentFold): number {
  if (subagent.recorded) return subagent.recorded.turns;
  return sumTurns(attemptsOf(subagent).map((each) => ({ turns: countedOf(each).turns, isTakenUp: each.isTakenUp })));
}

export function toolCallsOf(subagent: SubagentFold): number {
  if (subagent.recorded) return subagent.recorded.toolCalls;
  return attemptsOf(subagent).reduce((sum, attempt) => sum + countedOf(attempt).toolCalls, 0);
}

/** What one attempt says of itself, or else what its history does. */
function countedOf({ outcome, stopped, ...counted }: SubagentFold) {
  return outcome ?? stopped ?? counted;
}

/** Calls per message with at least one (R1.8); `null` where there was none. */
export function toolCallsPerMessageOf(view: RunView): number | null {
  if (view.recorded) return view.recorded.toolCallsPerMessage;
  let calls = 0;
  let messages = 0;
  for (const attempt of ofRun(view.subagents).flatMap(attemptsOf)) {
    const counted = countedOf(attempt);
    calls += counted.toolCalls;
    messages += counted.toolCallMessages;
  }
  return messages === 0 ? null : calls / messages;
}
