/** How replayed histories look: a line for each, and under one that diverges where and how it does. */
import type { Divergence, ReplayedHistory } from '../../contract/replay.ts';
import { formatCount } from '../../domain/text.ts';
import { toPlainLine } from '../output/plain-text.ts';
import { paintText, type Style } from '../output/style.ts';

export function renderReplay(replayed: readonly ReplayedHistory[], style: Style): string[] {
  const names = nameHistories(replayed);
  const width = Math.max(0, ...names.map((name) => name.length));
  const lines = replayed.flatMap((each, index) => {
    const mark = each.ok
      ? paintText(style, 'green', style.unicode ? '✓ ok      ' : 'ok      ')
      : paintText(style, 'red', style.unicode ? '✗ diverges' : 'diverges');
    const line = `${mark}  ${names[index]!.padEnd(width)}  ${formatCount(each.events)} events`;
    return each.divergence ? [line, `  ${describeDivergence(each.divergence)}`] : [line];
  });
  return [...lines, '', summarize(replayed)];
}

/** A workflow that ran more than once counts its histories. */
function nameHistories(replayed: readonly ReplayedHistory[]): string[] {
  const counts = new Map<string, number>();
  return replayed.map(({ workflowId }) => {
    const nth = (counts.get(workflowId) ?? 0) + 1;
    counts.set(workflowId, nth);
    return toPlainLine(nth === 1 ? workflowId : `${workflowId} (history ${nth})`);
  });
}

function describeDivergence({ eventId, eventType, kind, recorded, wanted, message }: Divergence): string {
  const at = `event ${eventId} ${eventType}${recorded === null ? '' : ` (${toPlainLine(recorded)})`}`;
  const words = toPlainLine(message);
  switch (kind) {
    case 'wants-other':
      return wanted === null ? `${at}: ${words}` : `${at}: the code wanted ${toPlainLine(wanted)}`;
    case 'fails':
      return `${at}: the code failed: ${words}`;
    case 'undecodable':
      return `${at}: a payload cannot be read: ${words}. It needs the codec that it was written with.`;
    case 'no-end':
      return `${at}: ${words}`;
    default:
      return kind satisfies never;
  }
}

function summarize(replayed: readonly ReplayedHistory[]): string {
  const all = `${formatCount(replayed.length)} ${replayed.length === 1 ? 'history' : 'histories'}`;
  const diverging = replayed.filter(({ ok }) => !ok).length;
  return diverging === 0
    ? `today's code follows ${all}`
    : `today's code does not follow ${formatCount(diverging)} of ${all}`;
}
