import { describe, expect, test } from '@jest/globals';
import { TributaryError } from '../../src/contract/failure.ts';
import { callCli, startCli, until } from '../support/cli-harness.ts';
import { createFakeResearch, description, subagent, type FakeResearch } from '../support/fake-research-api.ts';

function withRuns(): FakeResearch {
  const research = createFakeResearch();
  research.hasWorker = false;
  research.place(
    description('run_1', {
      tree: [
        subagent('s1', { status: 'done', findings: 6 }),
        subagent('s2', { status: 'failed', reason: 'rate-limit' }),
      ],
      subagents: { done: 1, failed: 1, running: 2 },
      spentTokens: 41_203,
    }),
  );
  research.place(description('run_2', { title: 'Permits', status: 'completed' })).end('completed');
  return research;
}

describe('list', () => {
  test('is a table, with status in words and subagents counted', async () => {
    const { stdout, exitCode } = await callCli(['list'], { research: withRuns() });
    expect(exitCode).toBe(0);
    expect(stdout.lines[0]).toMatch(/^RUN +STATUS +QUESTION +SUBAGENTS +SPEND +STARTED$/);
    expect(stdout.lines[1]).toMatch(/^run_1 +◐ running +Recycling capacity +2\/4 +41\.2k\/1M tok +\S+ ago$/);
    expect(stdout.lines[2]).toContain('✓ completed');
  });

  test('fits a terminal', async () => {
    const research = createFakeResearch();
    research.place(description('run_1', { title: 'x'.repeat(190) }));
    const { stdout } = await callCli(['list'], { research, stdout: { isTTY: true, columns: 80 } });
    expect(Math.max(...stdout.lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('--json is an array, also of nothing; jsonl is one run a line', async () => {
    const { stdout } = await callCli(['list', '--json'], { research: withRuns() });
    expect(JSON.parse(stdout.text).map((run: { runId: string }) => run.runId)).toEqual(['run_1', 'run_2']);
    expect(JSON.parse((await callCli(['list', '--json'])).stdout.text)).toEqual([]);
    const lines = (await callCli(['ls', '-o', 'jsonl'], { research: withRuns() })).stdout.lines;
    expect(lines.map((line) => JSON.parse(line).runId)).toEqual(['run_1', 'run_2']);
  });

  test('hands its filters to the client', async () => {
    const research = withRuns();
    const argv = ['list', '--status', 'failed,partial', '--status', 'running', '--since', '2d', '--limit', '5'];
    expect((await callCli(argv, { research })).exitCode).toBe(0);
    const filter = research.filters[0]!;
    expect(filter).toMatchObject({ status: ['failed', 'partial', 'running'], limit: 5 });
    expect(Date.now() - Date.parse(filter.startedAfter!)).toBeGreaterThanOrEqual(2 * 86_400_000);
  });

  test('refuses an unknown status and names the known ones', async () => {
    const { exitCode, stderr } = await callCli(['list', '--status', 'done,failed']);
    expect(exitCode).toBe(2);
    expect(stderr.lines[0]).toContain('--status: wanted some of queued, planning');
  });

  test('of a folder without state is empty and starts no server', async () => {
    const { exitCode, stdout, counts } = await callCli(['list', '--json'], { installation: { hasState: () => false } });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout.text)).toEqual([]);
    expect(counts.opened).toBe(0);
  });
});

test.each(['show', 'watch', 'result', 'cancel'])(
  '%s of an unknown run exits 9 and says how to find one',
  async (command) => {
    const { exitCode, stderr } = await callCli([command, 'run_404']);
    expect(exitCode).toBe(9);
    expect(stderr.lines).toEqual(['error: no run run_404', '  see the runs:  tributary list']);
    const empty = await callCli([command, 'run_404'], { installation: { hasState: () => false } });
    expect(empty.exitCode).toBe(9);
    expect(empty.counts.opened).toBe(0);
  },
);

describe('show', () => {
  test('tells the tree with statuses, reasons and usage', async () => {
    const { stdout } = await callCli(['show', 'run_1'], { research: withRuns() });
    expect(stdout.text).toContain('Recycling capacity · running');
    expect(stdout.text).toContain('✓ s1  Goal of s1');
    expect(stdout.text).toContain('6 findings · 1 turn · 3 tool calls · 1,200 of 150,000 tokens');
    expect(stdout.text).toContain('failed (rate-limit)');
  });

  test('--json is the description that the client gives', async () => {
    const research = withRuns();
    const { stdout } = await callCli(['show', 'run_1', '--json'], { research });
    expect(JSON.parse(stdout.text)).toEqual(research.runs[0]!.description);
  });

  test('takes a subagent, and exits 9 for one that is not there', async () => {
    const one = await callCli(['show', 'run_1', 's2', '--json'], { research: withRuns() });
    expect(JSON.parse(one.stdout.text)).toMatchObject({ id: 's2', status: 'failed' });
    const none = await callCli(['show', 'run_1', 's7'], { research: withRuns() });
    expect(none.exitCode).toBe(9);
    expect(none.stderr.text).toContain('It has s1, s2.');
  });
});

describe('result', () => {
  test('prints the report of an ended run', async () => {
    const { exitCode, stdout } = await callCli(['result', 'run_2'], { research: withRuns() });
    expect(exitCode).toBe(0);
    expect(stdout.text).toBe('# Report\n\nFound.[1]\n');
  });

  test('of a run that goes on exits 8 and says how to wait', async () => {
    const { exitCode, stderr, stdout } = await callCli(['result', 'run_1'], { research: withRuns() });
    expect(exitCode).toBe(8);
    expect(stdout.text).toBe('');
    expect(stderr.text).toContain('tributary result run_1 --wait');
  });

  test('equals the document of run --json', async () => {
    const research = createFakeResearch();
    research.onStart = (run) => run.end('partial');
    const run = await callCli(['run', 'q', '--json'], { research });
    const again = await callCli(['result', '@last', '--json'], { research });
    expect(JSON.parse(again.stdout.text)).toEqual(JSON.parse(run.stdout.text));
    expect(again.exitCode).toBe(5);
  });
});

describe('cancel', () => {
  test('off a terminal cancels without asking, with its reason', async () => {
    const research = withRuns();
    const { exitCode, stdout } = await callCli(['cancel', 'run_1', '--reason', 'too dear'], { research });
    expect(exitCode).toBe(0);
    expect(stdout.text).toBe('◌ run_1 cancelling: s1, s2 told to stop\n');
    expect(research.runs[0]!.cancels).toMatchObject([{ subagentId: null, options: { reason: 'too dear' } }]);
  });

  test('--subagent reaches one alone; --json tells what it hit', async () => {
    const research = withRuns();
    const argv = ['cancel', 'run_1', '--subagent', 's2', '--wait', '--json'];
    const { stdout } = await callCli(argv, { research });
    expect(JSON.parse(stdout.text)).toEqual({
      type: 'cancel',
      runId: 'run_1',
      subagentId: 's2',
      status: 'cancelled',
      affected: ['s2'],
      exitCode: 0,
    });
    expect(research.runs[0]!.cancels).toMatchObject([{ subagentId: 's2', options: { wait: true } }]);
  });

  test('of an ended run exits 10 and says how it ended', async () => {
    const { exitCode, stderr } = await callCli(['cancel', 'run_2'], { research: withRuns() });
    expect(exitCode).toBe(10);
    expect(stderr.text).toContain('error: run_2 has already ended: completed');
  });

  test.each([
    ['y\n', 1],
    ['n\n', 0],
    ['\n', 0],
  ])('on a terminal asks first: %j makes %i cancels', async (answer, cancels) => {
    const research = withRuns();
    const call = startCli(['cancel', 'run_1'], { research, stdinIsTty: true, stderr: { isTTY: true, columns: 80 } });
    await until(() => call.stderr.text.includes('[y/N]'));
    call.stdin.write(answer);
    expect(await call.exit).toBe(0);
    expect(research.runs[0]!.cancels).toHaveLength(cancels);
  });

  test('Ctrl-C at the question cancels nothing', async () => {
    const research = withRuns();
    const call = startCli(['cancel', 'run_1'], { research, stdinIsTty: true, stderr: { isTTY: true, columns: 80 } });
    await until(() => call.stderr.text.includes('[y/N]'));
    call.kill('SIGINT');
    expect(await call.exit).toBe(130);
    expect(research.runs[0]!.cancels).toHaveLength(0);
  });
});

describe('dev --reset', () => {
  test('off a terminal needs -y, exits 7 and prints the command', async () => {
    const { exitCode, stderr, counts } = await callCli(['dev', '--reset', '--data-dir', 'd']);
    expect(exitCode).toBe(7);
    expect(stderr.text).toContain('tributary dev --reset -y --data-dir d');
    expect(counts).toMatchObject({ resets: 0, opened: 0 });
  });

  test('with -y removes the state and goes on', async () => {
    const call = startCli(['dev', '--reset', '-y']);
    await until(() => call.stderr.text.includes('Ctrl-C stops'));
    call.kill('SIGINT');
    expect(await call.exit).toBe(0);
    expect(call.counts.resets).toBe(1);
    expect(call.stderr.text).toContain('127.0.0.1:7233');
    expect(call.stderr.text).toContain('http://127.0.0.1:8233');
  });

  test('refuses a cluster', async () => {
    const installation = { cluster: { address: 'cluster:7233', namespace: 'default' } };
    const { exitCode, counts } = await callCli(['dev', '--reset', '-y'], { installation });
    expect(exitCode).toBe(2);
    expect(counts.resets).toBe(0);
  });
});

describe('doctor', () => {
  test('is ready without a server, and starts none', async () => {
    const { exitCode, stdout, counts } = await callCli(['doctor']);
    expect(exitCode).toBe(0);
    expect(stdout.text).toContain('not running; whoever needs it first starts it');
    expect(stdout.lines.at(-1)).toBe('ready');
    expect(counts.opened).toBe(0);
  });

  test('says what is wrong and exits 1', async () => {
    const installation = {
      findBinary: async () => {
        throw new TributaryError('SERVER_BINARY', 'found none\n  PATH: no program');
      },
      model: 'scripted:/no/such.yaml',
    };
    const { exitCode, stdout } = await callCli(['doctor', '--json'], { installation });
    expect(exitCode).toBe(1);
    const document = JSON.parse(stdout.text);
    expect(document.usable).toBe(false);
    const failed = document.checks.filter((check: { state: string }) => check.state === 'failed');
    expect(failed.map((check: { name: string }) => check.name)).toEqual(['binary', 'model']);
  });

  test('asks a living server for its worker, and shows names of variables, never values', async () => {
    const server = {
      address: '127.0.0.1:7233',
      version: '1.32.0',
      pid: 7,
      alive: true,
      uiUrl: 'http://127.0.0.1:8233',
    };
    const research = createFakeResearch();
    research.hasWorker = false;
    const { stdout, counts } = await callCli(['doctor'], {
      research,
      installation: { readServer: async () => server },
      env: { TEMPORAL_API_KEY: 'SECRET' },
    });
    expect(stdout.text).toContain('embedded 1.32.0 at 127.0.0.1:7233 (pid 7)');
    expect(stdout.text).toContain('none polls task queue "tributary"');
    expect(stdout.text).toContain('TEMPORAL_API_KEY');
    expect(stdout.text).not.toContain('SECRET');
    expect(counts).toMatchObject({ opened: 1, closed: 1 });
  });

  test('an unreachable cluster is not usable', async () => {
    const { exitCode, stdout } = await callCli(['doctor'], {
      installation: { cluster: { address: 'cluster:7233', namespace: 'default' } },
      openError: new TributaryError('SERVER_UNREACHABLE', 'no Temporal server answers at cluster:7233'),
    });
    expect(exitCode).toBe(1);
    expect(stdout.text).toContain('cluster cluster:7233: no Temporal server answers');
  });
});

describe('help', () => {
  test.each(['output', 'exit-codes', 'environment', 'events', 'defaults'])('has the topic %s', async (topic) => {
    const { exitCode, stdout, counts } = await callCli(['help', topic]);
    expect(exitCode).toBe(0);
    expect(stdout.lines.length).toBeGreaterThan(5);
    expect(counts.opened).toBe(0);
  });

  test('events --json is a JSON schema, defaults --json the defaults', async () => {
    const schema = JSON.parse((await callCli(['help', 'events', '--json'])).stdout.text);
    expect(schema.$schema).toContain('json-schema.org');
    expect(JSON.parse((await callCli(['help', 'defaults', '--json'])).stdout.text)).toMatchObject({ maxSubagents: 6 });
  });

  test('of a command is its usage, and of nothing the commands', async () => {
    expect((await callCli(['help', 'run'])).stdout.text).toContain('--budget-tokens <n>');
    expect((await callCli([])).stdout.text).toContain('Commands:');
    expect((await callCli(['help', 'nothing'])).exitCode).toBe(2);
    expect(JSON.parse((await callCli(['run', '--help', '--json'])).stdout.text).type).toBe('help');
  });

  test('-V prints the version', async () => {
    expect((await callCli(['-V'])).stdout.text).toBe('1.2.3\n');
    expect((await callCli(['run', '--version'])).stdout.text).toBe('1.2.3\n');
  });
});
