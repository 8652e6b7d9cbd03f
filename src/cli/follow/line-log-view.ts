/** The line log: state changes as they come, and one heartbeat a minute while nothing changes. */
import type { RunDescription } from '../../contract/run-view.ts';
import type { Style } from '../output/style.ts';
import { renderHeartbeat, renderLogLines } from '../view/render-log-line.ts';
import type { FollowView } from './follow-view.ts';

const heartbeatMs = 60_000;

export function createLineLogView(writeLine: (line: string) => void, style: Style): FollowView {
  let run: RunDescription | null = null;
  const heartbeat = setInterval(() => {
    if (run) writeLine(renderHeartbeat(run, Date.now(), style));
  }, heartbeatMs);
  heartbeat.unref();
  return {
    show(next, event) {
      run = next;
      for (const line of event ? renderLogLines(next, event, style) : []) writeLine(line);
    },
    close: () => clearInterval(heartbeat),
  };
}
