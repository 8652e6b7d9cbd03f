/** A long-lived worker in the foreground: it works until a signal asks it to stop, or until it fails. */
import type { Backend } from '../cli-dependencies.ts';
import type { CommandContext } from '../command-context.ts';
import { raceSignal } from './race-signal.ts';

/** 0 after a stop in good order; rejects with the worker's own error otherwise. `onReady` is called once it polls. */
export async function stayUntilSignal(context: CommandContext, backend: Backend, onReady: () => void): Promise<number> {
  const { output, interrupts } = context;
  backend.keepAlive((line) => output.note(line));
  // Started whole even when a signal comes meanwhile: half a worker cannot be stopped in good order.
  const worker = await backend.startWorker({ verbose: output.verbose });
  try {
    if (!interrupts.signal.aborted) {
      onReady();
      await raceSignal(worker.done, interrupts.signal);
    }
  } catch (error) {
    if (!interrupts.signal.aborted) throw error;
  } finally {
    if (interrupts.signal.aborted) output.note('stopping: open work is handed back (a second signal leaves at once)');
    await worker.stop();
  }
  return 0;
}
