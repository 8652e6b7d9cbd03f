/** Flags as a table: name, reader and help in one place; every problem of a call is found at once. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { describeIssues } from '../../contract/invalid-input.ts';

export type FlagRow = {
  /** As help shows it: `--title <text>`, `-q, --quiet`. */
  readonly usage: string;
  readonly help: string;
  /** Absent for a switch. */
  readonly schema?: z.ZodType;
  /** May be given several times. */
  readonly repeat?: boolean;
  readonly group?: string;
};
export type FlagTable = Readonly<Record<string, FlagRow>>;

/** Values by flag, in words such as `--budget-tokens`. Absent flags are `undefined`. */
export type FlagValues<T extends FlagTable> = {
  readonly [K in keyof T]: T[K] extends { readonly schema: z.ZodType<infer V> } ? V | undefined : boolean | undefined;
};

export function addFlags(command: Command, table: FlagTable): Command {
  for (const row of Object.values(table)) {
    const option = new Option(row.usage, row.help);
    if (row.repeat) option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
    if (row.group) option.helpGroup(row.group);
    command.addOption(option);
  }
  return command;
}

/** Reads what Commander collected. Problems read `--max-turns: wanted …, came "lots"`. */
export function readFlags<T extends FlagTable>(
  table: T,
  options: Readonly<Record<string, unknown>>,
): { readonly values: FlagValues<T>; readonly problems: readonly string[] } {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [flag, row] of Object.entries(table)) {
    const raw = options[new Option(row.usage).attributeName()];
    if (!row.schema) {
      values[flag] = raw === undefined ? undefined : flag.startsWith('--no-') ? raw === false : raw === true;
      continue;
    }
    // `--color` and `--no-color` share an attribute; `false` is the second one's.
    if (raw === undefined || typeof raw === 'boolean') continue;
    const parsed = z.object({ [flag]: row.schema }).safeParse({ [flag]: raw });
    if (parsed.success) values[flag] = parsed.data[flag];
    else problems.push(...describeIssues(parsed.error, { [flag]: raw }));
  }
  return { values: values as FlagValues<T>, problems };
}
