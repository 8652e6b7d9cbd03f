/** `terminate`: the hard stop, for a cancel that does not land. Needs no worker. */
import type { Command } from 'commander';
import { requireBackend, withBackend } from '../../command-context.ts';
import type { FlagTable } from '../../flags/flag-table.ts';
import { textFlag } from '../../flags/flag-values.ts';
import { readRunArgument } from '../../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../../launch.ts';
import { askYesNo, canAsk } from '../../output/ask-yes-no.ts';
import { ProblemError } from '../../output/problem.ts';
import { runArgumentHelp } from './with-steered-run.ts';

const flags = {
  '--reason': { usage: '--reason <text>', help: 'why, for the record (wanted)', schema: textFlag, group: 'Terminate:' },
} as const satisfies FlagTable;

export function defineTerminateCommand(program: Command, launch: Launch): void {
  const command = program
    .command('terminate')
    .argument('<run>', runArgumentHelp)
    .description('end a run at once: no clean-up, no report; for a cancel that does not land')
    .addHelpText('after', '\nTool calls that run may still finish outside. Try first: tributary cancel RUN');
  launch(command, flags, async (context) => {
    const { output, interrupts, toCommand, everywhere } = context;
    const { '--reason': reason } = readCommandFlags(context, flags);
    const runId = readRunArgument(context.args[0]);
    if (reason === undefined) {
      const next = toCommand('terminate', runId, '--reason', 'why', '-y');
      throw new ProblemError({
        code: 'INVALID_REQUEST',
        exitCode: 2,
        what: '--reason: wanted a text, came nothing',
        next: [['say why', next]],
      });
    }
    if (everywhere['--yes'] !== true && !canAsk(context)) {
      throw new ProblemError({
        code: 'INPUT_NEEDED',
        exitCode: 7,
        what: `terminate cleans nothing up, and nobody can be asked whether ${runId} should end so`,
        next: [['do it', toCommand('terminate', runId, '--reason', reason, '-y')]],
      });
    }
    return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
      const backend = requireBackend(context, maybe, installation);
      const call = { signal: interrupts.signal };
      const handle = await backend.api.attach(runId, call);
      const question = `Terminate ${handle.runId}?  Nothing is cleaned up, there is no report, and tool calls may still finish outside.`;
      if (everywhere['--yes'] !== true && !(await askYesNo(context, question))) {
        output.note('nothing was ended');
        return 0;
      }
      const { affected } = await handle.terminate(reason, call);
      if (output.format === 'text') {
        const ended = affected.length === 0 ? '' : `: ${affected.join(', ')} ended with it`;
        output.answer(`${handle.runId} terminated${ended}`);
      } else output.document({ type: 'terminate', runId: handle.runId, status: 'terminated', affected });
      return 0;
    });
  });
}
