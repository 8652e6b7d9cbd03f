/** Runs as rows, which narrow screens show as cards (so the roles are written out): status, question, how far its subagents are, what it has spent, when it began. */
import type { RunSummary } from '../../contract/run-view.ts';
import { formatDuration, formatShort, formatUsd } from '../../domain/format.ts';
import { Link } from '../navigation/link.tsx';
import { toRunPath } from '../navigation/route.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { toLook, type Tone } from '../parts/status-looks.ts';
import { ageOf, formatAgo, formatDate } from '../parts/times.ts';

export function RunsTable({ runs, nowMs }: { readonly runs: readonly RunSummary[]; readonly nowMs: number }) {
  return (
    <div className="table" role="region" aria-label="Runs" tabIndex={0}>
      <table className="runs" role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">
              Status
            </th>
            <th scope="col" role="columnheader">
              Question
            </th>
            <th scope="col" role="columnheader">
              Subagents
            </th>
            <th scope="col" role="columnheader">
              Spend
            </th>
            <th scope="col" role="columnheader">
              Started
            </th>
            <th scope="col" role="columnheader">
              Took
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {runs.map((run) => (
            <tr role="row" key={run.runId}>
              <td role="cell">
                <StatusBadge status={run.status} />
              </td>
              <td role="cell">
                <Link className="title" to={toTarget(run)} title={run.title}>
                  {run.title}
                </Link>
                <span className="small muted">
                  <span className="mono">{run.runId}</span>
                  {run.origin && ` · ${run.origin.kind} of ${run.origin.runId}`}
                  {run.tags.map((tag) => ` · ${tag}`)}
                </span>
              </td>
              <td role="cell" className="nowrap">
                <Progress subagents={run.subagents} />
              </td>
              <td role="cell" className="nowrap number">
                <Spend run={run} />
              </td>
              <td role="cell" className="nowrap" title={formatDate(run.startedAt)}>
                {formatAgo(run.startedAt, nowMs)}
              </td>
              <td role="cell" className="nowrap number">
                {formatDuration(ageOf(run.startedAt, run.closedAt === undefined ? nowMs : Date.parse(run.closedAt)))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function toTarget({ runId, status }: RunSummary): string {
  return toRunPath(runId, status === 'awaiting-plan' ? '/plan' : '');
}

const order: readonly Tone[] = ['ok', 'warn', 'bad', 'wait', 'run', 'mute'];

function Progress({ subagents }: { readonly subagents: Readonly<Record<string, number>> }) {
  const tones = new Map<Tone, number>();
  let total = 0;
  let done = 0;
  for (const [status, count] of Object.entries(subagents)) {
    const { tone } = toLook(status);
    tones.set(tone, (tones.get(tone) ?? 0) + count);
    total += count;
    if (tone === 'ok') done += count;
  }
  if (total === 0) return <span className="muted">–</span>;
  const words = Object.entries(subagents)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
  return (
    <span className="progress" title={words}>
      <span className="split" aria-hidden="true">
        {order.map(
          (tone) =>
            tones.has(tone) && <i key={tone} className={`fill-${tone}`} style={{ '--share': tones.get(tone)! }} />,
        )}
      </span>
      <span className="number">
        {done}/{total}
      </span>
      <span className="hidden">: {words}</span>
    </span>
  );
}

function Spend({ run }: { readonly run: RunSummary }) {
  const atLeast = run.estimated ? '≥ ' : '';
  const money =
    run.spentUsd === null || (run.spentUsd === 0 && run.limitUsd === null)
      ? null
      : `${atLeast}${formatUsd(run.spentUsd)}${run.limitUsd === null ? '' : ` / ${formatUsd(run.limitUsd)}`}`;
  const tokens = `${atLeast}${formatShort(run.spentTokens)} / ${formatShort(run.limitTokens)} tokens`;
  return money === null ? (
    tokens
  ) : (
    <>
      {money}
      <br />
      <span className="small muted">{tokens}</span>
    </>
  );
}
