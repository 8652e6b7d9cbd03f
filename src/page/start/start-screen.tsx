/** A new run. The form says what the flags of the command line say, and the same schema checks both. */
import { useEffect, useMemo, useRef, useState, type FormEvent } from 'react';
import { useClient } from '../server/client-context.tsx';
import { useAction } from '../server/use-action.ts';
import { useConfig, useHealth } from '../server/use-server.ts';
import { useReportConnection } from '../live/connection.ts';
import { navigate } from '../navigation/location.ts';
import { toRunPath } from '../navigation/route.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Problem } from '../parts/problem.tsx';
import { useTitle } from '../parts/use-title.ts';
import { keepDraft, readDraft } from './draft.ts';
import { EstimateLine } from './estimate-line.tsx';
import { fields, type Field } from './fields.ts';
import { FormField } from './form-field.tsx';
import { MainFields } from './main-fields.tsx';
import { toCli, toTypeScript } from './to-code.ts';
import { emptyForm, findProblems, toInput, type FormValues } from './to-input.ts';

const labels: Readonly<Record<string, string>> = {
  question: 'Question',
  subtasks: 'Subtasks',
  models: 'Model',
  maxSubagents: 'Subagents at most',
  maxDepth: 'Levels',
};
/** Field of the form by field of the request, where they differ. */
const elements: Readonly<Record<string, string>> = { models: 'model' };

export default function StartScreen() {
  useTitle('New run');
  const client = useClient();
  const config = useConfig();
  const health = useHealth();
  useReportConnection(health.isPending ? 'connecting' : health.isError ? 'reconnecting' : 'live');
  const [values, setValues] = useState<FormValues>(() => readDraft(new URLSearchParams(window.location.search)));
  const [wasSent, setSent] = useState(false);
  const summary = useRef<HTMLDivElement>(null);
  const action = useAction();
  const defaultModel = config?.defaultModel ?? 'extractive';
  const input = useMemo(() => toInput(values, defaultModel), [values, defaultModel]);
  const problems = useMemo(() => findProblems(input), [input]);
  useEffect(() => {
    const timer = setTimeout(() => keepDraft(values), 500);
    return () => clearTimeout(timer);
  }, [values]);
  const set = (change: Partial<FormValues>) => setValues((before) => ({ ...before, ...change }));
  const setMore = (name: string, value: string) =>
    setValues((before) => ({ ...before, more: { ...before.more, [name]: value } }));
  // An empty question is no mistake before somebody wants to start.
  const errorOf = (name: string) =>
    problems.find(({ field }) => field === name && (wasSent || field !== 'question'))?.message;

  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    setSent(true);
    if (problems.length > 0) {
      requestAnimationFrame(() => summary.current?.focus());
      return;
    }
    await action.run(async (requestId) => {
      const run = await client.start(input, { requestId });
      keepDraft(emptyForm);
      navigate(toRunPath(run.runId));
    });
  };
  const group = (name: Field['group']) => (
    <div className="fields">
      {fields
        .filter((field) => field.group === name)
        .map((field) => (
          <FormField
            key={field.name}
            field={field}
            value={values.more[field.name] ?? ''}
            error={errorOf(field.name)}
            onChange={setMore}
          />
        ))}
    </div>
  );
  const hasAdvancedProblem = problems.some(({ field }) =>
    fields.some((each) => each.name === field && each.group !== 'budget' && each.group !== 'tools'),
  );
  return (
    <form
      className="stack narrow center"
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
      }}
    >
      <h1>New research run</h1>
      {config?.readOnly && <p className="notice">This server is read only: no run can be started through it.</p>}
      {health.data?.hasWorker === false && (
        <p className="notice tone-edge-warn">
          No worker polls the task queue “{health.data.taskQueue}”. The run waits until there is one:{' '}
          <code>tributary worker</code>
        </p>
      )}
      {wasSent && problems.length > 0 && (
        <div className="notice tone-edge-bad" role="alert" tabIndex={-1} ref={summary}>
          <div className="grow">
            <strong>This cannot be started yet:</strong>
            <ul>
              {problems.map(({ field, message }) => (
                <li key={`${field} ${message}`}>
                  <a
                    href={`#field-${elements[field] ?? field}`}
                    onClick={(event) => {
                      const element = document.getElementById(`field-${elements[field] ?? field}`);
                      if (!element) return;
                      event.preventDefault();
                      element.closest('details')?.setAttribute('open', '');
                      element.focus();
                    }}
                  >
                    {labels[field] ?? fields.find(({ name }) => name === field)?.label ?? field}
                  </a>
                  : {message}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <MainFields values={values} set={set} errorOf={errorOf} config={config} />
      <div className="halves">
        <fieldset>
          <legend>Budget</legend>
          {group('budget')}
        </fieldset>
        <fieldset>
          <legend>Tools</legend>
          {group('tools')}
        </fieldset>
      </div>
      <details className="card" open={(wasSent && hasAdvancedProblem) || undefined}>
        <summary>Advanced: models, fan-out and join, tags</summary>
        <div className="stack">
          {(['models', 'fan-out', 'more'] as const).map((name) => (
            <div key={name}>{group(name)}</div>
          ))}
        </div>
      </details>
      <div className="footer-bar stack">
        <EstimateLine input={input} isGood={problems.length === 0} />
        <Problem error={action.error} />
        <div className="line">
          <button
            type="submit"
            className="primary"
            disabled={action.isPending || config?.readOnly === true}
            aria-keyshortcuts="Control+Enter"
          >
            {action.isPending ? 'Requesting…' : 'Start research'}
          </button>
          <CopyButton label="Copy as CLI" toText={() => toCli(values, defaultModel)} />
          <CopyButton label="Copy as TypeScript" toText={() => toTypeScript(input)} />
          <span className="grow" />
          <button type="button" className="plain" onClick={() => (setValues(emptyForm), setSent(false))}>
            Clear
          </button>
        </div>
      </div>
    </form>
  );
}
