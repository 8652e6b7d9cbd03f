/** Where a run comes from, what took over from it, why it ended as it did, and how its cancel went. */
import type { ReactNode } from 'react';
import type { RunDescription } from '../../contract/run-view.ts';
import { formatDuration, formatPlural, formatShort } from '../../domain/format.ts';
import { Link } from '../navigation/link.tsx';
import { toRunPath } from '../navigation/route.ts';
import { Icon } from '../parts/icon.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { ageOf, formatClock } from '../parts/times.ts';

const toRun = (runId: string) => (
  <Link className="mono" to={toRunPath(runId)}>
    {runId}
  </Link>
);

export function HistoryNotes({ run }: { readonly run: RunDescription }) {
  const reused = run.tree.filter(({ status }) => status === 'reused').length;
  const notes: ReactNode[] = [];
  if (run.origin) {
    notes.push(
      <div className="notice slim" key="origin">
        <Icon name="again" />
        <span className="grow">
          {run.origin.kind === 'retry' ? 'Retry of ' : `Rerun from ${run.origin.from ?? 'the plan'} of `}
          {toRun(run.origin.runId)}: {reused} reused, {run.tree.length - reused} done again
          {run.earlier && `, ${formatShort(run.earlier.tokens)} tokens spent before`}
        </span>
      </div>,
    );
  }
  for (const next of run.successors ?? []) {
    notes.push(
      <div className="notice slim" key={next.runId}>
        <Icon name="again" />
        <span className="grow">
          Taken over by {toRun(next.runId)} ({next.kind}
          {next.from ? ` from ${next.from}` : ''})
        </span>
        <StatusBadge status={next.status} />
      </div>,
    );
  }
  if (run.finalizeRequested && run.status !== 'cancelling') {
    const { by, at, reason } = run.finalizeRequested;
    notes.push(
      <div className="notice slim" key="finalize">
        <span className="grow">
          The report was asked for by {by} at {formatClock(at)}
          {reason && `: ${reason}`}
        </span>
      </div>,
    );
  }
  if (run.failure) {
    notes.push(
      <div className="notice slim tone-edge-bad" key="failure">
        <span className="tone-bad">
          <Icon name="cross" />
        </span>
        <span className="grow">
          {run.failure.message} <span className="muted mono">{run.failure.code}</span>
        </span>
      </div>,
    );
  }
  if (run.cancel || run.cancelRequestedAt) notes.push(<CancelNote key="cancel" run={run} />);
  return <>{notes}</>;
}

function CancelNote({ run }: { readonly run: RunDescription }) {
  const { cancel } = run;
  const at = cancel?.requestedAt ?? run.cancelRequestedAt!;
  const after = (iso: string | null | undefined) => (iso ? `+${formatDuration(ageOf(at, Date.parse(iso)))}` : null);
  const facts = [
    ...(cancel ? [`${cancel.stopped} of ${formatPlural(cancel.subagents, 'subagent')} stopped`] : []),
    ...(after(cancel?.acknowledgedAt) ? [`heard everywhere ${after(cancel?.acknowledgedAt)}`] : []),
    ...(after(cancel?.lastSocketClosedAt) ? [`last connection closed ${after(cancel?.lastSocketClosedAt)}`] : []),
    ...(after(cancel?.stoppedAt) ? [`all stopped ${after(cancel?.stoppedAt)}`] : []),
    ...(cancel
      ? [`${cancel.estimated ? '≥ ' : ''}${formatShort(cancel.tokensAfter)} tokens paid after the request`]
      : []),
    ...(cancel && cancel.openSockets > 0
      ? [`${formatPlural(cancel.openSockets, 'connection')} may still be open`]
      : []),
    ...(cancel && cancel.mayStillRun.length > 0
      ? [`may still run outside: ${cancel.mayStillRun.map(({ tool }) => tool).join(', ')}`]
      : []),
  ];
  return (
    <div className="notice slim tone-edge-warn">
      <span className="tone-warn">
        <Icon name="stop" />
      </span>
      <span className="grow">
        Cancel asked for at {formatClock(at)}
        {run.cancelReason && ` (${run.cancelReason})`}
        {facts.length > 0 && `: ${facts.join(' · ')}`}
      </span>
    </div>
  );
}
