/** `estimate`: what a run with these flags may use. Starts nothing, not even a server. */
import type { Command } from 'commander';
import { estimateRun } from '../../client/estimate-run.ts';
import type { StartInput, StartOptions } from '../../client/research-api.ts';
import type { Estimate } from '../../contract/estimate.ts';
import { failureCodeOf } from '../../contract/failure.ts';
import type { Installation } from '../cli-dependencies.ts';
import { withBackend, type CommandContext } from '../command-context.ts';
import { readFlags } from '../flags/flag-table.ts';
import { requestFlags } from '../flags/request-flags.ts';
import { toStartInput } from '../flags/to-start-input.ts';
import type { Launch } from '../launch.ts';
import { renderEstimate } from '../view/render-estimate.ts';

export function defineEstimateCommand(program: Command, launch: Launch): void {
  const command = program
    .command('estimate')
    .argument('<question>', 'what to research')
    .description('say what a run with these flags may use; starts and spends nothing')
    .addHelpText('after', '\nExample: tributary estimate "How does Tributary cancel a fan-out?" --corpus docs');
  launch(command, requestFlags, async (context) => {
    const { output } = context;
    const { values, problems } = readFlags(requestFlags, context.options);
    const installation = await context.openInstallation();
    const input = await toStartInput(context.args[0] ?? '', values, {
      installation,
      isInteractive: false,
      problems: [...context.problems, ...problems],
    });
    const estimate = await toEstimate(context, installation, input, { requestId: values['--request-id'] });
    if (output.format !== 'text') output.document({ type: 'estimate', ...estimate });
    else output.answer(renderEstimate(estimate, output.answerStyle).join('\n'));
    return 0;
  });
}

/** From the runs of a server that is there; a server that is not there is not started to be asked. */
async function toEstimate(
  context: CommandContext,
  installation: Installation,
  input: StartInput,
  options: StartOptions,
): Promise<Estimate> {
  const { output, interrupts } = context;
  const isServed = installation.cluster !== null || (await installation.readServer())?.alive === true;
  if (isServed) {
    try {
      return await withBackend(context, { existingOnly: false }, (backend) =>
        backend!.api.estimate(input, { ...options, signal: interrupts.signal }),
      );
    } catch (error) {
      if (failureCodeOf(error) !== 'SERVER_UNREACHABLE') throw error;
      output.note(`finished runs cannot be read: ${(error as Error).message}`);
    }
  } else if (installation.hasState()) {
    output.note(`no server is running, so finished runs are not read; to have them:  ${context.toCommand('dev')}`);
  }
  return estimateRun({ ratesOf: installation.ratesOf, readPastRuns: async () => [] }, input, options);
}
