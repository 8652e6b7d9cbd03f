/** A run that was started and is not followed: its id is all that stdout gets. */
import type { Backend } from '../cli-dependencies.ts';
import type { CommandContext } from '../command-context.ts';
import { renderNext } from '../output/output.ts';

/** Says where nobody works on it. */
export async function tellStarted(context: CommandContext, backend: Backend, runId: string): Promise<void> {
  const { output, toCommand } = context;
  if (output.format === 'text') output.answer(runId);
  else output.document({ type: 'run', runId, status: 'queued' });
  if (await backend.api.hasWorker()) {
    output.note(`a worker picks it up. follow it:  ${toCommand('watch', runId)}`);
    return;
  }
  output.note(
    `no worker polls task queue "${backend.taskQueue}" (namespace ${backend.namespace}); the run is stored and starts as soon as one does`,
  );
  const next = [['start one', toCommand('worker')] as const, ['work and watch', toCommand('watch', runId)] as const];
  for (const line of renderNext(next)) output.note(line);
}
