/** Which runs a list shows, as its address says it. */
import type { RunFilter } from '../../client/research-api.ts';
import { blockedStatuses, type RunStatus } from '../../contract/run-view.ts';

export const views = {
  all: { label: 'All', statuses: null },
  'needs-me': { label: 'Needs me', statuses: blockedStatuses },
  active: {
    label: 'Running',
    statuses: ['queued', 'planning', 'running', 'synthesizing', 'cancelling'],
  },
  lost: { label: 'Failed or partial', statuses: ['failed', 'partial', 'timed-out', 'terminated'] },
  completed: { label: 'Completed', statuses: ['completed'] },
  cancelled: { label: 'Cancelled', statuses: ['cancelled'] },
} as const satisfies Record<string, { label: string; statuses: readonly RunStatus[] | null }>;
export type ViewName = keyof typeof views;

export const spans = { '1h': 3_600_000, '1d': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const;
export const spanLabels: Readonly<Record<keyof typeof spans, string>> = {
  '1h': 'last hour',
  '1d': 'last day',
  '7d': 'last 7 days',
  '30d': 'last 30 days',
};

export type RunQuery = {
  readonly view: ViewName;
  readonly text: string;
  readonly status: RunStatus | null;
  readonly since: keyof typeof spans | null;
  readonly limit: number;
};

const pageSize = 50;
const maxLimit = 1_000;

export function readRunQuery(query: URLSearchParams): RunQuery {
  const [view, since, limit] = [query.get('view') ?? 'all', query.get('since') ?? '', Number(query.get('limit'))];
  return {
    view: Object.hasOwn(views, view) ? (view as ViewName) : 'all',
    text: query.get('q') ?? '',
    status: query.get('status') as RunStatus | null,
    since: Object.hasOwn(spans, since) ? (since as keyof typeof spans) : null,
    limit: Number.isSafeInteger(limit) && limit > pageSize ? Math.min(limit, maxLimit) : pageSize,
  };
}

export function nextLimit({ limit }: RunQuery): number {
  return Math.min(maxLimit, limit + pageSize);
}

/** `nowMs` to the whole minute: the same list is the same question for a while. */
export function toRunFilter(query: RunQuery, nowMs: number): RunFilter {
  const statuses = query.status ? [query.status] : views[query.view].statuses;
  const minuteMs = Math.floor(nowMs / 60_000) * 60_000;
  return {
    ...(statuses && { status: statuses }),
    ...(query.text.trim() !== '' && { text: query.text.trim() }),
    ...(query.since && { startedAfter: new Date(minuteMs - spans[query.since]).toISOString() }),
    limit: query.limit,
  };
}

/** Runs of a view. */
export function countView(
  view: ViewName,
  counts: { total: number; byStatus: Readonly<Record<string, number>> },
): number {
  const { statuses } = views[view];
  if (!statuses) return counts.total;
  return statuses.reduce((sum, status) => sum + (counts.byStatus[status] ?? 0), 0);
}
