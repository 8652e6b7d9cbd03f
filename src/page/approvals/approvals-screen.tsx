/** Everything that waits for a person, over all runs: calls to decide on, plans to review, budgets that are used up. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { PendingApproval } from '../../client/research-api.ts';
import { formatDuration } from '../../domain/format.ts';
import { collect } from '../server/collect.ts';
import { useClient } from '../server/client-context.tsx';
import { useConfig } from '../server/use-server.ts';
import { useShortcuts } from '../keys/shortcuts.ts';
import { useReportConnection } from '../live/connection.ts';
import { Link } from '../navigation/link.tsx';
import { toRunPath } from '../navigation/route.ts';
import { Problem } from '../parts/problem.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { formatAgo } from '../parts/times.ts';
import { useNow } from '../parts/use-now.ts';
import { useTitle } from '../parts/use-title.ts';
import { ApprovalDialog } from '../run/dialogs/approval-dialog.tsx';
import { NoticeSwitch } from './notice-switch.tsx';

type Open = { readonly approval: PendingApproval; readonly isDenial: boolean };

export default function ApprovalsScreen() {
  const client = useClient();
  const canAct = useConfig()?.readOnly !== true;
  const now = useNow();
  const approvals = useQuery({
    queryKey: ['approvals'],
    queryFn: () => collect(client.approvals()),
    refetchInterval: 3_000,
  });
  const others = useQuery({
    queryKey: ['others'],
    queryFn: () => collect(client.list({ status: ['awaiting-plan', 'paused-budget'], limit: 100 })),
    refetchInterval: 5_000,
  });
  useReportConnection(approvals.isPending ? 'connecting' : approvals.isError ? 'reconnecting' : 'live');
  const calls = approvals.data ?? [];
  const runs = others.data ?? [];
  const count = calls.length + runs.length;
  useTitle(count > 0 ? `(${count}) Approvals` : 'Approvals');
  const [open, setOpen] = useState<Open | null>(null);
  const [at, setAt] = useState(0);
  const list = useRef<HTMLOListElement>(null);
  const focusAt = (index: number) => {
    const next = Math.min(calls.length - 1, Math.max(0, index));
    setAt(next);
    list.current?.querySelectorAll<HTMLElement>('li')[next]?.focus();
  };
  const openAt = (isDenial: boolean) => () => {
    const approval = calls[at];
    if (!approval || !canAct) return false;
    setOpen({ approval, isDenial });
    return true;
  };
  useShortcuts({ j: () => focusAt(at + 1), k: () => focusAt(at - 1), a: openAt(false), d: openAt(true) });
  const handle = useMemo(() => (open ? client.getHandle(open.approval.runId) : null), [client, open]);
  return (
    <div className="stack narrow center">
      <div className="line">
        <h1>Approvals</h1>
        <span className="muted" aria-live="polite">
          {approvals.data && (count === 0 ? 'nothing waits for you' : `${count} waiting`)}
        </span>
        <span className="grow" />
        <NoticeSwitch count={count} />
      </div>
      <Problem error={approvals.error} onRetry={() => void approvals.refetch()} />
      {approvals.isPending && <p className="muted">Asking the server…</p>}
      {approvals.data && count === 0 && (
        <div className="card stack">
          <p>
            No call, plan or budget waits for a person. Requests of subagents at any depth show up here by themselves.
          </p>
          <p>
            <Link to="/">All runs</Link>
          </p>
        </div>
      )}
      <ol className="inbox" ref={list}>
        {calls.map((approval, index) => (
          <li
            key={`${approval.runId} ${approval.id}`}
            className="notice tone-edge-wait"
            tabIndex={index === at ? 0 : -1}
            onFocus={() => setAt(index)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && event.target === event.currentTarget) openAt(false)();
            }}
          >
            <span className="grow">
              <strong>{approval.subagentId}</strong> of{' '}
              <Link to={toRunPath(approval.runId, `?sel=${approval.subagentId}`)}>{approval.runId}</Link> wants{' '}
              <code>{approval.tool}</code>
              <br />
              <code>{approval.input.slice(0, 240)}</code>
              <br />
              <span className="small muted">
                {approval.id} · asked {formatAgo(approval.requestedAt, now)}
                {approval.expiresAt !== null && ` · expires in ${formatDuration(Date.parse(approval.expiresAt) - now)}`}
              </span>
            </span>
            {canAct && (
              <>
                <button type="button" className="primary" onClick={() => setOpen({ approval, isDenial: false })}>
                  Review…
                </button>
                <button type="button" onClick={() => setOpen({ approval, isDenial: true })}>
                  Deny…
                </button>
              </>
            )}
          </li>
        ))}
      </ol>
      {runs.length > 0 && (
        <>
          <h2>Plans and budgets</h2>
          {runs.map((run) => (
            <div key={run.runId} className="notice">
              <StatusBadge status={run.status} />
              <span className="grow">{run.title}</span>
              <Link className="button" to={toRunPath(run.runId, run.status === 'awaiting-plan' ? '/plan' : '')}>
                {run.status === 'awaiting-plan' ? 'Review plan…' : 'Open'}
              </Link>
            </div>
          ))}
        </>
      )}
      {open && handle && (
        <ApprovalDialog
          approval={open.approval}
          isDenial={open.isDenial}
          handle={handle}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}
