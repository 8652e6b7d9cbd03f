/** Money in every view: `≥` where part of it is an estimate, words where a price is not known, never `$0.00` for unknown. */
import { describe, expect, test } from '@jest/globals';
import { formatCost, formatUsd } from '../../src/cli/view/format.ts';
import { renderBudget } from '../../src/cli/view/render-budget.ts';
import { renderDescription, renderSubagentDescription } from '../../src/cli/view/render-description.ts';
import { renderList } from '../../src/cli/view/render-list.ts';
import { renderHeartbeat, renderLogLines } from '../../src/cli/view/render-log-line.ts';
import { renderRunView } from '../../src/cli/view/render-run-view.ts';
import { renderSummary } from '../../src/cli/view/render-summary.ts';
import type { Usage } from '../../src/contract/budget.ts';
import type { RunDescription } from '../../src/contract/run-view.ts';
import { budget, description, result, subagent, usage } from '../support/fake-research-api.ts';

const nowMs = Date.parse('2026-11-30T12:12:04.000Z');
const style = { colour: false, unicode: true };
const ascii = { colour: false, unicode: false };
const usd = { spent: 3.82, reserved: 0.4, remaining: 0.78, limit: 5 };
const limited = { ...budget(41_203), usd };
const cost = (amount: number | null, estimated = false): Usage => ({ ...usage(41_203), usd: amount, estimated });

describe('an amount', () => {
  test.each([
    [0, '$0.00'],
    [0.0042, '$0.0042'],
    [0.01, '$0.01'],
    [3.817, '$3.82'],
    [1_250, '$1250.00'],
  ])('%d is %s', (amount, text) => {
    expect(formatUsd(amount)).toBe(text);
  });

  test('that is an estimate in part has a mark, one that nobody knows has words, and nothing has none', () => {
    expect(formatCost(cost(0.42), '≥')).toBe('$0.42');
    expect(formatCost(cost(0.42, true), '≥')).toBe('≥$0.42');
    expect(formatCost(cost(null, true), '≥')).toBe('price not known');
    expect(formatCost(cost(0), '≥')).toBeNull();
    expect(formatCost({ ...usage(0), usd: null }, '≥')).toBeNull();
  });
});

describe('the meter', () => {
  test('shows what is spent and reserved of the limit, first of the three', () => {
    expect(renderBudget(limited, 80, style)).toEqual([
      '  cost   ██████████▒░ $3.82 + $0.40 reserved of $5.00',
      '  tokens █░░░░░░░░░░░ 41,203 of 1,000,000   calls  ░░░░░░░░░░░░ 0 of 200',
    ]);
    expect(renderBudget(budget(), 80, style)).toHaveLength(1);
  });

  test('is marked where what was spent is an estimate, of the run or of a subagent', () => {
    const lines = (run: Partial<RunDescription>, signs = style) =>
      renderRunView(description('run_1', { budget: limited, ...run }), {
        columns: 80,
        rows: 24,
        nowMs,
        style: signs,
      }).join('\n');
    expect(lines({})).toContain(' $3.82 + ');
    expect(lines({ usage: cost(3.82, true) })).toContain('≥$3.82 + $0.40 reserved of $5.00');
    expect(lines({ tree: [subagent('s1', { usage: cost(0.3, true) })] })).toContain('≥$3.82 + ');
    expect(lines({ usage: cost(3.82, true) }, ascii)).toContain('>=$3.82 + ');
  });

  test('fits a narrow terminal', () => {
    for (const columns of [20, 30, 40, 60])
      for (const line of renderBudget(limited, columns, style)) expect([...line].length).toBeLessThanOrEqual(columns);
  });
});

test('a subagent has its cost beside its tokens, in the live view, in show and in the log', () => {
  const view = (each: Usage) => subagent('s1', { usage: each, status: 'done', closedAt: '2026-11-30T12:10:00.000Z' });
  const live = (each: Usage) =>
    renderRunView(description('run_1', { tree: [view(each)] }), { columns: 100, rows: 24, nowMs, style }).find((line) =>
      line.includes('s1'),
    );
  expect(live(cost(0.28))).toMatch(/41\.2k\/150k \$0\.28 /);
  expect(live(cost(0.28, true))).toMatch(/41\.2k\/150k ≥\$0\.28 /);
  expect(live(cost(null))).not.toContain('$');
  expect(live(cost(0))).not.toContain('$');
  expect(renderSubagentDescription(view(cost(0.28, true)), { nowMs, style }).join('\n')).toMatch(/cost +≥\$0\.28/);
  const run = description('run_1', { tree: [view(cost(0.28, true))] });
  expect(renderDescription(run, { nowMs, style }).join('\n')).toContain('tokens (estimated) · ≥$0.28');
  const event = { type: 'subagent-status', status: 'done', attempt: 1, subagentId: 's1' } as const;
  const line = renderLogLines(run, { ...event, cursor: 'c', at: '2026-11-30T12:10:00.000Z', runId: 'run_1' }, style);
  expect(line.join('')).toContain('  ≥$0.28');
});

test('show has the meter with a limit, and what it cost without one', () => {
  const show = (run: Partial<RunDescription>) =>
    renderDescription(description('run_1', run), { nowMs, style }).join('\n');
  expect(show({ budget: limited, usage: cost(3.82, true) })).toMatch(
    /cost +\S+ ≥\$3\.82 \+ \$0\.40 reserved of \$5\.00/,
  );
  expect(show({ usage: cost(0.42) })).toMatch(/cost +\$0\.42/);
  expect(show({ usage: cost(null) })).toMatch(/cost +price not known/);
  expect(show({ usage: cost(0) })).not.toMatch(/cost/);
});

test('the heartbeat line has the money where it is limited', () => {
  expect(renderHeartbeat(description('run_1', { budget: limited }), nowMs, style)).toContain('  $3.82/$5.00  ');
  const estimated = description('run_1', { budget: limited, tree: [subagent('s1', { usage: cost(0.1, true) })] });
  expect(renderHeartbeat(estimated, nowMs, style)).toContain('  ≥$3.82/$5.00  ');
  expect(renderHeartbeat(estimated, nowMs, { ...style, unicode: false })).toContain('  >=$3.82/$5.00  ');
  expect(renderHeartbeat(description('run_1'), nowMs, style)).not.toContain('$');
});

test('the summary says what was paid', () => {
  const summary = (each: Usage, of = budget(41_203)) =>
    renderSummary(result('run_1', 'completed', { usage: each, budget: of }), {
      style,
      toCommand: (...words: string[]) => words.join(' '),
    })[0];
  expect(summary(cost(4.37), limited)).toContain(' · $4.37 of $5.00 · ');
  expect(summary(cost(4.37, true), limited)).toContain(' · ≥$4.37 of $5.00 · ');
  expect(summary(cost(4.37))).toContain(' · $4.37 · ');
  expect(summary(cost(null))).toContain(' · price not known · ');
  expect(summary(cost(0))).not.toContain('$');
});

test('the list shows money where it is limited or was paid, else tokens', () => {
  const spend = (run: Partial<RunDescription>) =>
    renderList([description('run_1', { spentTokens: 41_203, ...run })], { columns: null, nowMs, style })[1]!.split(
      / {2,}/,
    )[4];
  expect(spend({ spentUsd: 3.82, limitUsd: 5 })).toBe('$3.82/5.00');
  expect(spend({ spentUsd: 2.1, limitUsd: 2, estimated: true })).toBe('≥$2.10/2.00');
  expect(spend({ spentUsd: 0, limitUsd: 0.005 })).toBe('$0.00/0.0050');
  expect(spend({ spentUsd: null, limitUsd: 5 })).toBe('–/5.00');
  expect(spend({ spentUsd: 0.42 })).toBe('$0.42');
  expect(spend({ spentUsd: 0.42, estimated: true })).toBe('≥$0.42');
  expect(spend({ spentUsd: 0 })).toBe('41.2k/1M tok');
  expect(spend({ spentUsd: null })).toBe('41.2k/1M tok');
});

describe('tokens that are charged as an estimate', () => {
  const guessed = { ...cost(0), estimated: true };
  const view = subagent('s1', { usage: guessed, status: 'done', closedAt: '2026-11-30T12:10:00.000Z' });
  const run = (isEstimated: boolean) =>
    description('run_1', {
      spentTokens: 41_203,
      estimated: isEstimated,
      usage: { ...guessed, estimated: isEstimated },
      tree: [isEstimated ? view : { ...view, usage: cost(0) }],
    });
  const at = { cursor: 'c', at: '2026-11-30T12:10:00.000Z', runId: 'run_1' };
  const ended = { ...at, type: 'subagent-status', status: 'done', attempt: 1, subagentId: 's1' } as const;

  test.each<[string, RegExp, (run: RunDescription) => string[]]>([
    ['the list', /≥41\.2k\/1M tok/, (each) => renderList([each], { columns: null, nowMs, style })],
    ['show', /tokens \(estimated\)/, (each) => renderDescription(each, { nowMs, style })],
    [
      'the live view of a run',
      /tokens.*≥0 of/,
      (each) => renderRunView(each, { columns: 100, rows: 24, nowMs, style }),
    ],
    [
      'the live view of a subagent',
      /≥41\.2k\/150k/,
      (each) => renderRunView(each, { columns: 100, rows: 24, nowMs, style }),
    ],
    ['the heartbeat', /≥0\/1,000,000 tokens/, (each) => [renderHeartbeat(each, nowMs, style)]],
    ['the log', /≥41,203 tokens/, (each) => renderLogLines(each, ended, style)],
  ])('are marked in %s, and only they', (_, marked, render) => {
    expect(render(run(true)).join('\n')).toMatch(marked);
    expect(render(run(false)).join('\n')).not.toMatch(/≥|estimated/);
  });
});
