/** One field of the form with its name, its flag, what is taken where it is empty, and what is wrong with it. */
import { useId } from 'react';
import type { Field } from './fields.ts';

export function FormField({
  field,
  value,
  error,
  onChange,
}: {
  readonly field: Field;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (name: string, value: string) => void;
}) {
  const id = useId();
  const props = {
    id: `field-${field.name}`,
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}hint${error === undefined ? '' : ` ${id}error`}`,
  };
  if (field.kind === 'switch') {
    return (
      <label className="choice">
        <input
          {...props}
          type="checkbox"
          checked={value === 'on'}
          onChange={(event) => onChange(field.name, event.target.checked ? 'on' : '')}
        />
        {field.label}
        <span id={`${id}hint`} className="hidden">
          {field.flag}
        </span>
      </label>
    );
  }
  return (
    <div className="field">
      <label htmlFor={props.id}>{field.label}</label>
      {field.kind === 'choice' ? (
        <select {...props} value={value} onChange={(event) => onChange(field.name, event.target.value)}>
          <option value="">{field.fallback} (default)</option>
          {field.choices!.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          {...props}
          inputMode={field.kind === 'number' && field.name !== 'minSuccess' ? 'decimal' : 'text'}
          placeholder={field.fallback}
          value={value}
          onChange={(event) => onChange(field.name, event.target.value)}
        />
      )}
      <span id={`${id}hint`} className="hint mono">
        {field.flag}
        {field.hint && ` · ${field.hint}`}
      </span>
      {error !== undefined && (
        <span id={`${id}error`} className="error">
          {error}
        </span>
      )}
    </div>
  );
}
