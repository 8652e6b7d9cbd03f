import { describe, expect, test } from '@jest/globals';
import type { SubagentStatus } from '../../src/contract/run-view.ts';
import { widthOf } from '../../src/cli/view/fit-text.ts';
import { renderRunView } from '../../src/cli/view/render-run-view.ts';
import { budget, description, subagent, usage } from '../support/fake-research-api.ts';

const nowMs = Date.parse('2026-11-30T12:12:04.000Z');
const plain = { colour: false, unicode: true };

function run(...statuses: SubagentStatus[]) {
  const ended = (status: SubagentStatus) => !['queued', 'running', 'retrying', 'cancelling'].includes(status);
  const tree = statuses.map((status, index) =>
    subagent(`s${index + 1}`, { status, ...(ended(status) && { closedAt: '2026-11-30T12:10:00.000Z' }) }),
  );
  return description('run_1', { tree, budget: budget(412_030) });
}
const view = (of: ReturnType<typeof run>, columns = 80, rows = 24, style = plain) =>
  renderRunView(of, { columns, rows, nowMs, style, hint: 'Ctrl-C detaches; the run goes on' });

test('the title line has status, ended and planned subagents, and elapsed time; the budget has bars', () => {
  const lines = view(run('running', 'done'));
  expect(lines[0]).toMatch(/^◐ Recycling capacity +running · 1\/2 · 12m04s$/);
  expect(lines[1]).toBe('  tokens █████░░░░░░░ 412,030 of 1,000,000   calls  ░░░░░░░░░░░░ 0 of 200');
  expect(lines.at(-1)).toBe('  Ctrl-C detaches; the run goes on');
});

test('blocked and running subagents come first, then queued, lost, and done', () => {
  const ids = view(run('done', 'failed', 'queued', 'running', 'retrying'))
    .map((line) => /\b(s\d)\b/.exec(line)?.[1])
    .filter(Boolean);
  expect(ids).toEqual(['s5', 's4', 's3', 's2', 's1']);
});

test('on a low terminal the finished ones fold into one line', () => {
  const many = run('running', 'done', 'done', 'done', 'done', 'done', 'failed', 'cancelled');
  const lines = view(many, 80, 12);
  expect(lines).toContain('  ✓ 5 done');
  expect(lines.some((line) => line.includes('s1'))).toBe(true);
});

test('when even that is too much, the number of those at work is said', () => {
  const lines = view(run(...Array.from({ length: 40 }, () => 'running' as const)), 80, 12);
  expect(lines.join('\n')).toMatch(/… \d+ more subagents at work/);
});

describe('any size', () => {
  const tree = ['running', 'retrying', 'queued', 'done', 'done', 'failed', 'cancelled', 'running'] as const;
  const wide = run(...tree);
  const wideRun = {
    ...wide,
    title: '電池リサイクル '.repeat(20),
    tree: wide.tree.map((each) => ({ ...each, goal: `👩‍🔬 目標 ${'long '.repeat(30)}`, message: 'm'.repeat(200) })),
  };
  test.each([
    [200, 50],
    [120, 30],
    [80, 24],
    [60, 10],
    [40, 8],
    [20, 5],
    [10, 2],
    [5, 1],
  ])('%i × %i: never wider and never taller than the terminal', (columns, rows) => {
    for (const unicode of [true, false]) {
      const lines = view(wideRun, columns, rows, { colour: false, unicode });
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });
});

describe('what a subagent does', () => {
  const line = (overrides: Parameters<typeof subagent>[1]) =>
    view(description('run_1', { tree: [subagent('s1', overrides)] }), 120).find((each) => each.includes('s1'))!;
  const call = { callId: 't1c1', tool: 'corpus_search', input: '{"query":"x"}', startedAt: '2026-11-30T12:11:52.000Z' };

  test('an open tool call with its age', () => {
    expect(line({ lastCall: call })).toContain('corpus_search 12s');
  });
  test('thinking after its last call was answered', () => {
    expect(line({ lastCall: { ...call, finishedAt: '2026-11-30T12:12:00.000Z', ok: true } })).toContain('thinking 4s');
  });
  test('what a describe call knows of it', () => {
    expect(line({ status: 'retrying', live: 'retry 2/3 in 8s (timeout)' })).toContain(
      '↻ s1  Goal of s1  retry 2/3 in 8s',
    );
  });
  test('why it ended', () => {
    expect(line({ status: 'failed', reason: 'rate-limit', message: 'no answer' })).toContain(
      'failed (rate-limit): no answer',
    );
  });
  test('whose work it is, and no spending of its own', () => {
    expect(line({ status: 'reused', reusedFrom: 'run_0', findings: 2 })).toMatch(
      /↺ s1 {2}Goal of s1 {2}reused from run_0$/,
    );
    expect(line({ status: 'failed', reason: 'rate-limit', reusedFrom: 'run_0' })).toContain(
      'failed (rate-limit) in run_0',
    );
  });
  test('why it is done again, until it has a call to show', () => {
    const again = 'it failed (rate-limit)';
    expect(line({ status: 'queued', again })).toContain('again: it failed (rate-limit)');
    expect(line({ again, startedAt: '2026-11-30T12:12:00.000Z' })).toContain(
      'thinking 4s, again: it failed (rate-limit)',
    );
    expect(line({ again, lastCall: call })).not.toContain('again');
  });
  test('what it spent of its share', () => {
    expect(line({})).toMatch(/1\.2k\/150k +3 tools$/);
  });
});

test('a run that takes over another one says which, and folds what it reused in one line', () => {
  const tree = Array.from({ length: 30 }, (_, index) =>
    subagent(`s${index + 1}`, { status: 'reused', reusedFrom: 'run_0', closedAt: '2026-11-30T12:10:00.000Z' }),
  );
  const origin = { kind: 'retry', runId: 'run_0' } as const;
  const lines = view(description('run_1', { tree, origin, earlier: usage(9_400) }));
  expect(lines).toContain('  retry of run_0 · which had spent 9,400 tokens');
  expect(lines).toContain('  ↺ 30 reused from run_0');
});

test('a run that nobody works on yet says so', () => {
  const lines = view(description('run_1', { status: 'queued', lastEventAt: '2026-11-30T12:12:00.000Z' }));
  expect(lines.join('\n')).toContain('waiting for a worker, 4s');
});

test('a subagent of a subagent stands behind the one that started it, set in', () => {
  const tree = [subagent('s1'), subagent('s1.1', { parentId: 's1' }), subagent('s2')];
  const rows = view(description('run_1', { tree, budget: budget(0) })).filter((line) => /\bs\d/.test(line));
  expect(rows.map((line) => /^ {2}\S (.{6})/.exec(line)?.[1])).toEqual(['s1    ', '  s1.1', 's2    ']);
});
