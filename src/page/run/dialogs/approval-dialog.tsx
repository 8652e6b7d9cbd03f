/** A call that waits for a person: what it is, who wants it, and the decision, with other arguments where wanted. */
import { useId, useState } from 'react';
import type { ApprovalView } from '../../../contract/run-view.ts';
import { formatDuration } from '../../../domain/format.ts';
import type { PageRunHandle } from '../../server/client-context.tsx';
import { useAction } from '../../server/use-action.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { formatAgo } from '../../parts/times.ts';
import { useNow } from '../../parts/use-now.ts';

export function ApprovalDialog({
  approval,
  handle,
  isDenial = false,
  onClose,
}: {
  readonly approval: ApprovalView;
  readonly handle: PageRunHandle;
  readonly isDenial?: boolean;
  readonly onClose: () => void;
}) {
  const action = useAction();
  const now = useNow();
  const id = useId();
  const [args, setArgs] = useState<string | null>(null);
  const [isRemembered, setRemembered] = useState(false);
  const [isDenying, setDenying] = useState(isDenial);
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');
  const because = reason.trim() === '' ? {} : { reason: reason.trim() };
  const approve = async () => {
    const edited = args === null ? undefined : toArguments(args);
    setProblem(edited === null ? 'Arguments: wanted a JSON object' : '');
    if (edited === null) return;
    const options = { ...because, ...(edited && { args: edited }), ...(isRemembered && { remember: 'run' as const }) };
    if (await action.run((requestId) => handle.approve(approval.id, { ...options, requestId }))) onClose();
  };
  const deny = async () => {
    if (await action.run((requestId) => handle.deny(approval.id, { ...because, requestId }))) onClose();
  };
  const expires =
    approval.expiresAt === null ? '' : ` · expires in ${formatDuration(Date.parse(approval.expiresAt) - now)}`;
  return (
    <Dialog title={`${isDenying ? 'Deny' : 'Approve'} ${approval.tool}?`} onClose={onClose}>
      <p>
        <strong>{approval.subagentId}</strong> wants to call <code>{approval.tool}</code>
        <span className="muted">
          {' '}
          · asked {formatAgo(approval.requestedAt, now)}
          {expires}
        </span>
      </p>
      {args === null ? (
        <>
          <pre className="card surface" tabIndex={0} aria-label="Arguments">
            {toPretty(approval.input)}
          </pre>
          {!isDenying && (
            <div>
              <button type="button" onClick={() => setArgs(toPretty(approval.input))}>
                Edit arguments
              </button>
            </div>
          )}
        </>
      ) : (
        <div className="field">
          <label htmlFor={`${id}args`}>Arguments, JSON</label>
          <textarea
            id={`${id}args`}
            className="mono"
            rows={8}
            spellCheck={false}
            aria-invalid={problem !== ''}
            value={args}
            onChange={(event) => setArgs(event.target.value)}
          />
        </div>
      )}
      <div className="field">
        <label htmlFor={`${id}reason`}>Reason (optional){isDenying && ': the subagent reads it'}</label>
        <input
          id={`${id}reason`}
          maxLength={1_000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
      {!isDenying && (
        <label className="choice">
          <input type="checkbox" checked={isRemembered} onChange={(event) => setRemembered(event.target.checked)} />
          <span>
            Allow <code>{approval.tool}</code> for the rest of this run
          </span>
        </label>
      )}
      {problem !== '' && (
        <p className="error" role="alert">
          {problem}
        </p>
      )}
      <Problem error={action.error} />
      <div className="actions">
        <button type="button" data-first onClick={onClose}>
          Close
        </button>
        {isDenying ? (
          <button type="button" className="danger" disabled={action.isPending} onClick={deny}>
            {action.isPending ? 'Requesting…' : 'Deny'}
          </button>
        ) : (
          <>
            <button type="button" className="danger" disabled={action.isPending} onClick={() => setDenying(true)}>
              Deny…
            </button>
            <button type="button" className="primary" disabled={action.isPending} onClick={approve}>
              {action.isPending ? 'Requesting…' : args === null ? 'Approve once' : 'Approve as edited'}
            </button>
          </>
        )}
      </div>
    </Dialog>
  );
}

function toPretty(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input), null, 2);
  } catch {
    return input;
  }
}

function toArguments(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
