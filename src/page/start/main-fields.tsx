/** What every run is asked: the question, how deep, with which plan, over which documents, by which model. */
import type { ReactNode } from 'react';
import type { ServerConfig } from '../../contract/web.ts';
import { formatPlural } from '../../domain/format.ts';
import { depths } from './fields.ts';
import type { FormValues } from './to-input.ts';

type Props = {
  readonly values: FormValues;
  readonly set: (change: Partial<FormValues>) => void;
  readonly errorOf: (name: string) => string | undefined;
  readonly config: ServerConfig | undefined;
};

function Labelled({
  name,
  label,
  hint,
  error,
  children,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly error: string | undefined;
  readonly children: (props: { id: string; 'aria-invalid': boolean; 'aria-describedby': string }) => ReactNode;
}) {
  const id = `field-${name}`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': error !== undefined, 'aria-describedby': `${id}-about` })}
      <span id={`${id}-about`} className={error === undefined ? 'hint' : 'error'}>
        {error ?? hint}
      </span>
    </div>
  );
}

export function MainFields({ values, set, errorOf, config }: Props) {
  const text = (name: keyof FormValues) => ({
    value: values[name] as string,
    onChange: (event: { target: { value: string } }) => set({ [name]: event.target.value }),
  });
  return (
    <>
      <Labelled name="question" label="Question" error={errorOf('question')}>
        {(props) => (
          <textarea
            {...props}
            {...text('question')}
            rows={3}
            required
            placeholder="Compare EU battery recycling capacity 2026 by country: who is permitted, who is only announced?"
          />
        )}
      </Labelled>
      <div className="halves">
        <fieldset>
          <legend>Depth</legend>
          {(Object.keys(depths) as (keyof typeof depths)[]).map((name) => (
            <Choice
              key={name}
              isOn={values.depth === name}
              onPick={() => set({ depth: name })}
              words={`${depths[name].label}: ${depths[name].maxSubagents} subagents, ${formatPlural(depths[name].maxDepth, 'level')}`}
            />
          ))}
          <Choice
            isOn={values.depth === 'custom'}
            onPick={() => set({ depth: 'custom' })}
            words="Custom"
          />
          {values.depth === 'custom' && (
            <div className="fields">
              <Labelled
                name="maxSubagents"
                label="Subagents at most"
                hint="--max-subagents"
                error={errorOf('maxSubagents')}
              >
                {(props) => <input {...props} {...text('maxSubagents')} inputMode="numeric" />}
              </Labelled>
              <Labelled name="maxDepth" label="Levels" hint="--max-depth" error={errorOf('maxDepth')}>
                {(props) => <input {...props} {...text('maxDepth')} inputMode="numeric" />}
              </Labelled>
            </div>
          )}
        </fieldset>
        <fieldset>
          <legend>Plan</legend>
          <div className="stack tight">
            <label className="choice">
              <input
                type="checkbox"
                checked={values.reviewsPlan}
                onChange={(event) => set({ reviewsPlan: event.target.checked })}
              />
              Show me the plan before spending
            </label>
            <label className="choice">
              <input
                type="checkbox"
                checked={values.ownSubtasks}
                onChange={(event) => set({ ownSubtasks: event.target.checked })}
              />
              I list the subtasks myself
            </label>
            {values.ownSubtasks && (
              <Labelled name="subtasks" label="Subtasks" hint="one a line; --subtask" error={errorOf('subtasks')}>
                {(props) => <textarea {...props} {...text('subtasks')} rows={4} />}
              </Labelled>
            )}
          </div>
        </fieldset>
      </div>
      <div className="fields">
        <Labelled name="corpus" label="Documents" hint="--corpus" error={errorOf('corpus')}>
          {(props) => (
            <select {...props} {...text('corpus')}>
              <option value="">none</option>
              {(config?.corpora ?? []).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled name="model" label="Model" hint="--model" error={errorOf('models')}>
          {(props) => <input {...props} {...text('model')} placeholder={config?.defaultModel ?? 'extractive'} />}
        </Labelled>
        <label className="choice">
          <input type="checkbox" checked={values.web} onChange={(event) => set({ web: event.target.checked })} />
          Let subagents use the web
        </label>
      </div>
    </>
  );
}

function Choice({
  isOn,
  onPick,
  words,
}: {
  readonly isOn: boolean;
  readonly onPick: () => void;
  readonly words: string;
}) {
  return (
    <div>
      <label className="choice">
        <input type="radio" name="depth" checked={isOn} onChange={onPick} />
        {words}
      </label>
    </div>
  );
}
