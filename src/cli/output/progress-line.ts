/** One line on a terminal that says how far a long answer is, and is gone when the answer comes. */
import type { CommandContext } from '../command-context.ts';
import { isLiveTerminal } from './style.ts';

export type ProgressLine = { show(text: string): void; clear(): void };

/** A terminal need not be told more often. */
const pauseMs = 100;

export function createProgressLine({ io, output }: Pick<CommandContext, 'io' | 'output'>): ProgressLine {
  const isShown = isLiveTerminal(io.stderr, io.env) && !output.quiet && output.format === 'text';
  let shownAt = 0;
  return {
    show(text) {
      if (!isShown || Date.now() - shownAt < pauseMs) return;
      shownAt = Date.now();
      io.stderr.write(`\r\u001b[2K${text}`);
    },
    clear() {
      if (shownAt > 0) io.stderr.write('\r\u001b[2K');
      shownAt = 0;
    },
  };
}
