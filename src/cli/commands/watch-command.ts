/** `watch`: attach to a run, any number of times; a run that nobody works on is carried on. */
import type { Command } from 'commander';
import { requireBackend, withBackend } from '../command-context.ts';
import type { FlagTable } from '../flags/flag-table.ts';
import { wordFlag } from '../flags/flag-values.ts';
import { readRunArgument } from '../flags/read-run-argument.ts';
import { hasEnded } from '../follow/fold-run-event.ts';
import { followToEnd } from '../follow/follow-to-end.ts';
import { readCommandFlags, type Launch } from '../launch.ts';

const flags = {
  '--allow-partial': { usage: '--allow-partial', help: 'exit 0 for a partial run too', group: 'Following:' },
  '--cancel-on-interrupt': {
    usage: '--cancel-on-interrupt',
    help: 'Ctrl-C and SIGTERM cancel the run instead of leaving it',
    group: 'Following:',
  },
  '--until': {
    usage: '--until <blocked|terminal>',
    help: 'blocked: leave with exit code 7 when somebody is needed (default terminal)',
    schema: wordFlag(['blocked', 'terminal']),
    group: 'Following:',
  },
  '--no-worker': { usage: '--no-worker', help: 'never work on the run inside this command', group: 'Following:' },
} as const satisfies FlagTable;

export function defineWatchCommand(program: Command, launch: Launch): void {
  const command = program
    .command('watch')
    .argument('<run>', 'run id, a unique beginning of one, or @last')
    .description('follow a run that was started before');
  launch(command, flags, async (context) => {
    const own = readCommandFlags(context, flags);
    const runId = readRunArgument(context.args[0]);
    return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
      const backend = requireBackend(context, maybe, installation);
      const options = { signal: context.interrupts.signal };
      const handle = await backend.api.attach(runId, options);
      const run = await handle.describe(options);
      return followToEnd(context, backend, handle, {
        mayWork: own['--no-worker'] !== true && !hasEnded(run.status),
        cancelOnInterrupt: own['--cancel-on-interrupt'] === true,
        untilBlocked: own['--until'] === 'blocked',
        allowPartial: own['--allow-partial'] === true,
      });
    });
  });
}
