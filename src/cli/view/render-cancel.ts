/** How a cancel went, in words: who stopped, when the last socket closed, and what was paid after the request. Pure. */
import type { RunCancel, SubagentCancel } from '../../contract/cancel-proof.ts';
import { formatCount } from '../../domain/text.ts';
import { toPlainLine } from '../output/plain-text.ts';
import { ageOf, formatDuration, formatPlural } from './format.ts';

type Times = Pick<RunCancel, 'requestedAt' | 'lastSocketClosedAt' | 'openSockets' | 'tokensAfter' | 'estimated'>;

/** `stopped 6 of 6 subagents in 0.6s; last socket closed 0.5s after the request; 1,234 tokens paid after it (estimated)` */
export function renderRunCancel(cancel: RunCancel): string {
  const { subagents, stopped, stoppedAt, requestedAt } = cancel;
  const whom = subagents === 0 ? '' : ` ${stopped} of ${formatPlural(subagents, 'subagent')}`;
  const since = stoppedAt === null ? '' : ` in ${formatSince(requestedAt, stoppedAt)}`;
  return `${whom === '' && since === '' ? 'stopping' : `stopped${whom}${since}`}; ${renderProof(cancel)}`;
}

/** `acknowledged after 0.1s; last socket closed 0.2s after the request; 123 tokens paid after it` */
export function renderSubagentCancel(cancel: SubagentCancel): string {
  const { requestedAt, acknowledgedAt } = cancel;
  const told =
    acknowledgedAt === null ? 'not acknowledged' : `acknowledged after ${formatSince(requestedAt, acknowledgedAt)}`;
  return `${told}; ${renderProof(cancel)}`;
}

/** One line for each call that was let go: `s2 lookup (t1c1) may still be running`. */
export function renderMayStillRun({ mayStillRun }: RunCancel | SubagentCancel): string[] {
  return mayStillRun.map((call) => {
    const whose = 'subagentId' in call && call.subagentId !== null ? `${call.subagentId} ` : '';
    return `${whose}${toPlainLine(call.tool)} (${call.callId}) may still be running: it ignored its abort signal`;
  });
}

function renderProof({ requestedAt, lastSocketClosedAt, openSockets, tokensAfter, estimated }: Times): string {
  const sockets = [
    ...(lastSocketClosedAt === null
      ? []
      : [`last socket closed ${formatSince(requestedAt, lastSocketClosedAt)} after the request`]),
    ...(openSockets === 0 ? [] : [`${formatPlural(openSockets, 'socket')} not seen to close`]),
  ];
  const paid = `${formatCount(tokensAfter)} token${tokensAfter === 1 ? '' : 's'} paid after it`;
  return [...(sockets.length === 0 ? ['no socket was open'] : sockets), estimated ? `${paid} (estimated)` : paid].join(
    '; ',
  );
}

/** `0.6s`; from ten seconds on as any other duration. */
function formatSince(fromIso: string, toIso: string): string {
  const ms = ageOf(fromIso, Date.parse(toIso));
  return ms < 9_950 ? `${(ms / 1_000).toFixed(1)}s` : formatDuration(ms);
}
