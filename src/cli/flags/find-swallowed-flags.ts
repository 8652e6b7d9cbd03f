/** Finds flags that another flag would take as its value: `--title --json` is a missing title, not a title. */
import type { Command } from 'commander';

/** One problem per flag that lacks its value. `--title=--json` says it in so many words and is fine. */
export function findSwallowedFlags(command: Command, argv: readonly string[]): string[] {
  const known = new Set(
    command.options.flatMap((option) => [option.short, option.long]).filter((name) => name != null),
  );
  const wanting = new Set(
    command.options.filter((option) => option.required).flatMap((option) => [option.short, option.long]),
  );
  const problems: string[] = [];
  for (let index = 0; index < argv.length && argv[index] !== '--'; index += 1) {
    const flag = argv[index]!;
    const next = argv[index + 1];
    if (!wanting.has(flag) || next === undefined) continue;
    if (known.has(next)) problems.push(`${flag}: wanted a value, came the flag ${next}`);
    else index += 1;
  }
  return problems;
}
