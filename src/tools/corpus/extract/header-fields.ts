/** The block of `Name: value` lines that mails, proposals and many notes begin with. */
import type { Block } from '../document.ts';

export type HeaderFields = {
  readonly title: string | null;
  readonly blocks: readonly Block[];
  /** The lines after the header. */
  readonly rest: readonly string[];
};

const fieldPattern = /^([A-Z][A-Za-z0-9-]{0,39}):(?:\s+(.*))?$/;

/**
 * Reads an RFC 822-like header: at least two fields from the first line on, continued by indented lines, up to a blank
 * line. `Title` or `Subject` names the document. Anything else is no header, and all lines are the rest.
 */
export function readHeaderFields(lines: readonly string[]): HeaderFields {
  const fields: { name: string; value: string }[] = [];
  let at = 0;
  for (; at < lines.length && lines[at]!.trim() !== ''; at++) {
    const line = lines[at]!;
    const field = fieldPattern.exec(line);
    const last = fields.at(-1);
    if (field) fields.push({ name: field[1]!, value: field[2]?.trim() ?? '' });
    else if (last && /^\s/.test(line)) last.value = `${last.value} ${line.trim()}`;
    else return { title: null, blocks: [], rest: lines };
  }
  if (fields.length < 2) return { title: null, blocks: [], rest: lines };
  const title = fields.find(({ name }) => /^(title|subject)$/i.test(name))?.value ?? null;
  const text = fields.map(({ name, value }) => `${name}: ${value}`).join('\n');
  return { title, blocks: [{ kind: 'lines', text }], rest: lines.slice(at) };
}
