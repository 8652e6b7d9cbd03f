/** `estimate`: one line per dimension, and what the figures rest on. Pure. */
import type { Estimate, Range } from '../../contract/estimate.ts';
import { formatCount } from '../../domain/text.ts';
import { paintText, type Style } from '../output/style.ts';
import { formatDuration, formatPlural, formatUsd } from './format.ts';

export function renderEstimate(estimate: Estimate, style: Style): string[] {
  const { subagents, tokens, usd, toolCalls, wallClockMs, basis } = estimate;
  const range = (format: (value: number) => string, { low, high }: Range) =>
    format(low) === format(high) ? format(low) : `${format(low)} ${style.unicode ? '–' : '-'} ${format(high)}`;
  const facts: [string, string][] = [
    ['subagents', range(formatCount, subagents)],
    ['tokens', range(formatCount, tokens)],
    ['cost', usd === null ? 'price not known' : range(formatUsd, usd)],
    ['tool calls', range(formatCount, toolCalls)],
    ...(wallClockMs ? [['time', range(formatDuration, wallClockMs)] as [string, string]] : []),
    ['based on', renderBasis(basis)],
  ];
  return facts.map(([name, text]) => `${paintText(style, 'dim', name.padEnd(10))}  ${text}`);
}

function renderBasis(basis: Estimate['basis']): string {
  switch (basis.kind) {
    case 'bounds':
      return 'what the plan and the budget allow at most, and what little work takes';
    case 'past-runs':
      return `${formatPlural(basis.runs, 'finished run')} of this model`;
    default:
      return basis satisfies never;
  }
}
