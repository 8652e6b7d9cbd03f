/** What a command runs with: its arguments and flags, its output, and the way to the server. */
import type { Backend, CliDependencies, ConnectionFlags, Installation } from './cli-dependencies.ts';
import type { CliIo } from './cli-io.ts';
import type { FlagValues } from './flags/flag-table.ts';
import type { everywhereFlags } from './flags/everywhere-flags.ts';
import type { Interrupts } from './follow/interrupts.ts';
import { raceSignal } from './follow/race-signal.ts';
import type { Output } from './output/output.ts';
import { ProblemError, type ToCommand } from './output/problem.ts';

export type CommandContext = {
  readonly io: CliIo;
  readonly dependencies: CliDependencies;
  /** Positional arguments; an optional one that was left out is absent. */
  readonly args: readonly string[];
  readonly everywhere: FlagValues<typeof everywhereFlags>;
  /** Everything that Commander collected, for the command's own flag table. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Problems with flags found so far; a command adds its own and refuses. */
  readonly problems: readonly string[];
  readonly output: Output;
  readonly interrupts: Interrupts;
  readonly toCommand: ToCommand;
  openInstallation(): Promise<Installation>;
};

/** Connection flags as this call gave them. */
export function toConnectionFlags(everywhere: CommandContext['everywhere']): ConnectionFlags {
  return {
    dataDir: everywhere['--data-dir'],
    address: everywhere['--address'],
    namespace: everywhere['--namespace'],
    profile: everywhere['--profile'],
  };
}

/** `tributary watch run_1 --data-dir other`: what a user must type to reach the same server. */
export function createToCommand(everywhere: CommandContext['everywhere']): ToCommand {
  const suffix = (['--data-dir', '--address', '--namespace', '--profile'] as const).flatMap((flag) => {
    const value = everywhere[flag];
    return value === undefined ? [] : [flag, value];
  });
  return (...words) => ['tributary', ...words, ...suffix].map(quoteWord).join(' ');
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Opens the backend, runs `body`, and closes the backend whatever happens.
 * With `existingOnly`, a folder where no run was ever started is not given a server: `body` gets `null`.
 */
export async function withBackend<T>(
  context: CommandContext,
  options: { readonly existingOnly: boolean },
  body: (backend: Backend | null, installation: Installation) => Promise<T>,
): Promise<T> {
  const installation = await context.openInstallation();
  if (options.existingOnly && !installation.hasState()) return body(null, installation);
  const opening = installation.open((line) => context.output.note(line));
  let backend: Backend;
  try {
    backend = await raceSignal(opening, context.interrupts.signal);
  } catch (error) {
    await opening.then(
      (late) => late.close(),
      () => undefined,
    );
    throw error;
  }
  try {
    return await body(backend, installation);
  } finally {
    await backend.close();
  }
}

/** For commands about one run: a folder without state has none. */
export function requireBackend(context: CommandContext, backend: Backend | null, installation: Installation): Backend {
  if (backend) return backend;
  throw new ProblemError({
    code: 'RUN_NOT_FOUND',
    exitCode: 9,
    what: `no run was ever started with the data folder ${installation.dataDir}`,
    next: [['start one', context.toCommand('run', 'your question')]],
  });
}
