/** What a batch of events is worth telling somebody who does not see the page. */
import type { RunDescription, RunEvent } from '../../contract/run-view.ts';
import { formatPlural } from '../../domain/format.ts';
import { hasEnded, hasSubagentEnded } from '../../domain/projection/fold-run-event.ts';
import { toLook } from '../parts/status-looks.ts';

export function toAnnouncement(
  run: RunDescription,
  events: readonly RunEvent[],
): { readonly polite: string; readonly urgent: string } {
  const ended = new Map<string, number>();
  const polite: string[] = [];
  const urgent: string[] = [];
  for (const event of events) {
    if (event.type === 'subagent-status' && hasSubagentEnded(event.status)) {
      ended.set(event.status, (ended.get(event.status) ?? 0) + 1);
    } else if (event.type === 'approval-requested') {
      urgent.push(`Approval needed: ${event.approval.subagentId} wants ${event.approval.tool}`);
    } else if (event.type === 'run-status') {
      const { word } = toLook(event.status);
      if (event.status === 'paused-budget' || event.status === 'failed') urgent.push(`Run: ${word}`);
      else if (!hasEnded(event.status)) polite.push(`Run: ${word}`);
    } else if (event.type === 'result') {
      (event.status === 'failed' ? urgent : polite).push(`Run: ${toLook(event.status).word}`);
    }
  }
  if (ended.size > 0) {
    const counts = [...ended].map(([status, count]) => `${formatPlural(count, 'subagent')} ${toLook(status).word}`);
    const all = run.tree.filter(({ status }) => hasSubagentEnded(status)).length;
    polite.unshift(`${counts.join(', ')}. ${all} of ${run.tree.length} ended`);
  }
  return { polite: polite.join('. '), urgent: urgent.join('. ') };
}
