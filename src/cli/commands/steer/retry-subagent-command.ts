/** `retry-subagent`: one subagent that has ended is started again while the others go on. */
import type { Command } from 'commander';
import { subagentIdSchema } from '../../../contract/ids.ts';
import { parseInput } from '../../../contract/invalid-input.ts';
import type { FlagTable } from '../../flags/flag-table.ts';
import { wholeNumberFlag } from '../../flags/flag-values.ts';
import { readRunArgument } from '../../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../../launch.ts';
import { runArgumentHelp, steerFlags, withSteeredRun } from './with-steered-run.ts';

const flags = {
  '--budget-tokens': {
    usage: '--budget-tokens <n>',
    help: 'what it may use, out of what the run has left (as much as the others got)',
    schema: wholeNumberFlag(),
    group: 'Change:',
  },
  ...steerFlags,
} as const satisfies FlagTable;

export function defineRetrySubagentCommand(program: Command, launch: Launch): void {
  const command = program
    .command('retry-subagent')
    .argument('<run>', runArgumentHelp)
    .argument('<subagent>', 'id of one that has failed, was cut short or was cancelled, such as s3')
    .description('start one subagent again while the others go on; the run waits for it')
    .addHelpText('after', '\nOf a run that has ended: tributary retry RUN\nExample: tributary retry-subagent @last s3');
  launch(command, flags, async (context) => {
    const values = readCommandFlags(context, flags);
    const runId = readRunArgument(context.args[0]);
    const id = parseInput(subagentIdSchema, context.args[1], 'subagent');
    const tokens = values['--budget-tokens'];
    return withSteeredRun(context, runId, { mayWork: values['--no-worker'] !== true }, async (handle, call) => {
      await handle.retrySubagent(id, {
        ...call,
        ...(tokens !== undefined && { budget: { tokens } }),
        requestId: values['--request-id'],
      });
      const { output, toCommand } = context;
      if (output.format === 'text') {
        output.answer(`${handle.runId}: ${id} is started again; the run waits for it`);
        output.note(`  see it:  ${toCommand('watch', handle.runId)}`);
      } else output.document({ type: 'retry-subagent', runId: handle.runId, subagentId: id, accepted: true });
      return 0;
    });
  });
}
