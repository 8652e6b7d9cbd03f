/** The budget as bars: spent, reserved, free. Pure. */
import type { BudgetState, Meter } from '../../contract/budget.ts';
import { formatCount } from '../../domain/text.ts';
import { paintText, type Style } from '../output/style.ts';
import { widthOf } from './fit-text.ts';
import { formatShort } from './format.ts';

/** `███████▒▒░░░`: rounded up where anything was spent or reserved, so that little is never shown as nothing. */
export function renderBar(meter: Meter, width: number, style: Style): string {
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

/** One line on a wide terminal, two on a narrow one; what does not fit is said in fewer characters. */
export function renderBudget(budget: BudgetState, columns: number, style: Style): string[] {
  const width = columns >= 100 ? 20 : 12;
  const line = (name: string, meter: Meter, full: string) => {
    const bar = renderBar(meter, width, style);
    const short = renderShortMeter(meter);
    const lines = [`  ${name} ${bar} ${full}`, `  ${name} ${bar} ${short}`, `  ${name} ${short}`];
    return lines.find((each) => widthOf(each) <= columns);
  };
  const calls = { ...budget.toolCalls, reserved: 0, remaining: budget.toolCalls.limit - budget.toolCalls.spent };
  const lines = [line('tokens', budget.tokens, renderMeter(budget.tokens)), line('calls ', calls, renderMeter(calls))];
  const shown = lines.filter((each) => each !== undefined);
  const joined = shown.join(' ');
  return shown.length === 2 && widthOf(joined) <= columns ? [joined] : shown;
}
