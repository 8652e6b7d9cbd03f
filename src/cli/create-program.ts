/** The command line as Commander sees it: every command with its flags, errors thrown instead of printed. */
import { Command } from 'commander';
import { defineCancelCommand } from './commands/cancel-command.ts';
import { defineDeleteCommand } from './commands/delete-command.ts';
import { defineDevCommand } from './commands/dev-command.ts';
import { defineDoctorCommand } from './commands/doctor-command.ts';
import { defineEstimateCommand } from './commands/estimate-command.ts';
import { defineExportCommand } from './commands/export-command.ts';
import { defineHelpCommand } from './commands/help-command.ts';
import { defineLimitsCommand } from './commands/limits-command.ts';
import { defineListCommand } from './commands/list-command.ts';
import { defineReplayCommand } from './commands/replay-command.ts';
import { defineResultCommand } from './commands/result-command.ts';
import { defineRunCommand } from './commands/run-command.ts';
import { defineShowCommand } from './commands/show-command.ts';
import { defineStartCommand } from './commands/start-command.ts';
import { defineApprovalsCommand } from './commands/steer/approvals-command.ts';
import { defineBudgetCommand } from './commands/steer/budget-command.ts';
import { defineFinalizeCommand } from './commands/steer/finalize-command.ts';
import { definePlanCommand } from './commands/steer/plan-command.ts';
import { defineRetrySubagentCommand } from './commands/steer/retry-subagent-command.ts';
import { defineTerminateCommand } from './commands/steer/terminate-command.ts';
import { defineRerunCommand } from './commands/take-over/rerun-command.ts';
import { defineRetryCommand } from './commands/take-over/retry-command.ts';
import { defineWatchCommand } from './commands/watch-command.ts';
import { defineWorkerCommand } from './commands/worker-command.ts';
import { everywhereFlags } from './flags/everywhere-flags.ts';
import { addFlags } from './flags/flag-table.ts';
import type { Launch } from './launch.ts';

const commands = [
  defineRunCommand,
  defineStartCommand,
  defineEstimateCommand,
  defineWatchCommand,
  defineListCommand,
  defineShowCommand,
  defineResultCommand,
  defineExportCommand,
  defineRetryCommand,
  defineRerunCommand,
  defineReplayCommand,
  defineFinalizeCommand,
  defineCancelCommand,
  defineTerminateCommand,
  defineBudgetCommand,
  definePlanCommand,
  defineApprovalsCommand,
  defineDeleteCommand,
  defineRetrySubagentCommand,
  defineLimitsCommand,
  defineWorkerCommand,
  defineDevCommand,
  defineDoctorCommand,
  defineHelpCommand,
];

export type ProgramOutput = {
  readonly columns: number;
  readonly colour: boolean;
  writeHelp(text: string): void;
};

export function createProgram(launch: Launch, output: ProgramOutput): Command {
  const program = new Command('tributary')
    .description('Durable fan-out and join for research agents, on Temporal')
    // A value such as `--title -q` belongs to the command; flags before the command are read here.
    .enablePositionalOptions()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.writeHelp(text),
      // Problems are told by one place, in the format of the call.
      writeErr: () => undefined,
      getOutHelpWidth: () => output.columns,
      getOutHasColors: () => output.colour,
    })
    .option('-V, --version', 'print the version');
  addFlags(program, everywhereFlags);
  for (const option of program.options) option.hidden = option.long !== '--version';
  for (const define of commands) define(program, launch);
  return program.addHelpText(
    'after',
    [
      '',
      'Every command takes -o text|json|jsonl, --json, -q, -v, --timeout, --data-dir and more: tributary COMMAND --help',
      'Topics: tributary help output | exit-codes | environment | events | defaults',
      'Example: tributary run "How does Tributary cancel a fan-out?" --corpus docs',
    ].join('\n'),
  );
}
