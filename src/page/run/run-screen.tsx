/** One run: live while it goes on, and the same page as a recording once it has ended. */
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { hasEnded, hasSubagentEnded } from '../../domain/projection/fold-run-event.ts';
import { useClient } from '../server/client-context.tsx';
import { useConfig } from '../server/use-server.ts';
import { useShortcuts } from '../keys/shortcuts.ts';
import { Announcer } from '../live/announcer.tsx';
import { useReportConnection } from '../live/connection.ts';
import { Link } from '../navigation/link.tsx';
import { navigate, useLocation, withQuery } from '../navigation/location.ts';
import { Problem } from '../parts/problem.tsx';
import { useNow } from '../parts/use-now.ts';
import { useTitle } from '../parts/use-title.ts';
import { BudgetPanel } from './budget-panel.tsx';
import type { OpenDialog } from './dialogs/open-dialog.ts';
import { EventsTab } from './events/events-tab.tsx';
import { HistoryNotes } from './history-notes.tsx';
import { NeedsBanner } from './needs-banner.tsx';
import { SourcesTab } from './report/sources-tab.tsx';
import { RunHead } from './run-head.tsx';
import { toStatusWords } from './run-text.ts';
import { Tabs, type Tab } from './tabs.tsx';
import { TreeTab } from './tree/tree-tab.tsx';
import { useRun } from './use-run.ts';
import { useRunLog } from './use-run-log.ts';

// The renderer of Markdown is as large as all the rest of this screen.
const ReportTab = lazy(() => import('./report/report-tab.tsx'));

// Dialogs check what is typed into them, with a library that nothing else here needs.
const RunDialogs = lazy(() => import('./dialogs/run-dialogs.tsx'));

const tabNames = ['tree', 'report', 'sources', 'events'] as const;
type TabName = (typeof tabNames)[number];

export default function RunScreen({ runId }: { readonly runId: string }) {
  const client = useClient();
  const handle = useMemo(() => client.getHandle(runId), [client, runId]);
  const { run, result, connection, error, polite, urgent, again } = useRun(handle);
  const { query } = useLocation();
  const tab = tabNames.find((name) => name === query.get('tab')) ?? 'tree';
  const selected = query.get('sel');
  const [hasCalls, setCalls] = useState(false);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const log = useRunLog(handle, tab !== 'tree' || selected !== null || hasCalls);
  const config = useConfig();
  const isOver = run !== null && hasEnded(run.status);
  const now = useNow(!isOver);
  useReportConnection(connection);
  useTitle(run ? `${toStatusWords(run)} · ${run.title}` : runId);
  const select = useCallback((id: string | null) => navigate(withQuery({ sel: id }), { replace: true }), []);
  const goTo = (name: TabName) => navigate(withQuery({ tab: name === 'tree' ? null : name }), { replace: true });

  const canAct = run !== null && config?.readOnly !== true;
  const canSteer = canAct && !isOver && run.status !== 'cancelling';
  const approval = run?.approvals.find(({ outcome }) => !outcome);
  const target = run?.tree.find(({ id }) => id === selected);
  const openIf = (isAllowed: boolean, dialog: OpenDialog | null) => () => {
    if (!isAllowed || !dialog) return false;
    setOpen(dialog);
    return true;
  };
  useShortcuts({
    ...Object.fromEntries(tabNames.map((name, index) => [String(index + 1), () => goTo(name)])),
    X: openIf(canSteer, { kind: 'cancel' }),
    x: openIf(
      canSteer && target !== undefined && !hasSubagentEnded(target.status),
      target ? { kind: 'cancel-subagent', subagentId: target.id } : null,
    ),
    b: openIf(canSteer, { kind: 'budget' }),
    a: openIf(canSteer, approval ? { kind: 'approval', approval } : null),
    r: openIf(canAct && isOver, { kind: 'retry', ...(target && { from: target.id }) }),
    Escape: () => (selected === null ? false : select(null)),
  });

  if (!run) {
    return (
      <div className="stack">
        <h1>{runId}</h1>
        {error ? (
          <Problem error={error} onRetry={again} />
        ) : (
          <p className="muted">Reading the histories of this run…</p>
        )}
        {error !== null && (
          <p>
            <Link to="/">All runs</Link>
          </p>
        )}
      </div>
    );
  }
  const sources = result ? result.sources.length : log.sources.length;
  const tabs: readonly Tab<TabName>[] = [
    { name: 'tree', label: 'Tree & timeline' },
    { name: 'report', label: result?.report ? 'Report' : isOver ? 'Report (none)' : 'Report (not yet)' },
    { name: 'sources', label: result || log.isOpen ? `Sources ${sources}` : 'Sources' },
    { name: 'events', label: 'Events' },
  ];
  return (
    <div className="stack">
      <RunHead run={run} handle={handle} nowMs={now} onOpen={setOpen} />
      <Problem error={error} onRetry={again} />
      <NeedsBanner run={run} nowMs={now} onOpen={setOpen} />
      <HistoryNotes run={run} />
      <BudgetPanel run={run} nowMs={now} onRaise={() => setOpen({ kind: 'budget' })} />
      <Tabs tabs={tabs} selected={tab} label="Views of the run" onSelect={goTo} />
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'tree' && (
          <TreeTab
            run={run}
            log={log}
            nowMs={now}
            selected={selected}
            onSelect={select}
            hasCalls={hasCalls}
            onCalls={setCalls}
            onOpen={setOpen}
          />
        )}
        {tab === 'report' && (
          <Suspense fallback={<p className="muted">Loading what renders the report…</p>}>
            <ReportTab run={run} result={result} log={log} onOpen={setOpen} />
          </Suspense>
        )}
        {tab === 'sources' && <SourcesTab result={result} log={log} />}
        {tab === 'events' && <EventsTab run={run} log={log} />}
      </div>
      <Announcer polite={polite} urgent={urgent} />
      {open && (
        <Suspense fallback={null}>
          <RunDialogs open={open} onOpen={setOpen} run={run} handle={handle} />
        </Suspense>
      )}
    </div>
  );
}
