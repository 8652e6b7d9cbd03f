/** `start`: start a run and leave; the run id is all that stdout gets. */
import type { Command } from 'commander';
import { withBackend } from '../command-context.ts';
import { readFlags } from '../flags/flag-table.ts';
import { requestFlags } from '../flags/request-flags.ts';
import { toStartInput } from '../flags/to-start-input.ts';
import { tellStarted } from '../follow/tell-started.ts';
import { canAsk } from '../output/ask-yes-no.ts';
import type { Launch } from '../launch.ts';

export function defineStartCommand(program: Command, launch: Launch): void {
  const command = program
    .command('start')
    .argument('<question>', 'what to research')
    .description('start a run and do not wait; prints the run id');
  launch(command, requestFlags, async (context) => {
    const { values, problems } = readFlags(requestFlags, context.options);
    const installation = await context.openInstallation();
    const input = await toStartInput(context.args[0] ?? '', values, {
      installation,
      problems: [...context.problems, ...problems],
      isInteractive: canAsk(context),
    });
    return withBackend(context, { existingOnly: false }, async (backend) => {
      const { runId } = await backend!.api.start(input, { requestId: values['--request-id'] });
      await tellStarted(context, backend!, runId);
      return 0;
    });
  });
}
