/** `dev`: the embedded server and a worker in the foreground; `--reset` starts with an empty folder. */
import type { Command } from 'commander';
import type { Installation } from '../cli-dependencies.ts';
import { withBackend, type CommandContext } from '../command-context.ts';
import type { FlagTable } from '../flags/flag-table.ts';
import { stayUntilSignal } from '../follow/stay-until-signal.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { askYesNo, canAsk } from '../output/ask-yes-no.ts';
import { ProblemError } from '../output/problem.ts';

const flags = {
  '--reset': { usage: '--reset', help: 'remove every run of the data folder first', group: 'Dev:' },
} as const satisfies FlagTable;

export function defineDevCommand(program: Command, launch: Launch): void {
  const command = program.command('dev').description('server and worker in the foreground, until stopped with Ctrl-C');
  launch(command, flags, async (context) => {
    const { output } = context;
    const own = readCommandFlags(context, flags);
    const installation = await context.openInstallation();
    if (own['--reset'] === true) {
      if (!(await mayReset(context, installation))) {
        output.note('nothing was removed');
        return 0;
      }
      await installation.reset();
      output.note(`the data folder ${installation.dataDir} is empty`);
    }
    return withBackend(context, { existingOnly: false }, async (maybe) => {
      const backend = maybe!;
      const { address, namespace, taskQueue, uiUrl } = backend;
      return stayUntilSignal(context, backend, () => {
        if (output.format !== 'text') {
          const { dataDir } = installation;
          output.document({
            type: 'dev',
            status: 'polling',
            address,
            namespace,
            taskQueue,
            uiUrl,
            dataDir,
            pid: process.pid,
          });
        }
        output.note(`server    ${address} (namespace ${namespace})`);
        if (uiUrl !== undefined) output.note(`temporal  ${uiUrl}`);
        output.note(`worker    polls task queue "${taskQueue}"`);
        output.note(`state     ${installation.dataDir}`);
        output.note(`Ctrl-C stops both. start a run:  ${context.toCommand('run', 'your question')}`);
      });
    });
  });
}

async function mayReset(context: CommandContext, installation: Installation): Promise<boolean> {
  const { dataDir, cluster } = installation;
  if (cluster) {
    throw new ProblemError({
      code: 'INVALID_REQUEST',
      exitCode: 2,
      what: `--reset: wanted an embedded server, came the cluster ${cluster.address}`,
      why: 'Only the state of an embedded server can be removed this way.',
      next: [],
    });
  }
  if (context.everywhere['--yes'] === true) return true;
  if (canAsk(context)) return askYesNo(context, `Remove every run, report and log in ${dataDir}?`);
  throw new ProblemError({
    code: 'INPUT_NEEDED',
    exitCode: 7,
    what: `removing every run in ${dataDir} needs a yes, and input is not a terminal`,
    next: [['go on', context.toCommand('dev', '--reset', '-y')]],
  });
}
