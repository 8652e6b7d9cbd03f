/** `retry`: a new run that takes over whatever has finished, and does the rest. */
import type { Command } from 'commander';
import { z } from 'zod';
import { reuseSchema } from '../../../contract/origin.ts';
import { changeFlags } from '../../flags/change-flags.ts';
import { readFlags, type FlagTable } from '../../flags/flag-table.ts';
import { readRunArgument } from '../../flags/read-run-argument.ts';
import { toChangedInput } from '../../flags/to-changed-input.ts';
import type { Launch } from '../../launch.ts';
import { runArgumentHelp } from '../steer/with-steered-run.ts';
import { readFollowing, takeOverFlags, takeOverRun } from './take-over-run.ts';

const wantedReuse = 'wanted finished, none, or ids of subagents with commas such as s1,s2';
const reuseFlag = z
  .string()
  .transform((text) => (text === 'finished' || text === 'none' ? text : text.split(',').map((id) => id.trim())))
  .refine((reuse) => reuseSchema.safeParse(reuse).success, wantedReuse);

const reuseFlags = {
  '--reuse': {
    usage: '--reuse <what>',
    help: 'finished: every finished subagent that would be asked the same (default); none; or those of a list, s1,s2',
    schema: reuseFlag,
    group: 'Retry:',
  },
} as const satisfies FlagTable;

export function defineRetryCommand(program: Command, launch: Launch): void {
  const command = program
    .command('retry')
    .argument('<run>', runArgumentHelp)
    .description('start a new run that takes over all that an ended run has finished, and does the rest')
    .addHelpText(
      'after',
      [
        '',
        'What is not given stays as it was in that run. Budgets are those of both runs: what was spent counts.',
        'Example: tributary retry @last',
        'Example: tributary retry @last --budget-tokens 400000 --reuse s1,s2',
      ].join('\n'),
    );
  launch(command, { ...reuseFlags, ...changeFlags, ...takeOverFlags }, async (context) => {
    const own = readFlags(reuseFlags, context.options);
    const change = readFlags(changeFlags, context.options);
    const { follow, isDetached, problems } = await readFollowing(context);
    const runId = readRunArgument(context.args[0]);
    const input = await toChangedInput(change.values, {
      installation: await context.openInstallation(),
      problems: [...context.problems, ...own.problems, ...change.problems, ...problems],
    });
    const reuse = own.values['--reuse'];
    const requestId = change.values['--request-id'];
    return takeOverRun(context, runId, { follow, isDetached, words: ['retry'], input }, (earlier) =>
      earlier.retry({
        signal: context.interrupts.signal,
        ...(reuse !== undefined && { reuse }),
        ...(input && { input }),
        ...(requestId !== undefined && { requestId }),
      }),
    );
  });
}
