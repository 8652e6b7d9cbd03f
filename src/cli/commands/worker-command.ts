/** `worker`: works on runs in the foreground until it is stopped. */
import type { Command } from 'commander';
import { withBackend } from '../command-context.ts';
import { stayUntilSignal } from '../follow/stay-until-signal.ts';
import { readCommandFlags, type Launch } from '../launch.ts';

export function defineWorkerCommand(program: Command, launch: Launch): void {
  const command = program.command('worker').description('work on runs until stopped with Ctrl-C');
  launch(command, {}, async (context) => {
    readCommandFlags(context, {});
    return withBackend(context, { existingOnly: false }, async (maybe) => {
      const backend = maybe!;
      const { address, namespace, taskQueue } = backend;
      return stayUntilSignal(context, backend, () => {
        if (context.output.format !== 'text') {
          context.output.document({
            type: 'worker',
            status: 'polling',
            address,
            namespace,
            taskQueue,
            pid: process.pid,
          });
        }
        context.output.note(
          `worker polls task queue "${taskQueue}" (namespace ${namespace}) at ${address}; Ctrl-C stops it`,
        );
      });
    });
  });
}
