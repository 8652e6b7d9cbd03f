/** One row of the tree: who, how it is, what it has spent, and when it worked. */
import { memo, type ReactNode } from 'react';
import type { RunDescription } from '../../../contract/run-view.ts';
import { formatDuration, formatPlural, formatShort, formatUsd } from '../../../domain/format.ts';
import { hasSubagentEnded } from '../../../domain/projection/fold-run-event.ts';
import { Icon } from '../../parts/icon.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { toStatusWords } from '../run-text.ts';
import { toActivity, toSpend } from '../subagent-text.ts';
import type { LoggedCall } from '../use-run-log.ts';
import { Bar } from './bar.tsx';
import type { Scale } from './scale.ts';
import type { TreeRow as Row } from './tree-rows.ts';

export type RowContext = {
  readonly run: RunDescription;
  readonly scale: Scale;
  readonly calls: ReadonlyMap<string, readonly LoggedCall[]>;
};

function TreeRowCells({ row, run, scale, calls, nowMs }: RowContext & { readonly row: Row; readonly nowMs: number }) {
  const runStartedMs = Date.parse(run.startedAt);
  const bar = { runStartedMs, nowMs, scale };
  switch (row.kind) {
    case 'lead': {
      const { usd, tokens } = run.budget;
      return (
        <>
          <Status>
            <StatusBadge status={run.status} words={toStatusWords(run)} />
          </Status>
          <Number>{usd ? formatUsd(usd.spent) : formatShort(tokens.spent)}</Number>
          <Number>{String(run.budget.toolCalls.spent)}</Number>
          <Number>{String(run.tree.reduce((sum, view) => sum + view.findings, 0))}</Number>
          <div role="gridcell">
            <Bar {...bar} status={run.status} startedAt={run.startedAt} closedAt={run.closedAt} />
          </div>
        </>
      );
    }
    case 'subagent': {
      const { view } = row;
      return (
        <>
          <Status>
            <StatusBadge status={view.status} words={toActivity(view, nowMs)} />
          </Status>
          <Number>{toSpend(view)}</Number>
          <Number>{String(view.toolCalls)}</Number>
          <Number>{String(view.findings)}</Number>
          <div role="gridcell">
            <Bar
              {...bar}
              status={view.status}
              startedAt={view.startedAt}
              closedAt={view.closedAt ?? (hasSubagentEnded(view.status) ? run.closedAt : undefined)}
              calls={calls.get(view.id)}
            />
          </div>
        </>
      );
    }
    case 'call': {
      const { call } = row;
      const status = call.finishedAt === undefined ? 'running' : call.ok ? 'done' : 'failed';
      const endMs = call.finishedAt === undefined ? nowMs : Date.parse(call.finishedAt);
      const words = `${formatDuration(endMs - Date.parse(call.startedAt))}${call.error ? ` ${call.error}` : ''}`;
      return (
        <>
          <Status>
            <StatusBadge status={status} words={words} />
          </Status>
          <Number> </Number>
          <Number> </Number>
          <Number> </Number>
          <div role="gridcell">
            <Bar {...bar} status={status} startedAt={call.startedAt} closedAt={call.finishedAt} />
          </div>
        </>
      );
    }
    case 'group':
      return (
        <>
          <Status>
            <StatusBadge status="done" words={`${row.count} done or reused`} />
          </Status>
          <Number> </Number>
          <Number> </Number>
          <Number> </Number>
          <div role="gridcell" />
        </>
      );
    default:
      return row satisfies never;
  }
}

const Status = ({ children }: { readonly children: ReactNode }) => <div role="gridcell">{children}</div>;
const Number = ({ children }: { readonly children: string }) => (
  <div role="gridcell" className="right number">
    {children}
  </div>
);

function toName(row: Row): { readonly text: string; readonly title?: string } {
  switch (row.kind) {
    case 'lead':
      return { text: 'Lead researcher' };
    case 'subagent':
      return { text: `${row.view.id} ${row.view.goal}`, title: row.view.goal };
    case 'call':
      return { text: `${row.call.tool} ${row.call.input}`, title: row.call.input };
    case 'group':
      return { text: formatPlural(row.count, 'finished subagent') };
    default:
      return row satisfies never;
  }
}

export const TreeRow = memo(function TreeRow({
  row,
  index,
  isSelected,
  isStop,
  nowMs,
  context,
  onPick,
  onTurn,
}: {
  readonly row: Row;
  /** Place among all rows that are shown. */
  readonly index: number;
  readonly isSelected: boolean;
  /** The tab key stops here. */
  readonly isStop: boolean;
  readonly nowMs: number;
  readonly context: RowContext;
  readonly onPick: (index: number) => void;
  readonly onTurn: (id: string) => void;
}) {
  const canOpen = row.kind !== 'call' && row.hasChildren;
  const name = toName(row);
  return (
    <div
      role="row"
      data-index={index}
      aria-level={row.level}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      {...(canOpen && { 'aria-expanded': row.isOpen })}
      tabIndex={isStop ? 0 : -1}
      style={{ '--at': index }}
      onClick={() => onPick(index)}
    >
      <div role="rowheader" className="name" style={{ '--level': row.level }} title={name.title}>
        <span
          className="twisty"
          aria-hidden="true"
          onClick={(event) => {
            if (!canOpen) return;
            event.stopPropagation();
            onTurn(row.id);
          }}
        >
          {canOpen && <Icon name={row.isOpen ? 'down' : 'right'} size={12} />}
        </span>
        <span className={row.kind === 'call' ? 'mono' : undefined}>{name.text}</span>
      </div>
      <TreeRowCells row={row} nowMs={nowMs} {...context} />
    </div>
  );
});
