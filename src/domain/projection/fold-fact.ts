/** The projection: folds history facts into the run view and says what changed. The only reading of a history. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { RunEvent } from '../../contract/run-view.ts';
import { approvalsOfSubagent } from './approvals.ts';
import { attemptOf, attemptsOf } from './attempts.ts';
import { budgetOf } from './run-budget.ts';
import { readClaims, readCount, readList, readText, toRecord } from './read-payload.ts';
import { advance } from './run-fold.ts';
import { type RunView, runStatusOf, subagentOf } from './run-state.ts';
import { limitOf, reasonOf, shownAttemptOf, type SubagentFold, statusOf } from './subagent-state.ts';
import { wholeUsageOf } from './whole-usage.ts';
import { elapsedMs } from './epoch-ms.ts';
import { parentOf } from '../subagent-tree.ts';

type WithoutCursor<Event> = Event extends RunEvent ? Omit<Event, 'cursor'> : never;
/** An event as the fold makes it; whoever hands it on adds the cursor. */
export type ProjectedEvent = WithoutCursor<RunEvent>;
type EventBody = ProjectedEvent extends infer Event
  ? Event extends ProjectedEvent
    ? Omit<Event, 'at' | 'runId' | 'subagentId' | 'parentId'>
    : never
  : never;

/**
 * The view after one more fact, and the events that the fact gives rise to. Facts of one workflow must come in the order
 * of their events; between workflows any order leads to the same view, and each change is told once in every order.
 * The `result` event is not among them: it is due when all histories are read to their ends.
 */
export function foldFact(before: RunView, fact: HistoryFact): { view: RunView; events: readonly ProjectedEvent[] } {
  const view = advance(before, fact);
  if (view === before) return { view, events: [] };
  const events: ProjectedEvent[] = [];
  const tell = (subagentId: string | null, body: EventBody) => {
    const parentId = subagentId === null ? null : parentOf(subagentId);
    events.push({
      at: fact.at,
      runId: view.runId,
      ...(subagentId !== null && { subagentId }),
      ...(parentId !== null && { parentId }),
      ...body,
    });
  };

  const status = runStatusOf(view);
  if (status !== runStatusOf(before) || (view.startedAt !== '' && before.startedAt === '')) {
    const reason = view.failure?.message ?? view.cancelRequested?.reason;
    tell(null, { type: 'run-status', status, ...(reason && { reason }) });
  }
  tellPeople(before, view, fact, tell);
  for (const id of changedSubagents(before, view, fact)) tellSubagent(before, view, id, tell);
  if (fact.subagentId !== null) tellToolCall(before, view, fact, tell);
  tellBudget(before, view, fact, tell);
  return { view, events };
}

/** What people are asked, and what they do. */
function tellPeople(before: RunView, view: RunView, fact: HistoryFact, tell: Tell): void {
  if (view.plan && view.isProposed && view.plan !== before.plan)
    tell(null, { type: 'plan-proposed', subtasks: view.plan });
  const isApproved =
    view.plan !== before.plan || (before.isProposed && fact.kind === 'updated' && fact.update === 'approvePlan');
  if (view.plan && !view.isProposed && isApproved) tell(null, { type: 'plan-approved', subtasks: view.plan });
  if (view.raised !== before.raised && fact.kind === 'updated') {
    const reason = readText(fact.input, 'reason');
    const budget = budgetOf(view, fact.at);
    tell(null, { type: 'budget-raised', budget, by: readText(fact.input, 'by'), ...(reason !== '' && { reason }) });
  }
  const draft = view.drafts.length > before.drafts.length ? view.drafts.at(-1) : undefined;
  if (draft) tell(null, { type: 'draft-written', number: draft.number, subagents: draft.subagents });
  if (view.finalizing && !before.finalizing) {
    const { by, reason } = view.finalizing;
    tell(null, { type: 'finalize-requested', by, ...(reason !== undefined && { reason }) });
  }
}

/** A request for approval and its end are told once each, whichever history is read first. */
function tellApprovals(before: RunView, view: RunView, id: string, tell: Tell): void {
  const old = subagentOf(before, id);
  const known = new Map(old ? approvalsOfSubagent(before, old).map((each) => [each.id, each]) : []);
  for (const approval of approvalsOfSubagent(view, subagentOf(view, id)!)) {
    const was = known.get(approval.id);
    if (!was) tell(id, { type: 'approval-requested', approval });
    if (approval.outcome && !was?.outcome) tell(id, { type: 'approval-resolved', outcome: approval.outcome });
  }
}

type Tell = (subagentId: string | null, body: EventBody) => void;

/** One fact changes one subagent, except for a plan and the end of the run. */
function changedSubagents(before: RunView, view: RunView, fact: HistoryFact): readonly string[] {
  if (fact.subagentId !== null) return ['childId' in fact ? fact.childId : fact.subagentId];
  if (view.subagents === before.subagents) return [];
  return view.subagents.filter((each) => each !== subagentOf(before, each.id)).map((each) => each.id);
}

function tellSubagent(before: RunView, view: RunView, id: string, tell: Tell): void {
  const old = subagentOf(before, id);
  const now = subagentOf(view, id)!;
  const status = statusOf(now);
  const attempt = shownAttemptOf(now);
  if (!old || statusOf(old) !== status || shownAttemptOf(old) !== attempt) {
    const reason = reasonOf(now, view.cancelRequested !== undefined);
    // The plan names the others.
    const goal = parentOf(id) === null || now.goal === '' ? {} : { goal: now.goal };
    const taken = {
      ...(now.reusedFrom !== undefined && { reusedFrom: now.reusedFrom }),
      ...(now.again !== undefined && { again: now.again }),
    };
    tell(id, { type: 'subagent-status', status, attempt, ...(reason && { reason }), ...goal, ...taken });
  }
  tellApprovals(before, view, id, tell);
  if (now.outcome && !attemptOf(old, now.attempt)?.outcome) {
    readClaims(now.outcome).forEach((claim, index) =>
      tell(id, {
        type: 'finding-added',
        findingId: `${id}.${index + 1}`,
        text: claim.text,
        sourceIds: [claim.sourceId],
      }),
    );
  }
}

function tellToolCall(before: RunView, view: RunView, fact: HistoryFact, tell: Tell): void {
  const id = fact.subagentId!;
  const known = subagentOf(before, id);
  const old = attemptOf(known, fact.ofAttempt ?? 1);
  const now = attemptOf(subagentOf(view, id), fact.ofAttempt ?? 1)!;
  if (fact.kind === 'activity-scheduled' && fact.activityType === 'callToolActivity') {
    const { callId, tool, input } = now.lastCall!;
    tell(id, { type: 'tool-call-started', toolCallId: callId, tool, input });
  }
  if (fact.kind !== 'activity-completed' && fact.kind !== 'activity-failed') return;
  const activity = old?.open[fact.scheduledEventId];
  if (activity?.activityType !== 'callToolActivity') return;
  const call = { type: 'tool-call-finished', toolCallId: activity.callId, tool: activity.tool } as const;
  const elapsed = elapsedMs(activity.since, fact.at);
  if (fact.kind === 'activity-failed') {
    tell(id, { ...call, ok: false, durationMs: elapsed, error: fact.message });
    return;
  }
  const result = toRecord(fact.result);
  const ok = result.isError !== true;
  const preview = readText(result, 'preview');
  tell(id, {
    ...call,
    ok,
    durationMs: readCount(result, 'durationMs'),
    ...(ok ? { output: preview } : { error: preview }),
  });
  tellSources(known, result, id, tell);
}

function tellSources(old: SubagentFold | undefined, result: unknown, subagentId: string, tell: Tell): void {
  const told = new Set<string>();
  for (const source of readList(result, 'sources')) {
    const id = readText(source, 'id');
    const isKnown = old !== undefined && attemptsOf(old).some(({ sourceIds }) => Object.hasOwn(sourceIds, id));
    if (id === '' || told.has(id) || isKnown) continue;
    told.add(id);
    tell(subagentId, {
      type: 'source-found',
      source: { id, url: readText(source, 'url'), title: readText(source, 'title') },
    });
  }
}

function tellBudget(before: RunView, view: RunView, fact: HistoryFact, tell: Tell): void {
  const old = budgetOf(before, fact.at);
  const budget = budgetOf(view, fact.at);
  const isSame = (['tokens', 'toolCalls'] as const).every((dimension) =>
    (['spent', 'reserved', 'limit'] as const).every((part) => old[dimension][part] === budget[dimension][part]),
  );
  if (isSame) return;
  const id = 'childId' in fact ? fact.childId : fact.subagentId;
  if (id === null) tell(null, { type: 'budget-updated', budget });
  // What it used is used by those above it too.
  for (let each = id; each !== null; each = parentOf(each)) {
    const subagent = subagentOf(view, each);
    const limitTokens = subagent && limitOf(subagent)?.tokens;
    tell(each, {
      type: 'budget-updated',
      budget,
      ...(subagent && { usage: wholeUsageOf(view, subagent) }),
      ...(limitTokens !== undefined && { limitTokens }),
    });
  }
}
