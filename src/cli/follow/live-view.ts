/** The live view on a terminal: the newest state, redrawn in place, at most ten times a second. */
import { createLogUpdate } from 'log-update';
import type { RunDescription } from '../../contract/run-view.ts';
import type { OutputStream } from '../cli-io.ts';
import type { Style } from '../output/style.ts';
import type { ToCommand } from '../output/problem.ts';
import { toNeeds } from '../view/render-needs.ts';
import { renderRunView } from '../view/render-run-view.ts';
import type { FollowView } from './follow-view.ts';

const minFrameMs = 100;
/** Needs that are shown at once; `approvals` lists them all. */
const maxNeeds = 3;
/** Ages and the elapsed time move without events. */
const tickMs = 1_000;

export type LiveView = FollowView & {
  /** A line that stays, above the view. */
  note(line: string): void;
};

export function createLiveView(
  stream: OutputStream,
  options: { readonly style: Style; readonly hint: () => string; readonly toCommand: ToCommand },
): LiveView {
  const draw = createLogUpdate(stream, { showCursor: true });
  let run: RunDescription | null = null;
  let lastFrameMs = 0;
  let pending: NodeJS.Timeout | null = null;
  let closed = false;
  const frame = () => {
    pending = null;
    if (closed || !run) return;
    lastFrameMs = Date.now();
    const size = { columns: stream.columns ?? 80, rows: stream.rows ?? 24 };
    const needs = toNeeds(run, options.toCommand)
      .slice(0, maxNeeds)
      .flatMap(({ what, next }) => [what, ...next.slice(0, 2).map(([label, command]) => `${label}:  ${command}`)]);
    draw(
      renderRunView(run, { ...size, nowMs: lastFrameMs, style: options.style, hint: options.hint(), needs }).join('\n'),
    );
  };
  const schedule = () => {
    pending ??= setTimeout(frame, Math.max(0, lastFrameMs + minFrameMs - Date.now()));
  };
  const ticker = setInterval(schedule, tickMs);
  ticker.unref();
  return {
    show(next) {
      run = next;
      schedule();
    },
    note(line) {
      draw.clear();
      stream.write(`${line}\n`);
      if (run) frame();
    },
    close() {
      closed = true;
      clearInterval(ticker);
      if (pending) clearTimeout(pending);
      draw.clear();
      draw.done();
    },
  };
}
