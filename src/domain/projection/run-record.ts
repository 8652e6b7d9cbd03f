/** What is kept of a run that has ended, and what a retry of it begins with: from the fold of all its histories. */
import type { SubagentOutcome } from '../../contract/outcome.ts';
import type { SubagentSummary } from '../../contract/result.ts';
import type { RunRecord, SubagentRecord } from '../../contract/run-record.ts';
import { parentOf } from '../subagent-tree.ts';
import { noUsage } from '../usage.ts';
import { toTitle } from './describe-run.ts';
import { toRecordedResult } from './recorded-result.ts';
import { resumeOf } from './resume-point.ts';
import { type RunView, subagentOf } from './run-state.ts';
import type { SubagentFold } from './subagent-state.ts';

/** Throws for a run that is still open. */
export function toRunRecord(view: RunView): RunRecord {
  const result = toRecordedResult(view);
  const summaries = new Map(result.subagents.map((summary) => [summary.id, summary]));
  const planned = view.plan ?? result.subagents.map(({ id, goal }) => ({ id, goal }));
  const below = view.subagents.filter(({ id }) => parentOf(id) !== null);
  return {
    runId: view.runId,
    firstRunId: view.firstRunId,
    title: view.request ? toTitle(view.request) : view.runId,
    tags: [...(view.request?.tags ?? [])],
    startedAt: view.startedAt,
    closedAt: view.closedAt ?? view.lastEventAt,
    request: view.request,
    storeId: view.opened?.storeId ?? null,
    tools: [...(view.opened?.tools ?? [])],
    promptVersion: view.opened?.promptVersion ?? 1,
    result,
    subagents: planned.flatMap(({ id, goal }) => {
      const subagent = subagentOf(view, id);
      // One that the run did not come to has no line in its result.
      const summary = summaries.get(id) ?? { id, goal, status: 'skipped', usage: noUsage, turns: 0, toolCalls: 0 };
      return subagent ? [toSubagentRecord(subagent, goal, summary)] : [];
    }),
    ...(below.length > 0 && { below: below.map(toBelowRecord) }),
  };
}

function toSubagentRecord(subagent: SubagentFold, goal: string, summary: SubagentSummary): SubagentRecord {
  return {
    id: subagent.id,
    goal,
    // Its own word first: it may have finished after its run had given it up.
    outcome: subagent.outcome ?? toOutcome(subagent, summary),
    ...(subagent.reusedFrom !== undefined && { reusedFrom: subagent.reusedFrom }),
    resume: resumeOf(subagent.resumePoint),
  };
}

function toBelowRecord(subagent: SubagentFold): NonNullable<RunRecord['below']>[number] {
  const { id, outcome, stopped, head } = subagent;
  return {
    id,
    transcript: outcome?.transcript ?? stopped?.transcript ?? head,
    reportRef: outcome?.reportRef ?? null,
  };
}

function toOutcome(subagent: SubagentFold, summary: SubagentSummary): SubagentOutcome {
  const { id, status, reason, message, usage, turns, toolCalls } = summary;
  return {
    id,
    status,
    ...(reason && { reason }),
    ...(message !== undefined && { message }),
    report: null,
    reportRef: null,
    usage,
    turns,
    toolCalls,
    toolCallMessages: (subagent.stopped ?? subagent).toolCallMessages,
    transcript: subagent.stopped?.transcript ?? subagent.head,
  };
}
