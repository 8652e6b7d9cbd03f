/** The form as it was left: from the address, else from what the browser has kept of it. */
import { readStored, writeStored } from '../theme/stored.ts';
import { fields } from './fields.ts';
import { emptyForm, type FormValues } from './to-input.ts';

const name = 'tributary.draft';

export function readDraft(query: URLSearchParams): FormValues {
  const question = query.get('question');
  if (question === null) return readKept();
  const more = Object.fromEntries(
    fields.flatMap((field) => {
      const value = query.get(field.name) ?? (field.name === 'usd' ? query.get('budget') : null);
      return value === null ? [] : [[field.name, value]];
    }),
  );
  return { ...emptyForm, question, model: query.get('model') ?? '', corpus: query.get('corpus') ?? '', more };
}

function readKept(): FormValues {
  try {
    const kept = JSON.parse(readStored(name) ?? '{}') as Partial<FormValues>;
    // Of another version there may be less, or something else.
    const known = Object.entries(kept).filter(
      ([key, value]) => typeof value === typeof emptyForm[key as keyof FormValues] && value !== null,
    );
    return { ...emptyForm, ...Object.fromEntries(known) };
  } catch {
    return emptyForm;
  }
}

export function keepDraft(values: FormValues): void {
  writeStored(name, JSON.stringify(values));
}
