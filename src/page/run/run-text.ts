/** A run in words: how far its subagents are, what it is doing now, and what its cancel has reached. */
import type { RunDescription } from '../../contract/run-view.ts';
import { formatDuration, formatPlural } from '../../domain/format.ts';
import { hasEnded, hasSubagentEnded } from '../../domain/projection/fold-run-event.ts';
import { toLook } from '../parts/status-looks.ts';
import { ageOf } from '../parts/times.ts';

/** After this long without an event a call that is open deserves a look. */
const quietMs = 60_000;

/** `10 subagents: 5 done, 2 running, 1 failed` */
export function toProgress({ tree }: RunDescription): string {
  if (tree.length === 0) return 'no subagents yet';
  const counts = new Map<string, number>();
  for (const { status } of tree) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].map(([status, count]) => `${count} ${toLook(status).word.toLowerCase()}`);
  return `${formatPlural(tree.length, 'subagent')}: ${parts.join(', ')}`;
}

export function toStatusWords(run: RunDescription): string {
  const { word } = toLook(run.status);
  if (run.status !== 'cancelling' || run.tree.length === 0) return word;
  const stopped = run.tree.filter(({ status }) => hasSubagentEnded(status)).length;
  return `${word} (${stopped} of ${run.tree.length} stopped)`;
}

/** What is known of a run that goes on: `Last event 4s ago · 3 tool calls in flight · worker ok`. */
export function toFacts(run: RunDescription, nowMs: number, hasWorker: boolean | undefined): string[] {
  if (hasEnded(run.status)) return [];
  const open = run.tree.filter(({ lastCall, status }) => lastCall && !lastCall.finishedAt && !hasSubagentEnded(status));
  const thinking = run.tree.filter(({ modelCallSince }) => modelCallSince !== undefined).length;
  const age = ageOf(run.lastEventAt, nowMs);
  const oldest = open.map(({ lastCall }) => lastCall!).toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))[0];
  return [
    age > quietMs
      ? `quiet for ${formatDuration(age)}${oldest ? ` (${oldest.tool} since ${formatDuration(ageOf(oldest.startedAt, nowMs))})` : ''}`
      : `last event ${age < 1_000 ? 'now' : `${formatDuration(age)} ago`}`,
    ...(open.length > 0 ? [`${formatPlural(open.length, 'tool call')} in flight`] : []),
    ...(thinking > 0 ? [`${formatPlural(thinking, 'model call')} in flight`] : []),
    ...(hasWorker === undefined ? [] : [hasWorker ? 'worker ok' : 'no worker polls: the run rests']),
  ];
}
