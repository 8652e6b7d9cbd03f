/** Opens a run for a command that changes it. Where nobody works, this command does for as long as the answer takes. */
import type { RunHandle } from '../../../client/research-api.ts';
import { textFlag } from '../../flags/flag-values.ts';
import { requireBackend, withBackend, type CommandContext } from '../../command-context.ts';
import type { FlagTable } from '../../flags/flag-table.ts';
import { createOwnWorker } from '../../follow/own-worker.ts';

/** Flags of every command that changes a run. */
export const steerFlags = {
  '--request-id': {
    usage: '--request-id <key>',
    help: 'the same key twice has one effect',
    schema: textFlag,
    group: 'Change:',
  },
  '--no-worker': { usage: '--no-worker', help: 'never work on the run inside this command', group: 'Change:' },
} as const satisfies FlagTable;

export const runArgumentHelp = 'run id, a unique beginning of one, or @last';

/** `body` answers with the exit code. */
export async function withSteeredRun(
  context: CommandContext,
  runId: string,
  options: { readonly mayWork: boolean },
  body: (handle: RunHandle, call: { readonly signal: AbortSignal }) => Promise<number>,
): Promise<number> {
  const { output, interrupts, toCommand } = context;
  return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
    const backend = requireBackend(context, maybe, installation);
    const handle = await backend.api.attach(runId, { signal: interrupts.signal });
    const worker = createOwnWorker(backend, {
      allowed: options.mayWork,
      verbose: output.verbose,
      say: (line) => output.note(line),
      workerCommand: toCommand('worker'),
    });
    try {
      await worker.ensure();
      const exitCode = await body(handle, { signal: interrupts.signal });
      if (worker.isRunning()) {
        output.note(
          `  the run rests again when this command ends. go on with it:  ${toCommand('watch', handle.runId)}`,
        );
      }
      return exitCode;
    } finally {
      await worker.stop();
    }
  });
}
