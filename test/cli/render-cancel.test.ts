import { describe, expect, test } from '@jest/globals';
import { renderMayStillRun, renderRunCancel, renderSubagentCancel } from '../../src/cli/view/render-cancel.ts';
import { renderDescription, renderSubagentDescription } from '../../src/cli/view/render-description.ts';
import { renderSummary } from '../../src/cli/view/render-summary.ts';
import type { RunCancel, SubagentCancel } from '../../src/contract/cancel-proof.ts';
import { callCli } from '../support/cli-harness.ts';
import { createFakeResearch, description, result, subagent } from '../support/fake-research-api.ts';

const nowMs = Date.parse('2026-11-30T12:12:04.000Z');
const style = { colour: false, unicode: true };
const at = (ms: number) => new Date(Date.UTC(2026, 10, 30, 12) + ms).toISOString();

const runCancel: RunCancel = {
  requestedAt: at(0),
  acknowledgedAt: at(100),
  lastSocketClosedAt: at(500),
  openSockets: 0,
  tokensAfter: 1_234,
  estimated: true,
  subagents: 6,
  stopped: 6,
  stoppedAt: at(600),
  mayStillRun: [],
};
const oneCancel: SubagentCancel = {
  requestedAt: at(0),
  acknowledgedAt: at(120),
  lastSocketClosedAt: at(340),
  openSockets: 0,
  tokensAfter: 1,
  estimated: false,
  mayStillRun: [{ callId: 't1c1', tool: 'look\u001b[2J' }],
};
const withDeaf: RunCancel = { ...runCancel, mayStillRun: [{ subagentId: 's2', callId: 't1c1', tool: 'lookup' }] };
const deaf = 's2 lookup (t1c1) may still be running: it ignored its abort signal';

describe('the words of a cancel', () => {
  const cases: [string, Partial<RunCancel>, string][] = [
    [
      'all stopped',
      {},
      'stopped 6 of 6 subagents in 0.6s; last socket closed 0.5s after the request; 1,234 tokens paid after it (estimated)',
    ],
    [
      'no subagent and no socket',
      { subagents: 0, stopped: 0, lastSocketClosedAt: null, tokensAfter: 0, estimated: false },
      'stopped in 0.6s; no socket was open; 0 tokens paid after it',
    ],
    [
      'on its way',
      { stopped: 2, stoppedAt: null, lastSocketClosedAt: null, openSockets: 1 },
      'stopped 2 of 6 subagents; 1 socket not seen to close; 1,234 tokens paid after it (estimated)',
    ],
    [
      'not yet begun',
      { subagents: 0, stopped: 0, stoppedAt: null, lastSocketClosedAt: null, tokensAfter: 0, estimated: false },
      'stopping; no socket was open; 0 tokens paid after it',
    ],
    [
      'a long one',
      { subagents: 1, stopped: 1, stoppedAt: at(65_000), lastSocketClosedAt: at(12_000) },
      'stopped 1 of 1 subagent in 1m05s; last socket closed 12s after the request; 1,234 tokens paid after it (estimated)',
    ],
  ];
  test.each(cases)('of a run: %s', (_, parts, text) => {
    expect(renderRunCancel({ ...runCancel, ...parts })).toBe(text);
  });

  test('of a subagent, also one that has not answered', () => {
    expect(renderSubagentCancel(oneCancel)).toBe(
      'acknowledged after 0.1s; last socket closed 0.3s after the request; 1 token paid after it',
    );
    expect(renderSubagentCancel({ ...oneCancel, acknowledgedAt: null })).toMatch(/^not acknowledged; /);
  });

  test('of calls that were let go: whose they are, and nothing that a terminal obeys', () => {
    expect(renderMayStillRun(withDeaf)).toEqual([deaf]);
    // eslint-disable-next-line no-control-regex
    expect(renderMayStillRun(oneCancel).join('')).toMatch(/^look[^\x00-\x1f]*\(t1c1\)/);
  });
});

describe('where it is told', () => {
  const line = `  ${renderRunCancel(runCancel)}`;

  test('show: below the request, and at each subagent that was told', () => {
    const tree = [subagent('s1', { status: 'cancelled', cancel: oneCancel }), subagent('s2')];
    const run = description('run_1', { status: 'cancelled', cancelRequestedAt: at(0), cancel: withDeaf, tree });
    const lines = renderDescription(run, { nowMs, style });
    const asked = lines.findIndex((each) => each.includes('asked for at'));
    expect(lines.slice(asked + 1, asked + 3).map((each) => each.trim())).toEqual([line.trim(), deaf]);
    expect(lines.filter((each) => each.includes('cancel: acknowledged after 0.1s'))).toHaveLength(1);
  });

  test('show of one subagent', () => {
    const lines = renderSubagentDescription(subagent('s1', { cancel: oneCancel }), { nowMs, style });
    expect(lines.join('\n')).toContain(renderSubagentCancel(oneCancel));
    expect(lines.join('\n')).toContain('(t1c1) may still be running');
  });

  test('the summary at the end of a run', () => {
    const options = { style, toCommand: (...words: string[]) => words.join(' ') };
    const lines = renderSummary(result('run_1', 'cancelled', { cancel: withDeaf }), options);
    expect(lines).toContain(line);
    expect(lines).toContain(`  ${deaf}`);
  });

  test('cancel --wait, as a line and in the document', async () => {
    const open = () => {
      const research = createFakeResearch();
      research.place(description('run_1', { cancel: withDeaf }));
      return research;
    };
    const told = await callCli(['cancel', 'run_1', '--wait'], { research: open() });
    expect(told.stdout.text.split('\n').slice(1)).toEqual([line, `  ${deaf}`, '']);
    const { stdout } = await callCli(['cancel', 'run_1', '--wait', '--json'], { research: open() });
    expect(JSON.parse(stdout.text)).toMatchObject({ status: 'cancelled', cancel: withDeaf });
  });
});
