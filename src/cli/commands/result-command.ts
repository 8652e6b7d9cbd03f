/** `result`: the report of a run, and nothing else. */
import type { Command } from 'commander';
import { requireBackend, withBackend } from '../command-context.ts';
import type { FlagTable } from '../flags/flag-table.ts';
import { readRunArgument } from '../flags/read-run-argument.ts';
import { hasEnded } from '../follow/fold-run-event.ts';
import { tellResult } from '../follow/tell-end.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { ProblemError } from '../output/problem.ts';

const flags = {
  '--wait': { usage: '--wait', help: 'wait for the end of a run that goes on', group: 'Result:' },
  '--allow-partial': { usage: '--allow-partial', help: 'exit 0 for a partial run too', group: 'Result:' },
} as const satisfies FlagTable;

export function defineResultCommand(program: Command, launch: Launch): void {
  const command = program
    .command('result')
    .argument('<run>', 'run id, a unique beginning of one, or @last')
    .description('print the report of a run');
  launch(command, flags, async (context) => {
    const { output, toCommand, interrupts } = context;
    const own = readCommandFlags(context, flags);
    const runId = readRunArgument(context.args[0]);
    const allowPartial = own['--allow-partial'] === true;
    return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
      const backend = requireBackend(context, maybe, installation);
      const options = { signal: interrupts.signal };
      const handle = await backend.api.attach(runId, options);
      const run = await handle.describe(options);
      if (!hasEnded(run.status)) {
        if (!own['--wait']) {
          throw new ProblemError({
            code: 'WAIT_TIMEOUT',
            exitCode: 8,
            what: `${run.runId} has no result yet: it is ${run.status}`,
            next: [
              ['wait for it', toCommand('result', run.runId, '--wait')],
              ['follow it', toCommand('watch', run.runId)],
            ],
            run: { runId: run.runId, status: run.status },
          });
        }
        if (!(await backend.api.hasWorker(options))) {
          output.note(
            `no worker polls task queue "${backend.taskQueue}": the run waits. start one:  ${toCommand('worker')}`,
          );
        }
      }
      const result = await handle.result({ ...options, timeoutMs: context.everywhere['--timeout'] });
      return tellResult(context, result, { allowPartial });
    });
  });
}
