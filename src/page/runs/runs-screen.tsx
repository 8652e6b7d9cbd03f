/** All runs, newest first, kept current while they are looked at. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { looks } from '../parts/status-looks.ts';
import { collect } from '../server/collect.ts';
import { useClient } from '../server/client-context.tsx';
import { countBlocked, useCounts } from '../server/use-server.ts';
import type { RunStatus } from '../../contract/run-view.ts';
import { useShortcuts } from '../keys/shortcuts.ts';
import { useReportConnection } from '../live/connection.ts';
import { Link } from '../navigation/link.tsx';
import { navigate, useLocation, withQuery } from '../navigation/location.ts';
import { Problem } from '../parts/problem.tsx';
import { useNow } from '../parts/use-now.ts';
import { useTitle } from '../parts/use-title.ts';
import { EmptyRuns } from './empty-runs.tsx';
import { countView, nextLimit, readRunQuery, spanLabels, toRunFilter, views, type ViewName } from './run-query.ts';
import { RunsTable } from './runs-table.tsx';

/** In the order of a run's life. */
const runStatuses = Object.keys({
  queued: true,
  planning: true,
  'awaiting-plan': true,
  running: true,
  'awaiting-approval': true,
  'paused-budget': true,
  synthesizing: true,
  cancelling: true,
  completed: true,
  partial: true,
  failed: true,
  cancelled: true,
  terminated: true,
  'timed-out': true,
} satisfies Record<RunStatus, true>) as RunStatus[];

export function RunsScreen() {
  const client = useClient();
  const query = readRunQuery(useLocation().query);
  const now = useNow();
  const counts = useCounts();
  const filter = toRunFilter(query, now);
  const runs = useQuery({
    queryKey: ['runs', filter],
    queryFn: () => collect(client.list(filter)),
    refetchInterval: 3_000,
    placeholderData: keepPreviousData,
  });
  useReportConnection(runs.isPending ? 'connecting' : runs.isError || runs.failureCount > 0 ? 'reconnecting' : 'live');
  const blocked = counts ? countBlocked(counts.byStatus) : 0;
  useTitle(blocked > 0 ? `(${blocked}) Runs` : 'Runs');
  const table = useRef<HTMLDivElement>(null);
  const step = (by: number) => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('a.title') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });
  const isFiltered = query.view !== 'all' || query.text !== '' || query.status !== null || query.since !== null;
  return (
    <div className="stack">
      <div className="line">
        <h1>Runs</h1>
        <span className="muted" aria-live="polite">
          {runs.data && counts && `${runs.data.length} of ${counts.total}`}
        </span>
      </div>
      <nav className="chips" aria-label="Views">
        {(Object.keys(views) as ViewName[]).map((name) => (
          <Link
            key={name}
            to={withQuery({ view: name === 'all' ? null : name, status: null, limit: null })}
            aria-current={query.view === name && query.status === null ? 'true' : undefined}
          >
            {views[name].label}
            {counts && (
              <span className={`tag count ${name === 'needs-me' && blocked > 0 ? 'hot' : ''}`}>
                {countView(name, counts)}
              </span>
            )}
          </Link>
        ))}
      </nav>
      <Filters query={query} />
      <Problem error={runs.error} onRetry={() => void runs.refetch()} />
      {runs.isPending && <p className="muted">Asking the server for its runs…</p>}
      {runs.data && runs.data.length === 0 && <EmptyRuns isFiltered={isFiltered} />}
      {runs.data && runs.data.length > 0 && (
        <div ref={table}>
          <RunsTable runs={runs.data} nowMs={now} />
        </div>
      )}
      {runs.data && runs.data.length >= query.limit && (
        <p>
          <Link className="button" replace to={withQuery({ limit: String(nextLimit(query)) })}>
            Load older
          </Link>
        </p>
      )}
    </div>
  );
}

function Filters({ query }: { readonly query: ReturnType<typeof readRunQuery> }) {
  const [text, setText] = useState(query.text);
  useEffect(() => {
    if (text === query.text) return;
    const timer = setTimeout(() => navigate(withQuery({ q: text, limit: null }), { replace: true }), 250);
    return () => clearTimeout(timer);
  }, [text, query.text]);
  const set = (name: string) => (event: { target: { value: string } }) =>
    navigate(withQuery({ [name]: event.target.value, limit: null }), { replace: true });
  return (
    <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        data-search
        aria-label="Search question, id or tag"
        placeholder="Search question, id, tag…"
        aria-keyshortcuts="/"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <select aria-label="Status" value={query.status ?? ''} onChange={set('status')}>
        <option value="">Any status</option>
        {runStatuses.map((status) => (
          <option key={status} value={status}>
            {looks[status].word}
          </option>
        ))}
      </select>
      <select aria-label="Started" value={query.since ?? ''} onChange={set('since')}>
        <option value="">Started: any time</option>
        {Object.entries(spanLabels).map(([span, label]) => (
          <option key={span} value={span}>
            Started: {label}
          </option>
        ))}
      </select>
    </form>
  );
}
