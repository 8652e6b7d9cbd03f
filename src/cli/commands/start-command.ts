/** `start`: start a run and leave; the run id is all that stdout gets. */
import type { Command } from 'commander';
import { withBackend } from '../command-context.ts';
import { readFlags } from '../flags/flag-table.ts';
import { requestFlags } from '../flags/request-flags.ts';
import { toStartInput } from '../flags/to-start-input.ts';
import { canAsk } from '../output/ask-yes-no.ts';
import type { Launch } from '../launch.ts';
import { renderNext } from '../output/output.ts';

export function defineStartCommand(program: Command, launch: Launch): void {
  const command = program
    .command('start')
    .argument('<question>', 'what to research')
    .description('start a run and do not wait; prints the run id');
  launch(command, requestFlags, async (context) => {
    const { output, toCommand } = context;
    const { values, problems } = readFlags(requestFlags, context.options);
    const installation = await context.openInstallation();
    const input = await toStartInput(context.args[0] ?? '', values, {
      installation,
      problems: [...context.problems, ...problems],
      isInteractive: canAsk(context),
    });
    return withBackend(context, { existingOnly: false }, async (backend) => {
      const { api, taskQueue, namespace } = backend!;
      const { runId } = await api.start(input, { requestId: values['--request-id'] });
      if (output.format === 'text') output.answer(runId);
      else output.document({ type: 'run', runId, status: 'queued' });
      if (await api.hasWorker()) output.note(`a worker picks it up. follow it:  ${toCommand('watch', runId)}`);
      else {
        output.note(
          `no worker polls task queue "${taskQueue}" (namespace ${namespace}); the run is stored and starts as soon as one does`,
        );
        const next = [
          ['start one', toCommand('worker')] as const,
          ['work and watch', toCommand('watch', runId)] as const,
        ];
        for (const line of renderNext(next)) output.note(line);
      }
      return 0;
    });
  });
}
