/** The tree of subagents over time, and what is known of the selected one. */
import { useCallback, useMemo, useState } from 'react';
import type { RunDescription } from '../../../contract/run-view.ts';
import { hasEnded, hasSubagentEnded } from '../../../domain/projection/fold-run-event.ts';
import { useShortcuts } from '../../keys/shortcuts.ts';
import type { OpenDialog } from '../dialogs/open-dialog.ts';
import type { LoggedCall, RunLog } from '../use-run-log.ts';
import { DetailPanel } from './detail-panel.tsx';
import { toScale, zooms } from './scale.ts';
import { TreeGrid } from './tree-grid.tsx';
import { toTreeRows, type Show } from './tree-rows.ts';

const noCalls: ReadonlyMap<string, readonly LoggedCall[]> = new Map();

export function TreeTab({
  run,
  log,
  nowMs,
  selected,
  onSelect,
  hasCalls,
  onCalls,
  onOpen,
}: {
  readonly run: RunDescription;
  readonly log: RunLog;
  readonly nowMs: number;
  readonly selected: string | null;
  readonly onSelect: (id: string | null) => void;
  readonly hasCalls: boolean;
  readonly onCalls: (isOn: boolean) => void;
  readonly onOpen: (dialog: OpenDialog) => void;
}) {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [show, setShow] = useState<Show>('all');
  const [isFollowing, setFollowing] = useState(false);
  const [zoom, setZoom] = useState(0);
  const isOver = hasEnded(run.status);
  const rows = useMemo(
    () => toTreeRows(run.tree, { turned, show, calls: hasCalls ? log.calls : null }),
    [run.tree, turned, show, hasCalls, log.calls],
  );
  const endMs = run.closedAt === undefined ? nowMs : Date.parse(run.closedAt);
  const startMs = Date.parse(run.startedAt);
  const scale = useMemo(() => toScale(startMs, endMs, zooms[zoom] ?? 1), [startMs, endMs, zoom]);
  const turn = useCallback(
    (id: string) =>
      setTurned((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const look = useCallback(() => setFollowing(false), []);
  const pick = useCallback(
    (id: string) => {
      setFollowing(false);
      onSelect(id);
    },
    [onSelect],
  );
  const zoomBy = (by: number) => setZoom((at) => Math.min(zooms.length - 1, Math.max(0, at + by)));
  useShortcuts({
    '+': () => zoomBy(1),
    '-': () => zoomBy(-1),
    '0': () => setZoom(0),
    '.': () => setFollowing((is) => !is),
  });
  const followed = isFollowing && !isOver ? findNewest(run) : null;
  const view = run.tree.find(({ id }) => id === selected);
  return (
    <div className="stack">
      <div className="line">
        <label className="line">
          <span>Show</span>
          <select className="fit" value={show} onChange={(event) => setShow(event.target.value as Show)}>
            <option value="all">all</option>
            <option value="open">at work</option>
            <option value="lost">failed, cut or cancelled</option>
          </select>
        </label>
        <label className="choice">
          <input type="checkbox" checked={hasCalls} onChange={(event) => onCalls(event.target.checked)} />
          Tool calls
        </label>
        {!isOver && (
          <label className="choice">
            <input type="checkbox" checked={isFollowing} onChange={(event) => setFollowing(event.target.checked)} />
            Follow
          </label>
        )}
        <span className="grow" />
        <span className="line" role="group" aria-label="Timeline zoom">
          <button type="button" className="tiny" aria-label="Zoom out" disabled={zoom === 0} onClick={() => zoomBy(-1)}>
            −
          </button>
          <button type="button" className="tiny" disabled={zoom === 0} onClick={() => setZoom(0)}>
            Fit
          </button>
          <button
            type="button"
            className="tiny"
            aria-label="Zoom in"
            disabled={zoom === zooms.length - 1}
            onClick={() => zoomBy(1)}
          >
            +
          </button>
        </span>
      </div>
      <div className={view ? 'columns' : 'stack'}>
        <TreeGrid
          run={run}
          rows={rows}
          calls={log.isOpen ? log.calls : noCalls}
          scale={scale}
          nowMs={nowMs}
          selected={selected}
          followed={followed}
          onSelect={pick}
          onTurn={turn}
          onLook={look}
        />
        {view && (
          <DetailPanel view={view} run={run} log={log} nowMs={nowMs} onClose={() => onSelect(null)} onOpen={onOpen} />
        )}
        {selected !== null && !view && <p className="muted">This run has no subagent {selected}.</p>}
      </div>
    </div>
  );
}

/** The subagent whose newest call began last. */
function findNewest({ tree }: RunDescription): string | null {
  let newest: { readonly id: string; readonly at: string } | null = null;
  for (const { id, status, lastCall, startedAt } of tree) {
    const at = lastCall?.finishedAt ?? lastCall?.startedAt ?? startedAt;
    if (at !== undefined && !hasSubagentEnded(status) && (newest === null || at > newest.at)) newest = { id, at };
  }
  return newest?.id ?? null;
}
