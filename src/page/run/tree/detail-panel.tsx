/** What is known of one subagent, and what can be done to it. */
import type { ReactNode } from 'react';
import { useConfig } from '../../server/use-server.ts';
import type { RunDescription, SubagentView } from '../../../contract/run-view.ts';
import { formatCost, formatDuration, formatShort } from '../../../domain/format.ts';
import { hasEnded, hasSubagentEnded } from '../../../domain/projection/fold-run-event.ts';
import { Icon } from '../../parts/icon.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { ageOf, formatClock } from '../../parts/times.ts';
import { Link } from '../../navigation/link.tsx';
import { toRunPath } from '../../navigation/route.ts';
import type { OpenDialog } from '../dialogs/open-dialog.ts';
import { toActivity } from '../subagent-text.ts';
import type { LoggedCall, RunLog } from '../use-run-log.ts';

const maxCalls = 50;

export function DetailPanel({
  view,
  run,
  log,
  nowMs,
  onClose,
  onOpen,
}: {
  readonly view: SubagentView;
  readonly run: RunDescription;
  readonly log: RunLog;
  readonly nowMs: number;
  readonly onClose: () => void;
  readonly onOpen: (dialog: OpenDialog) => void;
}) {
  const canAct = useConfig()?.readOnly !== true;
  const isOver = hasEnded(run.status);
  const canSteer = canAct && !isOver && !hasSubagentEnded(view.status) && view.status !== 'cancelling';
  const calls = log.calls.get(view.id) ?? (view.lastCall ? [view.lastCall] : []);
  const findings = log.findings.filter(({ by }) => by === view.id);
  const approval = run.approvals.find(({ subagentId, outcome }) => subagentId === view.id && !outcome);
  const endMs = view.closedAt === undefined ? nowMs : Date.parse(view.closedAt);
  return (
    <aside className="card stack detail" aria-label={`Details of ${view.id}`}>
      <div className="line">
        <h2 className="grow">{view.id}</h2>
        <button type="button" className="tiny" onClick={onClose}>
          Close
        </button>
      </div>
      <p>{view.goal}</p>
      <dl>
        <Fact name="Status">
          <StatusBadge status={view.status} words={toActivity(view, nowMs)} />
        </Fact>
        {view.message && <Fact name="Why">{view.message}</Fact>}
        {view.again && <Fact name="Again">{view.again}</Fact>}
        {view.reusedFrom && (
          <Fact name="From">
            <Link to={toRunPath(view.reusedFrom, `?sel=${view.id}`)}>{view.reusedFrom}</Link>
          </Fact>
        )}
        <Fact name="Tokens">
          {view.usage.estimated ? '≥ ' : ''}
          {formatShort(view.usage.tokens)}
          {view.limitTokens > 0 && ` of ${formatShort(view.limitTokens)}`}
        </Fact>
        {formatCost(view.usage, '≥ ') !== null && <Fact name="Cost">{formatCost(view.usage, '≥ ')}</Fact>}
        <Fact name="Turns">{view.turns}</Fact>
        {view.startedAt && (
          <Fact name="Time">
            {formatClock(view.startedAt)}, {formatDuration(ageOf(view.startedAt, endMs))}
          </Fact>
        )}
        {view.cancel && (
          <Fact name="Cancel">
            asked {formatClock(view.cancel.requestedAt)}
            {view.cancel.acknowledgedAt &&
              `, heard +${formatDuration(ageOf(view.cancel.requestedAt, Date.parse(view.cancel.acknowledgedAt)))}`}
            {view.cancel.tokensAfter > 0 && `, ${formatShort(view.cancel.tokensAfter)} tokens after it`}
          </Fact>
        )}
      </dl>
      <div className="line no-print">
        {canSteer && approval && (
          <button type="button" className="primary" onClick={() => onOpen({ kind: 'approval', approval })}>
            Review call…
          </button>
        )}
        {canSteer && (
          <>
            <button type="button" onClick={() => onOpen({ kind: 'budget', subagentId: view.id })}>
              Raise cap…
            </button>
            <button
              type="button"
              className="danger"
              onClick={() => onOpen({ kind: 'cancel-subagent', subagentId: view.id })}
            >
              Cancel subagent…
            </button>
          </>
        )}
        {canAct && isOver && view.parentId === null && (
          <button type="button" onClick={() => onOpen({ kind: 'retry', from: view.id })}>
            Rerun from here…
          </button>
        )}
      </div>
      <h2>Tool calls {calls.length > 0 && <span className="muted number">{view.toolCalls}</span>}</h2>
      {calls.length === 0 && <p className="muted">None {hasSubagentEnded(view.status) ? '' : 'yet'}</p>}
      <ol className="calls">
        {calls.slice(-maxCalls).map((call, index) => (
          <Call key={`${call.callId}${index}`} call={call} nowMs={nowMs} />
        ))}
      </ol>
      {calls.length > maxCalls && <p className="muted">The last {maxCalls}; all of them are in the events.</p>}
      {findings.length > 0 && (
        <>
          <h2>
            Findings <span className="muted number">{findings.length}</span>
          </h2>
          <ul className="findings">
            {findings.slice(0, maxCalls).map(({ id, text }) => (
              <li key={id}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

function Call({ call, nowMs }: { readonly call: LoggedCall; readonly nowMs: number }) {
  const isOpen = call.finishedAt === undefined;
  const tone = isOpen ? 'run' : call.ok ? 'ok' : 'bad';
  const ms = isOpen
    ? ageOf(call.startedAt, nowMs)
    : (call.durationMs ?? ageOf(call.startedAt, Date.parse(call.finishedAt)));
  return (
    <li>
      <span className={`tone-${tone}`}>
        <Icon name={isOpen ? 'half' : call.ok ? 'check' : 'cross'} />
      </span>
      <span>
        <strong>{call.tool}</strong> <code>{call.input}</code>
      </span>
      <span className="muted number">
        {ms < 10_000 ? `${(ms / 1_000).toFixed(1)}s` : formatDuration(ms)}
        <span className="hidden">{isOpen ? ' so far' : call.ok ? ' ok' : ' failed'}</span>
      </span>
      {call.error && <span className="error">{call.error}</span>}
      {call.preview && (
        <details>
          <summary className="small">Output</summary>
          <pre>{call.preview}</pre>
        </details>
      )}
    </li>
  );
}
