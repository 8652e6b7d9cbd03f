import { describe, expect, test } from '@jest/globals';
import { TributaryError } from '../../src/contract/failure.ts';
import { callCli } from '../support/cli-harness.ts';
import { createFakeResearch } from '../support/fake-research-api.ts';

const server = { address: '127.0.0.1:7233', version: '1.9.1', pid: 7, alive: true, uiUrl: 'http://127.0.0.1:8233' };
const running = { readServer: async () => server };
const run = { subagents: 2, tokens: 24_000, usd: 0.4, toolCalls: 12, wallClockMs: 65_000 };
function createPast(runs: number) {
  const research = createFakeResearch();
  research.pastRuns = Array.from({ length: runs }, () => run);
  return research;
}

describe('estimate', () => {
  test('says what a run may use and what that rests on, and starts nothing', async () => {
    const argv = ['estimate', 'q', '--corpus', 'docs', '--subtask', 'a', '--subtask', 'b'];
    const { exitCode, stdout, research, counts } = await callCli(argv, {
      research: createPast(31),
      installation: running,
    });
    expect(exitCode).toBe(0);
    expect(stdout.lines).toEqual([
      'subagents   2',
      'tokens      24,000',
      'cost        $0.40',
      'tool calls  12',
      'time        1m05s',
      'based on    31 finished runs of this model',
    ]);
    expect(research.runs).toEqual([]);
    expect(counts).toMatchObject({ opened: 1, closed: 1, workersStarted: 0 });
  });

  test('shows both ends of a range, in letters that the terminal has', async () => {
    const argv = ['estimate', 'q', '--corpus', 'docs', '--max-subagents', '4'];
    expect((await callCli(argv)).stdout.text).toContain('subagents   1 – 4\n');
    expect((await callCli(argv, { env: { LANG: 'C' } })).stdout.text).toContain('subagents   1 - 4\n');
  });

  test('is made from bounds where no server is running, and starts none', async () => {
    for (const readServer of [async () => null, async () => ({ ...server, alive: false })]) {
      const { exitCode, stdout, stderr, counts } = await callCli(['estimate', 'q', '--json'], {
        research: createPast(31),
        installation: { readServer },
      });
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout.text)).toMatchObject({ type: 'estimate', basis: { kind: 'bounds' }, wallClockMs: null });
      expect(stderr.text).toContain('no server is running, so finished runs are not read');
      expect(counts.opened).toBe(0);
    }
  });

  test('says nothing of a server where no run was ever started', async () => {
    const { stderr } = await callCli(['estimate', 'q'], { installation: { hasState: () => false } });
    expect(stderr.text).toBe('');
  });

  test('asks a cluster, and is made from bounds where that does not answer', async () => {
    const installation = { cluster: { address: 'temporal:7233', namespace: 'research' } };
    const asked = await callCli(['estimate', 'q', '--json'], { research: createPast(3), installation });
    expect(JSON.parse(asked.stdout.text).basis).toEqual({ kind: 'past-runs', runs: 3 });
    const openError = new TributaryError('SERVER_UNREACHABLE', 'no Temporal server answers at temporal:7233');
    const away = await callCli(['estimate', 'q', '--json'], { installation, openError });
    expect(away.exitCode).toBe(0);
    expect(JSON.parse(away.stdout.text).basis).toEqual({ kind: 'bounds' });
    expect(away.stderr.text).toContain('finished runs cannot be read: no Temporal server answers at temporal:7233');
  });

  test('looks for runs of the model of the subagents', async () => {
    const argv = ['estimate', 'q', '--model', 'openai/a', '--subagent-model', 'google/b'];
    expect((await callCli(argv, { installation: running })).research.estimated).toEqual(['google/b']);
  });

  test('does not call a price that nobody knows nothing', async () => {
    const { stdout } = await callCli(['estimate', 'q', '--model', 'openai/new'], {
      installation: { ratesOf: () => null },
    });
    expect(stdout.text).toContain('cost        price not known\n');
  });

  test.each([
    [['--budget-tokens', 'lots'], '--budget-tokens: wanted a whole number'],
    [['--corpus', '/nowhere/at/all'], '--corpus: wanted a folder of documents'],
    [['--request-id', ' '], '--request-id'],
  ])('refuses %j as run does', async (flags, problem) => {
    const estimate = await callCli(['estimate', 'q', ...flags], { installation: running });
    const started = await callCli(['run', 'q', ...flags]);
    expect(estimate.stderr.lines[0]).toContain(problem);
    expect(estimate.stderr.lines[0]).toBe(started.stderr.lines[0]);
    expect(estimate.exitCode).toBe(started.exitCode);
    expect(estimate.exitCode).toBe(2);
    expect(estimate.counts.opened).toBe(0);
  });
});
