/** Times and money as people read them, the same in every locale. */
import type { Usage } from '../contract/budget.ts';

const units = [
  { ms: 86_400_000, sign: 'd' },
  { ms: 3_600_000, sign: 'h' },
  { ms: 60_000, sign: 'm' },
  { ms: 1_000, sign: 's' },
];

/** The two largest units: `14s`, `12m04s`, `1h02m`, `3d07h`. Below a second: `0s`; negative counts as 0. */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  const index = units.findIndex((unit) => ms >= unit.ms);
  if (index === -1) return '0s';
  const large = units[index]!;
  const small = units[index + 1];
  const head = `${Math.floor(ms / large.ms)}${large.sign}`;
  if (!small) return head;
  const rest = Math.floor((ms % large.ms) / small.ms);
  return rest === 0 ? head : `${head}${String(rest).padStart(2, '0')}${small.sign}`;
}

/** `$3.82`; below a cent with four decimals. */
export function formatUsd(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}

/**
 * What a usage cost, with `atLeast` in front where part of it is an estimate; `null` where nothing was to be paid, words
 * where the price is not known.
 */
export function formatCost(
  { usd, tokens, estimated }: Pick<Usage, 'usd' | 'tokens' | 'estimated'>,
  atLeast: string,
): string | null {
  if (usd === null) return tokens > 0 ? 'price not known' : null;
  return usd > 0 ? `${estimated ? atLeast : ''}${formatUsd(usd)}` : null;
}
