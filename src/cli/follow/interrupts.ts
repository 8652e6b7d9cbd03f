/** Signals and closed pipes of one call: the first asks the command to end in good order, a second one leaves at once. */
import { setMaxListeners } from 'node:events';
import type { CliIo } from '../cli-io.ts';
import { exitCodeOfSignal, type LeaveSignal } from '../output/exit-codes.ts';

export type Interrupts = {
  /** Fires at the first signal, or when the reader of stdout has gone. */
  readonly signal: AbortSignal;
  /** What fired it; `null` before. */
  caught(): LeaveSignal | 'closed-pipe' | null;
  /** Resolves with the exit code at the second signal. */
  readonly leaveAtOnce: Promise<number>;
  /** Calls `listener` right before leaving at once, for the last line that a reader is owed. */
  onLeave(listener: (exitCode: number) => void): void;
  dispose(): void;
};

export function watchInterrupts(io: CliIo): Interrupts {
  const controller = new AbortController();
  // Every history of a run is read under it at once.
  setMaxListeners(0, controller.signal);
  let leave: (exitCode: number) => void = () => {};
  const leaveAtOnce = new Promise<number>((resolve) => (leave = resolve));
  let beforeLeaving: ((exitCode: number) => void) | null = null;
  let caught: LeaveSignal | 'closed-pipe' | null = null;
  const listeners = (Object.keys(exitCodeOfSignal) as LeaveSignal[]).map((name) => {
    const listener = () => {
      if (caught !== null) {
        beforeLeaving?.(exitCodeOfSignal[name]);
        beforeLeaving = null;
        leave(exitCodeOfSignal[name]);
      }
      caught ??= name;
      controller.abort(new Error(`interrupted by ${name}`));
    };
    io.signals.on(name, listener);
    return () => io.signals.off(name, listener);
  });
  const onStdoutError = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    caught ??= 'closed-pipe';
    controller.abort(new Error('the reader of stdout has gone'));
  };
  // Nobody reads the notes any more: not a reason to stop.
  const onStderrError = () => undefined;
  io.stdout.on('error', onStdoutError);
  io.stderr.on('error', onStderrError);
  return {
    signal: controller.signal,
    caught: () => caught,
    leaveAtOnce,
    onLeave: (listener) => void (beforeLeaving = listener),
    dispose() {
      for (const off of listeners) off();
      io.stdout.off('error', onStdoutError);
      io.stderr.off('error', onStderrError);
    },
  };
}
