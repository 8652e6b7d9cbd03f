/** The flags of a run that takes over another one: what is not given stays as it was there. */
import type { FlagTable } from './flag-table.ts';
import { textFlag } from './flag-values.ts';
import { requestFlags } from './request-flags.ts';

export const changeFlags = {
  '--question': {
    usage: '--question <text>',
    help: 'another question; then a new plan is made',
    schema: textFlag,
    group: 'Run:',
  },
  ...withoutDefaults(requestFlags),
} as const satisfies FlagTable;

/** Defaults are for runs that begin with nothing. */
function withoutDefaults<T extends FlagTable>(table: T): Omit<T, '--run-id'> {
  // The id of the new run follows from the old one's.
  const kept = Object.entries(table).filter(([flag]) => flag !== '--run-id');
  const rows = kept.map(([flag, row]) => [flag, { ...row, help: row.help.replaceAll(/ \(default [^)]*\)/g, '') }]);
  return Object.fromEntries(rows) as Omit<T, '--run-id'>;
}
