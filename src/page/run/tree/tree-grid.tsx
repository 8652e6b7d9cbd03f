/** The rows of the tree as a grid: only those in view are in the document, one of them is a stop of the tab key. */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { RunDescription } from '../../../contract/run-view.ts';
import { formatDuration } from '../../../domain/format.ts';
import type { LoggedCall } from '../use-run-log.ts';
import type { Scale } from './scale.ts';
import { TreeRow } from './tree-row.tsx';
import { parentIndexOf, type TreeRow as Row } from './tree-rows.ts';

const rowPx = 28;

export function TreeGrid({
  run,
  rows,
  calls,
  scale,
  nowMs,
  selected,
  followed,
  onSelect,
  onTurn,
  onLook,
}: {
  readonly run: RunDescription;
  readonly rows: readonly Row[];
  readonly calls: ReadonlyMap<string, readonly LoggedCall[]>;
  readonly scale: Scale;
  readonly nowMs: number;
  readonly selected: string | null;
  /** The row to keep in view; `null` = as the person has it. */
  readonly followed: string | null;
  readonly onSelect: (id: string) => void;
  readonly onTurn: (id: string) => void;
  /** The person scrolled or moved: what is in view is theirs. */
  readonly onLook: () => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState<string | null>(selected);
  const stopIndex = Math.max(
    0,
    rows.findIndex(({ id }) => id === stop),
  );
  const wantsFocus = useRef(false);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 8,
    scrollPaddingStart: rowPx,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return shown.includes(stopIndex) ? shown : [...shown, stopIndex].sort((a, b) => a - b);
    },
  });
  const focusRow = useCallback(
    (index: number) => {
      const at = Math.min(rows.length - 1, Math.max(0, index));
      wantsFocus.current = true;
      setStop(rows[at]!.id);
      virtual.scrollToIndex(at);
    },
    [rows, virtual],
  );
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    scroller.current?.querySelector<HTMLElement>(`[data-index="${stopIndex}"]`)?.focus({ preventScroll: true });
  });
  const followedIndex = followed === null ? -1 : rows.findIndex(({ id }) => id === followed);
  useEffect(() => {
    if (followedIndex >= 0) virtual.scrollToIndex(followedIndex, { align: 'auto' });
  }, [followedIndex, virtual]);

  const pick = useCallback(
    (index: number) => {
      const row = rows[index];
      if (!row) return;
      setStop(row.id);
      if (row.kind === 'group' || row.kind === 'lead') onTurn(row.id);
      else onSelect(row.kind === 'call' ? row.subagentId : row.id);
    },
    [rows, onSelect, onTurn],
  );
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[stopIndex];
    if (!row || !(event.target as HTMLElement).matches('[role="row"]')) return;
    const canOpen = row.kind !== 'call' && row.hasChildren;
    const isOpen = row.kind !== 'call' && row.isOpen;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focusRow(stopIndex + 1),
      j: () => focusRow(stopIndex + 1),
      ArrowUp: () => focusRow(stopIndex - 1),
      k: () => focusRow(stopIndex - 1),
      PageDown: () => focusRow(stopIndex + 10),
      PageUp: () => focusRow(stopIndex - 10),
      Home: () => focusRow(0),
      End: () => focusRow(rows.length - 1),
      ArrowRight: () => (canOpen && !isOpen ? onTurn(row.id) : focusRow(stopIndex + (canOpen ? 1 : 0))),
      ArrowLeft: () => (canOpen && isOpen ? onTurn(row.id) : focusRow(parentIndexOf(rows, stopIndex))),
      Enter: () => pick(stopIndex),
      ' ': () => pick(stopIndex),
    };
    const move = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (!move) return;
    event.preventDefault();
    onLook();
    move();
  };
  const context = useMemo(() => ({ run, scale, calls }), [run, scale, calls]);
  const startMs = Date.parse(run.startedAt);
  return (
    <div className="tree" id="tree" ref={scroller} onWheel={onLook} onTouchMove={onLook}>
      <div role="treegrid" aria-label="Subagents" aria-rowcount={rows.length + 1} onKeyDown={onKeyDown}>
        <div role="rowgroup">
          <div role="row" className="head" aria-rowindex={1}>
            <div role="columnheader">Subagent</div>
            <div role="columnheader">Status</div>
            <div role="columnheader" className="right">
              Spend
            </div>
            <div role="columnheader" className="right">
              Tools
            </div>
            <div role="columnheader" className="right">
              Found
            </div>
            <div role="columnheader" className="scale">
              <span className="hidden">Timeline from </span>
              <span>{formatDuration(scale.fromMs - startMs)}</span>
              <span aria-hidden="true">{formatDuration((scale.fromMs + scale.toMs) / 2 - startMs)}</span>
              <span className="hidden"> to </span>
              <span>{formatDuration(scale.toMs - startMs)}</span>
            </div>
          </div>
        </div>
        <div role="rowgroup" className="rows" style={{ '--rows': rows.length }}>
          {virtual.getVirtualItems().map(({ index }) => {
            const row = rows[index];
            return (
              row && (
                <TreeRow
                  key={row.id}
                  row={row}
                  index={index}
                  isSelected={row.kind === 'subagent' && row.id === selected}
                  isStop={index === stopIndex}
                  nowMs={nowMs}
                  context={context}
                  onPick={pick}
                  onTurn={onTurn}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}
