/** The budget as bars: spent, reserved, free. Pure. */
import type { BudgetState, Meter, UsdMeter } from '../../contract/budget.ts';
import { formatCount } from '../../domain/text.ts';
import { signsOf } from '../output/marks.ts';
import { paintText, type Style } from '../output/style.ts';
import { widthOf } from './fit-text.ts';
import { formatDuration, formatShort, formatUsd } from './format.ts';

/** `███████▒▒░░░`: rounded up where anything was spent or reserved, so that little is never shown as nothing. */
export function renderBar(meter: Meter | UsdMeter, width: number, style: Style): string {
  const share = (amount: number) => (meter.limit > 0 ? Math.ceil((amount / meter.limit) * width) : 0);
  const spent = Math.min(width, share(meter.spent));
  const reserved = Math.min(width - spent, share(meter.reserved));
  const [full, held, free] = style.unicode ? ['█', '▒', '░'] : ['#', '=', '.'];
  const isLow = meter.limit > 0 && meter.spent / meter.limit >= 0.9;
  return (
    paintText(style, isLow ? 'yellow' : 'green', full.repeat(spent)) +
    paintText(style, 'gray', held.repeat(reserved) + free.repeat(width - spent - reserved))
  );
}

/** `41,203 + 12,000 reserved of 1,000,000` */
export function renderMeter(meter: Meter): string {
  const reserved = meter.reserved > 0 ? ` + ${formatCount(meter.reserved)} reserved` : '';
  return `${formatCount(meter.spent)}${reserved} of ${formatCount(meter.limit)}`;
}

function renderShortMeter(meter: Meter): string {
  const reserved = meter.reserved > 0 ? ` + ${formatShort(meter.reserved)}` : '';
  return `${formatShort(meter.spent)}${reserved} of ${formatShort(meter.limit)}`;
}

/** `$3.82 + $0.40 reserved of $5.00`; `≥` where part of what was spent is an estimate. */
export function renderUsdMeter(meter: UsdMeter, isEstimated: boolean, style: Style): string {
  const reserved = meter.reserved > 0 ? ` + ${formatUsd(meter.reserved)} reserved` : '';
  const mark = isEstimated ? signsOf(style).atLeast : '';
  return `${mark}${formatUsd(meter.spent)}${reserved} of ${formatUsd(meter.limit)}`;
}

/** One line on a wide terminal, two on a narrow one; what does not fit is said in fewer characters. */
export function renderBudget(budget: BudgetState, columns: number, style: Style, isEstimated = false): string[] {
  const width = columns >= 100 ? 20 : 12;
  const line = (name: string, meter: Meter | UsdMeter, full: string, short = full) => {
    const bar = renderBar(meter, width, style);
    const lines = [`  ${name} ${bar} ${full}`, `  ${name} ${bar} ${short}`, `  ${name} ${short}`];
    return lines.find((each) => widthOf(each) <= columns);
  };
  const mark = isEstimated ? signsOf(style).atLeast : '';
  const calls = { ...budget.toolCalls, reserved: 0, remaining: budget.toolCalls.limit - budget.toolCalls.spent };
  const cost = budget.usd && line('cost  ', budget.usd, renderUsdMeter(budget.usd, isEstimated, style));
  const lines = [
    line('tokens', budget.tokens, mark + renderMeter(budget.tokens), mark + renderShortMeter(budget.tokens)),
    line('calls ', calls, renderMeter(calls), renderShortMeter(calls)),
  ];
  const shown = lines.filter((each) => each !== undefined);
  const joined = shown.join(' ');
  const counts = shown.length === 2 && widthOf(joined) <= columns ? [joined] : shown;
  return cost === undefined ? counts : [cost, ...counts];
}

/** The meters below each other, for `budget`. */
export function renderBudgetTable(budget: BudgetState, isEstimated: boolean, style: Style): string[] {
  const line = (name: string, meter: Meter | UsdMeter, text: string) =>
    `  ${paintText(style, 'dim', name.padEnd(7))} ${renderBar(meter, 20, style)} ${text}`;
  const { usd, tokens, toolCalls, wallClockMs } = budget;
  return [
    ...(usd ? [line('cost', usd, renderUsdMeter(usd, isEstimated, style))] : []),
    line('tokens', tokens, `${renderMeter(tokens)}${isEstimated ? ' (estimated)' : ''}`),
    line('calls', toolCalls, renderMeter(toolCalls)),
    line('time', wallClockMs, `${formatDuration(wallClockMs.spent)} of ${formatDuration(wallClockMs.limit)}`),
  ];
}
