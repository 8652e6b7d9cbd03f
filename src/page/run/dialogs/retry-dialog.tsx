/** A new run that takes over what this one has done: the rest of it, from a point on anew, or everything. */
import { useId, useState } from 'react';
import type { BudgetRaiseInput } from '../../../contract/control.ts';
import type { RunDescription } from '../../../contract/run-view.ts';
import { formatPlural, formatShort } from '../../../domain/format.ts';
import type { PageRunHandle } from '../../server/client-context.tsx';
import { useAction } from '../../server/use-action.ts';
import { navigate } from '../../navigation/location.ts';
import { toRunPath } from '../../navigation/route.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { toNumberOrText } from '../../start/to-number.ts';
import { toReasonWords } from '../subagent-text.ts';

type Kind = 'reuse' | 'rerun' | 'all';

export function RetryDialog({
  run,
  handle,
  from,
  onClose,
}: {
  readonly run: RunDescription;
  readonly handle: PageRunHandle;
  /** The subagent that it was opened at. */
  readonly from?: string;
  readonly onClose: () => void;
}) {
  const action = useAction();
  const id = useId();
  const [kind, setKind] = useState<Kind>(from === undefined ? 'reuse' : 'rerun');
  const [point, setPoint] = useState(from ?? 'synthesis');
  const known = run.tree.find((view) => view.id === point);
  const [goal, setGoal] = useState<string | null>(null);
  const [tokens, setTokens] = useState('');
  const [usd, setUsd] = useState('');
  const own = run.tree.filter(({ parentId }) => parentId === null);
  const finished = own.filter(({ status }) => status === 'done' || status === 'reused');
  const rest = own.filter(({ status }) => status !== 'done' && status !== 'reused');
  const saved = finished.reduce((sum, { usage }) => sum + usage.tokens, 0);
  const submit = async () => {
    const budget: BudgetRaiseInput & Record<string, unknown> = {
      ...(tokens.trim() !== '' && { tokens: toNumberOrText(tokens) as number }),
      ...(usd.trim() !== '' && { usd: toNumberOrText(usd) as number }),
    };
    const limits = Object.keys(budget).length > 0 ? { budget } : {};
    const edit = known && goal !== null && goal.trim() !== known.goal ? { edit: { goal: goal.trim() } } : {};
    await action.run(async (requestId) => {
      const next =
        kind === 'rerun'
          ? await handle.rerun({ from: point, ...edit, ...limits, requestId })
          : await handle.retry({ reuse: kind === 'reuse' ? 'finished' : 'none', ...limits, requestId });
      onClose();
      navigate(toRunPath(next.runId));
    });
  };
  const choice = (value: Kind, words: string) => (
    <label className="choice">
      <input type="radio" name={`${id}kind`} checked={kind === value} onChange={() => setKind(value)} />
      {words}
    </label>
  );
  return (
    <Dialog title={`Retry ${run.title.slice(0, 80)}`} onClose={onClose}>
      <fieldset>
        <legend>What is done again</legend>
        <div className="stack">
          {choice(
            'reuse',
            `Only what is not finished: reuse ${finished.length} of ${own.length}, ${formatShort(saved)} tokens`,
          )}
          {kind === 'reuse' && rest.length > 0 && (
            <ul className="small">
              {rest.slice(0, 12).map((view) => (
                <li key={view.id}>
                  <strong>{view.id}</strong> {view.reason ? toReasonWords(view.reason) : view.status}: {view.goal}
                </li>
              ))}
              {rest.length > 12 && <li>and {formatPlural(rest.length - 12, 'more subtask')}</li>}
            </ul>
          )}
          {choice('rerun', 'Everything from a point on:')}
          {kind === 'rerun' && (
            <select aria-label="From" value={point} onChange={(event) => (setPoint(event.target.value), setGoal(null))}>
              <option value="plan">the plan</option>
              {own.map((view) => (
                <option key={view.id} value={view.id}>
                  {view.id} {view.goal.slice(0, 70)}
                </option>
              ))}
              <option value="synthesis">the report</option>
            </select>
          )}
          {kind === 'rerun' && known && (
            <div className="field">
              <label htmlFor={`${id}goal`}>Goal of {known.id}</label>
              <textarea
                id={`${id}goal`}
                rows={3}
                maxLength={4_000}
                value={goal ?? known.goal}
                onChange={(event) => setGoal(event.target.value)}
              />
            </div>
          )}
          {choice('all', 'Everything again')}
        </div>
      </fieldset>
      <div className="fields">
        <div className="field">
          <label htmlFor={`${id}tokens`}>Tokens in all</label>
          <input
            id={`${id}tokens`}
            inputMode="decimal"
            placeholder={formatShort(run.budget.tokens.limit)}
            value={tokens}
            onChange={(event) => setTokens(event.target.value)}
          />
        </div>
        {run.budget.usd && (
          <div className="field">
            <label htmlFor={`${id}usd`}>USD in all</label>
            <input
              id={`${id}usd`}
              inputMode="decimal"
              placeholder={String(run.budget.usd.limit)}
              value={usd}
              onChange={(event) => setUsd(event.target.value)}
            />
          </div>
        )}
      </div>
      <p className="small muted">
        What was spent before counts towards these limits. The run that is taken over stays as it is.
      </p>
      <Problem error={action.error} />
      <div className="actions">
        <button type="button" data-first onClick={onClose}>
          Close
        </button>
        <button type="button" className="primary" disabled={action.isPending} onClick={submit}>
          {action.isPending ? 'Requesting…' : 'Start'}
        </button>
      </div>
    </Dialog>
  );
}
