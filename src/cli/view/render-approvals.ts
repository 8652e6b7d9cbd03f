/** Calls that wait for a person, as a list. Pure. */
import type { PendingApproval } from '../../client/research-api.ts';
import { signsOf } from '../output/marks.ts';
import { toPlainLine } from '../output/plain-text.ts';
import { paintText, type Style } from '../output/style.ts';
import { ageOf, formatDuration } from './format.ts';

/** Three lines each: who asks for what, with which arguments, and until when. */
export function renderApprovals(
  approvals: readonly PendingApproval[],
  { nowMs, style }: { readonly nowMs: number; readonly style: Style },
): string[] {
  const { dot } = signsOf(style);
  return approvals.flatMap(({ id, runId, subagentId, tool, input, requestedAt, expiresAt }) => {
    const until = expiresAt === null ? '' : ` ${dot} expires in ${formatDuration(Date.parse(expiresAt) - nowMs)}`;
    return [
      `${paintText(style, 'yellow', '!')} ${paintText(style, 'bold', id)}  ${runId} ${subagentId} wants ${toPlainLine(tool)}`,
      `    ${toPlainLine(input)}`,
      `    ${paintText(style, 'dim', `asked ${formatDuration(ageOf(requestedAt, nowMs))} ago${until}`)}`,
    ];
  });
}
