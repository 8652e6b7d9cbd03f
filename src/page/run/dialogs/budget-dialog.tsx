/** Adds to the limits of a run, or of one subagent and the run together. */
import { useId, useState } from 'react';
import { budgetRaiseSchema } from '../../../contract/control.ts';
import { describeIssues } from '../../../contract/invalid-input.ts';
import type { RunDescription } from '../../../contract/run-view.ts';
import { formatShort, formatUsd } from '../../../domain/format.ts';
import type { PageRunHandle } from '../../server/client-context.tsx';
import { useAction } from '../../server/use-action.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { toNumberOrText } from '../../start/to-number.ts';

const fields = [
  { name: 'usd', label: 'Cost, USD', placeholder: '2.00' },
  { name: 'tokens', label: 'Tokens', placeholder: '200000' },
  { name: 'toolCalls', label: 'Tool calls', placeholder: '50' },
  { name: 'wallClock', label: 'Time', placeholder: '10m' },
] as const;

export function BudgetDialog({
  run,
  handle,
  subagentId,
  onClose,
}: {
  readonly run: RunDescription;
  readonly handle: PageRunHandle;
  readonly subagentId?: string;
  readonly onClose: () => void;
}) {
  const action = useAction();
  const id = useId();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [scope, setScope] = useState(subagentId ?? 'run');
  const [problems, setProblems] = useState<readonly string[]>([]);
  const { tokens, usd } = run.budget;
  const paused = run.tree.filter(({ status }) => status === 'paused-budget').map((view) => view.id);
  const offered = fields.filter(({ name }) => name !== 'usd' || usd !== undefined);
  const submit = async () => {
    const given = offered.filter(({ name }) => (values[name] ?? '').trim() !== '');
    const add = Object.fromEntries(
      given.map(({ name }) => [name, name === 'wallClock' ? values[name]!.trim() : toNumberOrText(values[name]!)]),
    );
    const parsed = budgetRaiseSchema.safeParse(add);
    setProblems(parsed.success ? [] : describeIssues(parsed.error, add));
    if (!parsed.success) return;
    const options = {
      ...(scope !== 'run' && { subagentId: scope }),
      ...((values['reason'] ?? '').trim() !== '' && { reason: values['reason']!.trim() }),
    };
    const isDone = await action.run((requestId) =>
      handle.addBudget(add, { ...options, requestId }),
    );
    if (isDone) onClose();
  };
  const set = (name: string) => (event: { target: { value: string } }) =>
    setValues((before) => ({ ...before, [name]: event.target.value }));
  return (
    <Dialog title="Raise budget" onClose={onClose}>
      <p className="number">
        Now {formatShort(tokens.spent)} of {formatShort(tokens.limit)} tokens used
        {tokens.reserved > 0 && ` + ${formatShort(tokens.reserved)} reserved`}
        {usd && `, ${formatUsd(usd.spent)} of ${formatUsd(usd.limit)}`}.
      </p>
      <div className="fields">
        {offered.map(({ name, label, placeholder }, index) => (
          <div className="field" key={name}>
            <label htmlFor={`${id}${name}`}>Add: {label}</label>
            <input
              id={`${id}${name}`}
              {...(index === 0 && { 'data-first': true })}
              inputMode={name === 'wallClock' ? 'text' : 'decimal'}
              placeholder={placeholder}
              value={values[name] ?? ''}
              onChange={set(name)}
            />
          </div>
        ))}
      </div>
      <div className="field">
        <label htmlFor={`${id}scope`}>For</label>
        <select id={`${id}scope`} value={scope} onChange={(event) => setScope(event.target.value)}>
          <option value="run">the run</option>
          {run.tree
            .filter((view) => view.closedAt === undefined)
            .map((view) => (
              <option key={view.id} value={view.id}>
                {view.id} {view.goal.slice(0, 60)}
              </option>
            ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={`${id}reason`}>Reason (optional)</label>
        <input id={`${id}reason`} maxLength={1_000} value={values['reason'] ?? ''} onChange={set('reason')} />
      </div>
      {paused.length > 0 && <p>Resumes: {paused.join(', ')}</p>}
      {problems.length > 0 && (
        <p className="error" role="alert">
          {problems.join('; ')}
        </p>
      )}
      <Problem error={action.error} />
      <div className="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <button type="button" className="primary" disabled={action.isPending} onClick={submit}>
          {action.isPending ? 'Requesting…' : paused.length > 0 ? 'Add and resume' : 'Add'}
        </button>
      </div>
    </Dialog>
  );
}
