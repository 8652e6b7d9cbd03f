/** What the run needs a person for, above everything else: a plan, calls to decide on, a budget. */
import { Link } from '../navigation/link.tsx';
import { toRunPath } from '../navigation/route.ts';
import { useConfig } from '../server/use-server.ts';
import type { RunDescription } from '../../contract/run-view.ts';
import { formatDuration, formatPlural } from '../../domain/format.ts';
import { hasEnded } from '../../domain/projection/fold-run-event.ts';
import { Icon } from '../parts/icon.tsx';
import { formatAgo } from '../parts/times.ts';
import type { OpenDialog } from './dialogs/open-dialog.ts';

const maxShown = 5;

export function NeedsBanner({
  run,
  nowMs,
  onOpen,
}: {
  readonly run: RunDescription;
  readonly nowMs: number;
  readonly onOpen: (dialog: OpenDialog) => void;
}) {
  const config = useConfig();
  if (hasEnded(run.status) || run.status === 'cancelling') return null;
  const open = run.approvals.filter(({ outcome }) => !outcome);
  const paused = run.tree.filter(({ status }) => status === 'paused-budget').map(({ id }) => id);
  const isPaused = run.status === 'paused-budget' || paused.length > 0;
  const canAct = !config?.readOnly;
  return (
    <>
      {run.status === 'awaiting-plan' && (
        <section className="notice tone-edge-wait" aria-label="Plan to review">
          <h2 className="status tone-wait">
            <Icon name="alert" />
            Plan to review
          </h2>
          <span className="grow">
            {formatPlural(run.tree.length, 'subtask')}: nothing is spent on them before you say so.
          </span>
          <Link className="button" to={toRunPath(run.runId, '/plan')}>
            Review plan…
          </Link>
        </section>
      )}
      {open.slice(0, maxShown).map((approval) => (
        <section key={approval.id} className="notice tone-edge-wait" aria-label={`Approval needed: ${approval.id}`}>
          <h2 className="status tone-wait">
            <Icon name="alert" />
            Approval needed
          </h2>
          <span className="grow">
            <strong>{approval.subagentId}</strong> wants <code>{approval.tool}</code>{' '}
            <code>{approval.input.slice(0, 200)}</code>
            <span className="muted">
              {' '}
              · asked {formatAgo(approval.requestedAt, nowMs)}
              {approval.expiresAt !== null && ` · expires in ${formatDuration(Date.parse(approval.expiresAt) - nowMs)}`}
            </span>
          </span>
          {canAct && (
            <>
              <button type="button" className="primary" onClick={() => onOpen({ kind: 'approval', approval })}>
                Review…
              </button>
              <button type="button" onClick={() => onOpen({ kind: 'approval', approval, isDenial: true })}>
                Deny…
              </button>
            </>
          )}
        </section>
      ))}
      {open.length > maxShown && (
        <p>
          <Link to="/approvals">{formatPlural(open.length - maxShown, 'more approval')}</Link>
        </p>
      )}
      {isPaused && (
        <section className="notice tone-edge-warn" aria-label="Paused on budget">
          <h2 className="status tone-warn">
            <Icon name="pause" />
            Paused: budget
          </h2>
          <span className="grow">
            {paused.length > 0
              ? `${paused.slice(0, 8).join(', ')} ${paused.length === 1 ? 'waits' : 'wait'}`
              : 'The run waits'}{' '}
            for more budget.
          </span>
          {canAct && (
            <button type="button" className="primary" onClick={() => onOpen({ kind: 'budget' })}>
              Raise budget…
            </button>
          )}
        </section>
      )}
    </>
  );
}
