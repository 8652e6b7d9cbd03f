/** What a run is and how it is: title, status, how far it is, and what can be done to it now. */
import type { RunDescription } from '../../contract/run-view.ts';
import { formatDuration } from '../../domain/format.ts';
import { hasEnded } from '../../domain/projection/fold-run-event.ts';
import type { PageRunHandle } from '../server/client-context.tsx';
import { useConfig, useHealth } from '../server/use-server.ts';
import { Icon } from '../parts/icon.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { ageOf } from '../parts/times.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import type { OpenDialog } from './dialogs/open-dialog.ts';
import { ExportButtons } from './export-buttons.tsx';
import { toFacts, toProgress, toStatusWords } from './run-text.ts';

/** What a cancel has to land; then a harder way is offered. */
const graceMs = 30_000;

export function RunHead({
  run,
  handle,
  nowMs,
  onOpen,
}: {
  readonly run: RunDescription;
  readonly handle: PageRunHandle;
  readonly nowMs: number;
  readonly onOpen: (dialog: OpenDialog) => void;
}) {
  const config = useConfig();
  const health = useHealth().data;
  const isOver = hasEnded(run.status);
  const endMs = run.closedAt === undefined ? nowMs : Date.parse(run.closedAt);
  const facts = [
    formatDuration(ageOf(run.startedAt, endMs)),
    toProgress(run),
    ...toFacts(run, nowMs, health?.hasWorker),
  ];
  const isCancelling = run.status === 'cancelling';
  const isLate = run.cancelRequestedAt !== undefined && ageOf(run.cancelRequestedAt, nowMs) >= graceMs;
  const temporalUrl = run.temporal.url ?? null;
  const canFinalize =
    !isOver && !isCancelling && run.status !== 'synthesizing' && !run.finalizeRequested && run.tree.length > 0;
  return (
    <div className="stack run-head">
      <div className="line">
        <h1>{run.title}</h1>
        <StatusBadge status={run.status} words={toStatusWords(run)} />
        <span className="tag mono">{run.runId}</span>
        <CopyButton bare label="Copy the id of the run" toText={() => run.runId} />
      </div>
      <p className="number">{facts.join(' · ')}</p>
      <div className="line no-print">
        {!config?.readOnly && canFinalize && (
          <button type="button" onClick={() => onOpen({ kind: 'finalize' })}>
            Stop &amp; write report…
          </button>
        )}
        {!config?.readOnly && !isOver && !isCancelling && (
          <button type="button" className="danger" onClick={() => onOpen({ kind: 'cancel' })}>
            Cancel run…
          </button>
        )}
        {!config?.readOnly && isCancelling && isLate && (
          <button type="button" className="danger" onClick={() => onOpen({ kind: 'terminate' })}>
            Terminate…
          </button>
        )}
        {!config?.readOnly && isOver && (
          <>
            <button type="button" onClick={() => onOpen({ kind: 'retry' })}>
              Retry…
            </button>
            <button type="button" onClick={() => onOpen({ kind: 'retry', from: 'synthesis' })}>
              Rerun from…
            </button>
          </>
        )}
        {isOver && <ExportButtons handle={handle} />}
        {temporalUrl !== null && /^https?:\/\//.test(temporalUrl) && (
          <a className="button" href={temporalUrl} target="_blank" rel="noopener noreferrer">
            Open in Temporal <Icon name="out" />
          </a>
        )}
      </div>
    </div>
  );
}
