/** Turns a command's body into a Commander action: flags checked, output and signals ready, problems told. */
import type { Command } from 'commander';
import { TributaryError } from '../contract/failure.ts';
import type { CliDependencies, Installation } from './cli-dependencies.ts';
import type { CliIo } from './cli-io.ts';
import { createToCommand, toConnectionFlags, type CommandContext } from './command-context.ts';
import { addFlags, readFlags, type FlagTable } from './flags/flag-table.ts';
import { everywhereFlags } from './flags/everywhere-flags.ts';
import { findSwallowedFlags } from './flags/find-swallowed-flags.ts';
import type { Interrupts } from './follow/interrupts.ts';
import { createOutput, type Format, type Output } from './output/output.ts';
import { decideStyle } from './output/style.ts';

/** Returns the exit code. */
export type CommandBody = (context: CommandContext) => Promise<number>;

/** Adds the flags that every command takes, and the action. */
export type Launch = (command: Command, table: FlagTable, body: CommandBody) => void;

/** One call of the CLI; the dispatcher reads the outcome from it. */
export type Call = {
  readonly argv: readonly string[];
  readonly io: CliIo;
  readonly dependencies: CliDependencies;
  readonly interrupts: Interrupts;
  readonly format: Format;
  /** The output in use: a plain one until the flags are known. */
  output: Output;
  exitCode: number;
  context: CommandContext | null;
};

export function createLaunch(call: Call): Launch {
  return (command, table, body) => {
    addFlags(command, table);
    addFlags(command, everywhereFlags);
    command.action(async (...args: unknown[]) => {
      const context = createContext(call, command, args.slice(0, -2));
      call.context = context;
      call.output = context.output;
      call.exitCode = await body(context);
    });
  };
}

function createContext(call: Call, command: Command, args: readonly unknown[]): CommandContext {
  const options: Record<string, unknown> = optionsOf(command);
  const { values: everywhere, problems } = readFlags(everywhereFlags, options);
  const colour = everywhere['--no-color'] ? 'never' : everywhere['--color'];
  let installation: Promise<Installation> | null = null;
  return {
    io: call.io,
    dependencies: call.dependencies,
    args: args.flat().filter((arg): arg is string => typeof arg === 'string'),
    everywhere,
    options,
    problems: [...findSwallowedFlags(command, call.argv), ...problems],
    output: createOutput(call.io, {
      streams: isStreaming(command.name()) && options.detach !== true,
      format: call.format,
      quiet: everywhere['--quiet'] === true,
      verbose: everywhere['--verbose'] === true,
      answerStyle: decideStyle(call.io.stdout, call.io.env, colour),
      noteStyle: decideStyle(call.io.stderr, call.io.env, colour),
    }),
    interrupts: call.interrupts,
    toCommand: createToCommand(everywhere),
    openInstallation: () =>
      (installation ??= call.dependencies.openInstallation(call.io.env, toConnectionFlags(everywhere))),
  };
}

/** Those of the command win over those that stand before it. */
function optionsOf(command: Command): Record<string, unknown> {
  return { ...(command.parent && optionsOf(command.parent)), ...command.opts() };
}

/** Commands whose `jsonl` is the stream of a run's events. */
export function isStreaming(commandName: string | undefined): boolean {
  return commandName !== undefined && ['run', 'watch', 'retry', 'rerun'].includes(commandName);
}

/** Reads a command's own flags; rejects with `INVALID_REQUEST`, one problem a line. */
export function readCommandFlags<T extends FlagTable>(context: CommandContext, table: T) {
  const { values, problems } = readFlags(table, context.options);
  const all = [...context.problems, ...problems];
  if (all.length > 0) throw new TributaryError('INVALID_REQUEST', all.join('\n'));
  return values;
}
