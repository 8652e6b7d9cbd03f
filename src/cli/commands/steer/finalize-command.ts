/** `finalize`: stop, and write the report from what is there. */
import type { Command } from 'commander';
import type { FlagTable } from '../../flags/flag-table.ts';
import { textFlag } from '../../flags/flag-values.ts';
import { readRunArgument } from '../../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../../launch.ts';
import { runArgumentHelp, steerFlags, withSteeredRun } from './with-steered-run.ts';

const flags = {
  '--reason': { usage: '--reason <text>', help: 'why, for the record', schema: textFlag, group: 'Change:' },
  ...steerFlags,
} as const satisfies FlagTable;

export function defineFinalizeCommand(program: Command, launch: Launch): void {
  const command = program
    .command('finalize')
    .argument('<run>', runArgumentHelp)
    .description('begin no new work, collect what is there, and write the report');
  launch(command, flags, async (context) => {
    const values = readCommandFlags(context, flags);
    const runId = readRunArgument(context.args[0]);
    return withSteeredRun(context, runId, { mayWork: values['--no-worker'] !== true }, async (handle, call) => {
      await handle.finalize({ ...call, reason: values['--reason'], requestId: values['--request-id'] });
      const { output, toCommand } = context;
      if (output.format === 'text') {
        output.answer(`${handle.runId}: no new work; the report is written from what is there`);
        output.note(`  see it:  ${toCommand('watch', handle.runId)}`);
      } else output.document({ type: 'finalize', runId: handle.runId, accepted: true });
      return 0;
    });
  });
}
