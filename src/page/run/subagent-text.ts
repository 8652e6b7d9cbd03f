/** What a subagent is doing, or how it ended, in a few words. */
import type { SubagentView } from '../../contract/run-view.ts';
import { formatDuration, formatShort, formatUsd } from '../../domain/format.ts';
import { hasSubagentEnded } from '../../domain/projection/fold-run-event.ts';
import { toLook } from '../parts/status-looks.ts';
import { ageOf } from '../parts/times.ts';

const reasonWords: Readonly<Record<string, string>> = {
  'max-turns': 'out of turns',
  loop: 'went in circles',
  budget: 'out of budget',
  'wall-clock': 'out of time',
  'rate-limit': 'rate limited',
  'context-exceeded': 'too long for the model',
  provider: 'the model failed',
  tool: 'a tool failed',
  operator: 'by an operator',
  join: 'not needed',
  'no-worker': 'no worker',
};

export function toReasonWords(reason: string): string {
  return Object.hasOwn(reasonWords, reason) ? reasonWords[reason]! : reason;
}

export function toActivity(view: SubagentView, nowMs: number): string {
  const { word } = toLook(view.status);
  if (hasSubagentEnded(view.status)) {
    if (view.status === 'reused') return view.reusedFrom ? `Reused (${view.reusedFrom})` : word;
    if (view.status === 'done' || view.reason === undefined) return word;
    const why = toReasonWords(view.reason);
    return why.startsWith('by ') ? `${word} ${why}` : `${word}: ${why}`;
  }
  if (view.status !== 'running' && view.status !== 'retrying') return word;
  if (view.live !== undefined && view.live !== '') return view.live.replace(/^./, (first) => first.toUpperCase());
  if (view.status === 'retrying') return word;
  const call = view.lastCall;
  if (call && call.finishedAt === undefined) return `${call.tool} ${formatDuration(ageOf(call.startedAt, nowMs))}`;
  const since = view.modelCallSince ?? call?.finishedAt ?? view.startedAt;
  return since === undefined ? 'Starting' : `Thinking ${formatDuration(ageOf(since, nowMs))}`;
}

/** `$0.28`, or tokens of its allotment where there is no price. */
export function toSpend({ usage, limitTokens }: SubagentView): string {
  const atLeast = usage.estimated ? '≥' : '';
  if (usage.usd !== null && usage.usd > 0) return `${atLeast}${formatUsd(usage.usd)}`;
  const tokens = `${atLeast}${formatShort(usage.tokens)}`;
  return limitTokens > 0 ? `${tokens}/${formatShort(limitTokens)}` : tokens;
}
