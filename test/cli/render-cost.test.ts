/** Money on a terminal without Unicode, and in columns that are too few for it. */
import { describe, expect, test } from '@jest/globals';
import { widthOf } from '../../src/cli/view/fit-text.ts';
import { renderBudget } from '../../src/cli/view/render-budget.ts';
import { renderDescription, renderSubagentDescription } from '../../src/cli/view/render-description.ts';
import { renderList } from '../../src/cli/view/render-list.ts';
import { renderRunView } from '../../src/cli/view/render-run-view.ts';
import { renderSummary } from '../../src/cli/view/render-summary.ts';
import type { Usage } from '../../src/contract/budget.ts';
import type { RunDescription } from '../../src/contract/run-view.ts';
import { budget, description, result, subagent, usage } from '../support/fake-research-api.ts';

const nowMs = Date.parse('2026-11-30T12:12:04.000Z');
const style = { colour: false, unicode: true };
const ascii = { colour: false, unicode: false };
const limited = { ...budget(41_203), usd: { spent: 3.82, reserved: 0.4, remaining: 0.78, limit: 5 } };
const estimated = (usd: number): Usage => ({ ...usage(41_203), usd, estimated: true });
const run = (parts: Partial<RunDescription> = {}) =>
  description('run_1', {
    budget: limited,
    usage: estimated(3.82),
    spentTokens: 41_203,
    tree: [subagent('s1', { usage: estimated(0.28), status: 'done', closedAt: '2026-11-30T12:10:00.000Z' })],
    ...parts,
  });

describe('without Unicode', () => {
  const views: [string, () => string[]][] = [
    ['the live view', () => renderRunView(run(), { columns: 100, rows: 24, nowMs, style: ascii })],
    ['show', () => renderDescription(run(), { nowMs, style: ascii })],
    ['show of a subagent', () => renderSubagentDescription(run().tree[0]!, { nowMs, style: ascii })],
    [
      'the list',
      () => renderList([run({ spentUsd: 3.82, limitUsd: 5, estimated: true })], { columns: null, nowMs, style: ascii }),
    ],
    [
      'the summary',
      () =>
        renderSummary(result('run_1', 'completed', { usage: estimated(3.82), budget: limited }), {
          style: ascii,
          toCommand: (...words: string[]) => words.join(' '),
        }),
    ],
  ];

  test.each(views)('%s marks an estimate with >=, and has no other sign', (_, render) => {
    const text = render().join('\n');
    expect(text).toMatch(/>=\$(3\.82|0\.28)/);
    // eslint-disable-next-line no-control-regex
    expect(text).toMatch(/^[\x00-\x7f]*$/);
  });

  test('a spend that nobody knows is a hyphen in the list', () => {
    const lines = renderList([run({ spentUsd: null, limitUsd: 5 })], { columns: null, nowMs, style: ascii });
    expect(lines[1]).toContain('  -/5.00');
  });

  test('the bar of the cost has the signs of the other bars', () => {
    expect(renderBudget(limited, 80, ascii, true)[0]).toBe('  cost   ##########=. >=$3.82 + $0.40 reserved of $5.00');
  });
});

describe('the cost meter', () => {
  test('loses its bar before its numbers, and is left out where even they do not fit', () => {
    const first = (columns: number) => renderBudget(limited, columns, style, true)[0]!;
    expect(first(54)).toContain('█');
    expect(first(45)).toBe('  cost   ≥$3.82 + $0.40 reserved of $5.00');
    for (let columns = 10; columns < 80; columns += 1)
      expect(widthOf(first(columns) ?? '')).toBeLessThanOrEqual(columns);
  });

  test('of nothing spent is there, as soon as money is limited', () => {
    const usd = { spent: 0, reserved: 0, remaining: 5, limit: 5 };
    expect(renderBudget({ ...budget(), usd }, 80, style)[0]).toBe('  cost   ░░░░░░░░░░░░ $0.00 of $5.00');
  });
});

test('the column SPEND is as wide as its longest cell, so that what follows stays in line', () => {
  const runs = [
    run({ spentUsd: 3.82, limitUsd: 5, estimated: true }),
    run({ spentUsd: 0.42, estimated: false }),
    run({ spentUsd: null }),
  ];
  const lines = renderList(runs, { columns: null, nowMs, style });
  const starts = lines.map((line) => line.search(/STARTED|\S+ ago$/));
  expect(new Set(starts).size).toBe(1);
  expect(lines[0]).toMatch(/SPEND +STARTED$/);
});
