/** `run`: start, follow to the end, print the report. */
import type { Command } from 'commander';
import { withBackend } from '../command-context.ts';
import { readFlags } from '../flags/flag-table.ts';
import { followFlags, readFollowFlags } from '../flags/follow-flags.ts';
import { requestFlags } from '../flags/request-flags.ts';
import { toStartInput } from '../flags/to-start-input.ts';
import { followToEnd } from '../follow/follow-to-end.ts';
import { canAsk } from '../output/ask-yes-no.ts';
import type { Launch } from '../launch.ts';

export function defineRunCommand(program: Command, launch: Launch): void {
  const command = program
    .command('run')
    .argument('<question>', 'what to research')
    .description('start a run, follow it to its end, and print the report')
    .addHelpText('after', '\nExample: tributary run "How does Tributary cancel a fan-out?" --corpus docs');
  launch(command, { ...requestFlags, ...followFlags }, async (context) => {
    const request = readFlags(requestFlags, context.options);
    const { follow, problems } = await readFollowFlags(context);
    const installation = await context.openInstallation();
    const input = await toStartInput(context.args[0] ?? '', request.values, {
      installation,
      problems: [...context.problems, ...request.problems, ...problems],
      isInteractive: canAsk(context),
    });
    return withBackend(context, { existingOnly: false }, async (backend) => {
      const handle = await backend!.api.start(input, { requestId: request.values['--request-id'] });
      if (context.output.format !== 'jsonl') context.output.note(`run ${handle.runId}`);
      return followToEnd(context, backend!, handle, follow);
    });
  });
}
