/** Whose work a run takes over, and what the two of them have cost, in words. Pure. */
import type { Usage } from '../../contract/budget.ts';
import type { Lineage } from '../../contract/origin.ts';
import type { RunResult } from '../../contract/result.ts';
import { listSubagents } from '../../domain/list-subagents.ts';
import { formatCount } from '../../domain/text.ts';
import { signsOf } from '../output/marks.ts';
import type { Style } from '../output/style.ts';
import { formatUsd } from './format.ts';

/** `retry of run_1`, `rerun of run_1 from s3` */
export function renderLineage({ kind, runId, from }: Lineage): string {
  return `${kind} of ${runId}${from === undefined ? '' : ` from ${from}`}`;
}

/** ` · which had spent 9,400 tokens`; nothing before it is known. */
export function renderEarlier(earlier: Usage | undefined, style: Style): string {
  return earlier && earlier.tokens > 0 ? ` ${signsOf(style).dot} which had spent ${renderSpent(earlier)}` : '';
}

/** `9,400 tokens`, `9,400 tokens, $0.27` */
function renderSpent({ tokens, usd }: Pick<Usage, 'tokens' | 'usd'>): string {
  return `${formatCount(tokens)} tokens${usd ? `, ${formatUsd(usd)}` : ''}`;
}

/** `retry of run_1 · 19 reused, 1 not reused`, and what the line has cost; nothing for a run that takes over none. */
export function renderTakenOver({ origin, usage, subagents }: RunResult, style: Style): string[] {
  if (!origin) return [];
  const reused = subagents.filter(({ reusedFrom }) => reusedFrom !== undefined).length;
  const others = subagents.length - reused;
  const counts = [...(reused > 0 ? [`${reused} reused`] : []), ...(others > 0 ? [`${others} not reused`] : [])];
  const { tokens, usd } = origin.spent;
  const money = usage.usd && usd ? `; ${formatUsd(usage.usd)}, ${formatUsd(usd)} of it` : '';
  return [
    [renderLineage(origin), ...(counts.length > 0 ? [counts.join(', ')] : [])].join(` ${signsOf(style).dot} `),
    `spent ${formatCount(usage.tokens)} tokens, ${formatCount(tokens)} of them${money} before this run`,
  ];
}

/** `s13 again: it failed (provider)`: one line for each reason. */
export function renderReasons(subagents: RunResult['subagents']): string[] {
  const byReason = new Map<string, string[]>();
  for (const { id, again } of subagents)
    if (again !== undefined) byReason.set(again, [...(byReason.get(again) ?? []), id]);
  return [...byReason].map(([why, ids]) => `${listSubagents(ids)} again: ${why}`);
}
