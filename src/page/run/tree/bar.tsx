/** When somebody worked, as a bar: full while at work, hatched while it waits, ticks for tool calls. */
import type { RunStatus, SubagentStatus } from '../../../contract/run-view.ts';
import { formatDuration } from '../../../domain/format.ts';
import { toLook } from '../../parts/status-looks.ts';
import type { LoggedCall } from '../use-run-log.ts';
import { placeOf, type Scale } from './scale.ts';

const waiting: readonly (RunStatus | SubagentStatus)[] = [
  'queued',
  'awaiting-approval',
  'awaiting-plan',
  'paused-budget',
  'retrying',
];
/** More of them would be a wall. */
const maxTicks = 60;

export function Bar({
  status,
  startedAt,
  closedAt,
  runStartedMs,
  nowMs,
  scale,
  calls = [],
}: {
  readonly status: RunStatus | SubagentStatus;
  readonly startedAt: string | undefined;
  readonly closedAt: string | undefined;
  readonly runStartedMs: number;
  readonly nowMs: number;
  readonly scale: Scale;
  readonly calls?: readonly LoggedCall[];
}) {
  if (startedAt === undefined) return <div className="gantt" />;
  const [from, to] = [Date.parse(startedAt), closedAt === undefined ? nowMs : Date.parse(closedAt)];
  const left = placeOf(from, scale);
  const share = placeOf(to, scale) - left;
  const isWaiting = waiting.includes(status);
  const { tone } = toLook(status);
  const begin = formatDuration(from - runStartedMs);
  const label = `started at ${begin}, ${closedAt === undefined ? 'so far' : 'lasted'} ${formatDuration(to - from)}`;
  const isVisible = to >= scale.fromMs;
  return (
    <div className="gantt" role="img" aria-label={label} title={label}>
      {isVisible && (
        <span
          className={`fill-${tone}${isWaiting ? ' waiting' : ''}`}
          style={{ '--from': Math.min(left, 0.995), '--share': share }}
        />
      )}
      {isVisible &&
        calls
          .slice(-maxTicks)
          .filter((call) => Date.parse(call.startedAt) >= Math.max(from, scale.fromMs))
          .map((call, index) => (
            <b
              key={`${call.callId}${index}`}
              className={call.ok === false ? 'bad' : undefined}
              style={{ '--from': placeOf(Date.parse(call.startedAt), scale) }}
            />
          ))}
    </div>
  );
}
