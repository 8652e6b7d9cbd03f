/** Lists runs from Temporal's visibility: no history is read, and no worker is asked. */
import { TributaryError } from '../contract/failure.ts';
import type { RunSummary } from '../contract/run-view.ts';
import { workflowTypes } from '../temporal/names.ts';
import type { ClientContext } from './client-context.ts';
import { type Execution, toExecution, toRunStatus } from './execution.ts';
import { listExecutions } from './list-executions.ts';
import type { RunFilter } from './research-api.ts';

/** The newest runs that a filter looks through. */
const maxScanned = 1_000;
const defaultLimit = 50;

/** Newest first. Status, spend and counts are as of the run's last change of state. */
export async function* listRuns(
  context: ClientContext,
  filter: RunFilter = {},
  signal?: AbortSignal,
): AsyncGenerator<RunSummary, void, undefined> {
  const { limit = defaultLimit } = filter;
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TributaryError('INVALID_REQUEST', `list: limit: wanted a whole number of at least 1, came ${limit}`);
  }
  const executions = await scanRuns(context, toQuery(filter), signal);
  // The store may order by the time of the close; people want the newest start on top.
  const newestFirst = executions.sort((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0));
  let count = 0;
  for (const execution of newestFirst) {
    const summary = toRunSummary(execution);
    if (!fits(summary, filter)) continue;
    yield summary;
    count += 1;
    if (count === limit) return;
  }
}

export function toRunSummary(execution: Execution): RunSummary {
  const { workflowId, startedAt, closedAt, memo } = execution;
  const settled = memo.settled ?? {};
  const unsettled = (memo.planned ?? 0) - Object.values(settled).reduce((sum, count) => sum + count, 0);
  const isOpen = execution.end === null;
  return {
    runId: workflowId,
    title: memo.title ?? workflowId,
    status: toRunStatus(execution),
    startedAt,
    ...(closedAt !== undefined && { closedAt }),
    spentTokens: memo.spentTokens ?? 0,
    limitTokens: memo.limitTokens ?? 0,
    spentUsd: memo.spentUsd ?? null,
    estimated: memo.estimated ?? false,
    limitUsd: memo.limitUsd ?? null,
    subagents: { ...settled, ...(isOpen && unsettled > 0 && { running: unsettled }) },
    tags: memo.tags ?? [],
    ...(memo.origin && { origin: memo.origin }),
  };
}

/** In the order of the store, the newest runs that there is room for. */
export async function scanRuns(context: ClientContext, query: string, signal?: AbortSignal): Promise<Execution[]> {
  const infos = await listExecutions(context.client, query, signal, maxScanned);
  return Promise.all(infos.map((info) => toExecution(context, info)));
}

function toQuery({ startedAfter }: RunFilter): string {
  const ofRuns = `WorkflowType = "${workflowTypes.research}"`;
  if (startedAfter === undefined) return ofRuns;
  const time = Date.parse(startedAfter);
  if (Number.isNaN(time)) {
    const message = `list: startedAfter: wanted a time in ISO 8601, came ${JSON.stringify(startedAfter)}`;
    throw new TributaryError('INVALID_REQUEST', message);
  }
  return `${ofRuns} AND StartTime > "${new Date(time).toISOString()}"`;
}

function fits(summary: RunSummary, { status, text }: RunFilter): boolean {
  if (status && status.length > 0 && !status.includes(summary.status)) return false;
  if (text === undefined || text.trim() === '') return true;
  const wanted = text.trim().toLowerCase();
  return [summary.runId, summary.title, ...summary.tags].some((each) => each.toLowerCase().includes(wanted));
}
