/** The report with its sources beside it; before there is one, what has been found so far. */
import type { RunResult } from '../../../contract/result.ts';
import type { RunDescription } from '../../../contract/run-view.ts';
import { formatPlural } from '../../../domain/format.ts';
import { hasEnded } from '../../../domain/projection/fold-run-event.ts';
import { useConfig } from '../../server/use-server.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import type { OpenDialog } from '../dialogs/open-dialog.ts';
import { toReasonWords } from '../subagent-text.ts';
import type { RunLog } from '../use-run-log.ts';
import { ReportText } from './report-text.tsx';
import { SourceList, toSourceRows } from './source-list.tsx';

type Props = {
  readonly run: RunDescription;
  readonly result: RunResult | null;
  readonly log: RunLog;
  readonly onOpen: (dialog: OpenDialog) => void;
};

export default function ReportTab({ run, result, log, onOpen }: Props) {
  if (!result?.report) return <NoReport run={run} log={log} />;
  const cited = toSourceRows(result, []).filter(({ citations }) => citations.length > 0);
  return (
    <div className="columns wide-side">
      <article className="card" aria-label="Report">
        <div className="line no-print">
          <StatusBadge status={result.status} />
          <span className="muted number">
            {formatPlural(cited.length, 'source')} cited
            {result.gaps.length > 0 && ` · ${formatPlural(result.gaps.length, 'gap')}`}
          </span>
          <span className="grow" />
          <CopyButton label="Copy Markdown" toText={() => result.report ?? ''} />
          <button type="button" onClick={() => window.print()}>
            Print
          </button>
        </div>
        <ReportText result={result} />
      </article>
      <div className="stack">
        {result.gaps.length > 0 && <Gaps result={result} onOpen={onOpen} />}
        <section className="card stack" aria-label="Cited sources">
          <h2>Cited sources</h2>
          {cited.length === 0 ? <p className="muted">None</p> : <SourceList rows={cited} />}
        </section>
      </div>
    </div>
  );
}

function Gaps({ result, onOpen }: { readonly result: RunResult; readonly onOpen: (dialog: OpenDialog) => void }) {
  const canAct = useConfig()?.readOnly !== true;
  return (
    <section className="card stack" aria-label="Gaps">
      <h2>Gaps</h2>
      {result.gaps.map(({ subagentId, goal, status, reason }) => (
        <div key={subagentId} className="stack tight">
          <StatusBadge status={status} words={`${subagentId} ${status}${reason ? `: ${toReasonWords(reason)}` : ''}`} />
          <span>{goal}</span>
          {canAct && !subagentId.includes('.') && (
            <div>
              <button type="button" className="tiny" onClick={() => onOpen({ kind: 'retry', from: subagentId })}>
                Run {subagentId} again…
              </button>
            </div>
          )}
        </div>
      ))}
    </section>
  );
}

function NoReport({ run, log }: Pick<Props, 'run' | 'log'>) {
  const isOver = hasEnded(run.status);
  return (
    <div className="card stack narrow">
      <p>
        {isOver
          ? 'This run has ended without a report.'
          : run.status === 'synthesizing'
            ? 'The report is being written now.'
            : 'The report is written when the subagents have ended.'}
        {run.drafts.length > 0 && ` ${formatPlural(run.drafts.length, 'draft')} so far.`}
      </p>
      <h2>
        Found so far <span className="muted number">{log.findings.length}</span>
      </h2>
      {log.findings.length === 0 && <p className="muted">Nothing{isOver ? '' : ' yet'}</p>}
      <ul className="findings">
        {log.findings.slice(-200).map(({ id, by, text }) => (
          <li key={id}>
            {text} <span className="muted">{by}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
