/** The ways to end a run or a part of it, each with what it does and what is kept. Focus starts on what changes nothing. */
import { useId, useState, type ReactNode } from 'react';
import type { RunDescription } from '../../../contract/run-view.ts';
import { formatPlural } from '../../../domain/format.ts';
import { hasSubagentEnded } from '../../../domain/projection/fold-run-event.ts';
import type { PageRunHandle } from '../../server/client-context.tsx';
import { useAction } from '../../server/use-action.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';

type Props = { readonly run: RunDescription; readonly handle: PageRunHandle; readonly onClose: () => void };

function StopDialog({
  title,
  children,
  keep,
  confirm,
  onClose,
  act,
  needsReason = false,
  isDanger = true,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly keep: string;
  readonly confirm: string;
  readonly onClose: () => void;
  readonly act: (reason: string, requestId: string) => Promise<unknown>;
  readonly needsReason?: boolean;
  readonly isDanger?: boolean;
}) {
  const action = useAction();
  const [reason, setReason] = useState('');
  const id = useId();
  const run = async () => {
    if (await action.run((requestId) => act(reason.trim(), requestId))) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div className="field">
        <label htmlFor={id}>Reason{needsReason ? '' : ' (optional)'}</label>
        <input id={id} value={reason} maxLength={1_000} onChange={(event) => setReason(event.target.value)} />
      </div>
      <Problem error={action.error} />
      <div className="actions">
        <button type="button" data-first onClick={onClose}>
          {keep}
        </button>
        <button
          type="button"
          className={isDanger ? 'danger' : 'primary'}
          disabled={action.isPending || (needsReason && reason.trim() === '')}
          onClick={run}
        >
          {action.isPending ? 'Requesting…' : confirm}
        </button>
      </div>
    </Dialog>
  );
}

/** What is open now, in words. */
function toOpenWords({ tree, approvals }: RunDescription): string {
  const open = tree.filter(({ status }) => !hasSubagentEnded(status));
  const calls = open.filter(({ lastCall }) => lastCall && !lastCall.finishedAt).length;
  const asked = approvals.filter(({ outcome }) => !outcome).length;
  return [
    `Stops ${formatPlural(open.length, 'subagent')}`,
    ...(calls > 0 ? [`${formatPlural(calls, 'tool call')} in flight`] : []),
    ...(asked > 0 ? [`${formatPlural(asked, 'request')} for approval withdrawn`] : []),
  ].join(', ');
}

export function CancelRunDialog({ run, handle, onClose, onFinalize }: Props & { readonly onFinalize: () => void }) {
  const findings = run.tree.reduce((sum, view) => sum + view.findings, 0);
  return (
    <StopDialog
      title="Cancel run?"
      keep="Keep running"
      confirm="Cancel run"
      onClose={onClose}
      act={(reason) => handle.cancel(reason === '' ? {} : { reason })}
    >
      <p>{toOpenWords(run)}.</p>
      <p>
        Kept: {formatPlural(findings, 'finding')}, every event, and the last draft of the report where there is one.
      </p>
      {run.tree.length > 0 && !run.finalizeRequested && (
        <div className="line">
          <span>Rather have a report from what is there?</span>
          <button type="button" onClick={onFinalize}>
            Stop &amp; write report…
          </button>
        </div>
      )}
    </StopDialog>
  );
}

export function FinalizeDialog({ handle, onClose }: Props) {
  return (
    <StopDialog
      title="Stop and write the report?"
      keep="Keep running"
      confirm="Stop & write report"
      isDanger={false}
      onClose={onClose}
      act={(reason, requestId) => handle.finalize({ requestId, ...(reason !== '' && { reason }) })}
    >
      <p>
        No new work begins. Subagents hand back what they have within 30 seconds; then the report is written, with its
        gaps, and the run ends as partial.
      </p>
    </StopDialog>
  );
}

export function TerminateDialog({ handle, onClose }: Props) {
  return (
    <StopDialog
      title="Terminate run?"
      keep="Wait for the cancel"
      confirm="Terminate"
      needsReason
      onClose={onClose}
      act={(reason) => handle.terminate(reason)}
    >
      <p>
        For a cancel that does not land. Nothing is cleaned up and no report is written; tool calls that run now may
        still finish outside.
      </p>
    </StopDialog>
  );
}

export function CancelSubagentDialog({ run, handle, onClose, subagentId }: Props & { readonly subagentId: string }) {
  const below = run.tree.filter(({ id, status }) => id.startsWith(`${subagentId}.`) && !hasSubagentEnded(status));
  const goal = run.tree.find(({ id }) => id === subagentId)?.goal ?? '';
  return (
    <StopDialog
      title={`Cancel subagent ${subagentId}?`}
      keep="Keep running"
      confirm="Cancel subagent"
      onClose={onClose}
      act={(reason) => handle.cancelSubagent(subagentId, reason === '' ? {} : { reason })}
    >
      <p>{goal}</p>
      <p>
        Stops this subagent{below.length > 0 && ` and ${formatPlural(below.length, 'subagent')} below it`}. The others
        go on; what it would have found becomes a gap of the report.
      </p>
    </StopDialog>
  );
}
