/** A question with yes or no, on a terminal only. */
import { createInterface } from 'node:readline';
import type { CommandContext } from '../command-context.ts';
import { raceSignal } from '../follow/race-signal.ts';

/** Whether somebody is there to answer. */
export function canAsk(context: CommandContext): boolean {
  return (
    context.io.stdin.isTTY === true && context.io.stderr.isTTY === true && context.everywhere['--no-input'] !== true
  );
}

/** Anything but `y` or `yes`, the end of the input included, is no. Rejects when a signal comes first. */
export async function askYesNo(context: CommandContext, question: string): Promise<boolean> {
  // Line mode leaves Ctrl-C to the signal that everything else listens to.
  const reader = createInterface({ input: context.io.stdin, output: context.io.stderr, terminal: false });
  const answer = new Promise<string>((resolve) => {
    reader.once('line', resolve);
    reader.once('close', () => resolve(''));
  });
  context.io.stderr.write(`? ${question}  [y/N] `);
  try {
    return /^y(es)?$/i.test((await raceSignal(answer, context.interrupts.signal)).trim());
  } finally {
    reader.close();
    // A stdin that is still read would keep the process alive.
    context.io.stdin.pause();
  }
}
