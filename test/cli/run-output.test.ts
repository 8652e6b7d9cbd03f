import { describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TributaryError } from '../../src/contract/failure.ts';
import { callCli, startCli, type CliOptions } from '../support/cli-harness.ts';
import { createFakeResearch, result, subagent, type FakeRun } from '../support/fake-research-api.ts';

const ending = (end: (run: FakeRun) => void): CliOptions => {
  const research = createFakeResearch();
  research.onStart = end;
  return { research };
};
const statuses = [
  ['completed', 0],
  ['partial', 5],
  ['failed', 3],
  ['timed-out', 3],
  ['terminated', 3],
  ['cancelled', 6],
] as const;

test('stdout is the report and nothing else', async () => {
  const { stdout, stderr } = await callCli(
    ['run', 'q'],
    ending((run) => run.end('completed')),
  );
  expect(stdout.text).toBe('# Report\n\nFound.[1]\n');
  expect(stderr.text).toContain(
    '✓ Completed in 14s · 41,203 of 1,000,000 tokens · 1.00 tool calls per message · 1 source, 1 cited',
  );
});

test.each(statuses)(
  'a run that ends %s exits %i in every format, and the document says so',
  async (status, exitCode) => {
    const end = () => ending((run) => run.end(status));
    expect((await callCli(['run', 'q'], end())).exitCode).toBe(exitCode);
    const json = await callCli(['run', 'q', '--json'], end());
    expect(json.exitCode).toBe(exitCode);
    expect(JSON.parse(json.stdout.text)).toEqual(result('run_1', status));
    const jsonl = await callCli(['run', 'q', '-o', 'jsonl'], end());
    expect(jsonl.exitCode).toBe(exitCode);
    const events = jsonl.stdout.lines.map((line) => JSON.parse(line));
    expect(events[0].type).toBe('snapshot');
    expect(events.filter((event) => event.type === 'result')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'result', status, exitCode, result: { status, exitCode } });
  },
);

test('--allow-partial makes a partial run good, in the exit code and in the document', async () => {
  const end = ending((run) => run.end('partial'));
  const { exitCode, stdout } = await callCli(['run', 'q', '--allow-partial', '--json'], end);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout.text)).toMatchObject({ status: 'partial', exitCode: 0 });
});

test('gaps are named on stderr, with the reason', async () => {
  const { stderr } = await callCli(
    ['run', 'q'],
    ending((run) => run.end('partial')),
  );
  expect(stderr.text).toContain('gaps: s2 Policy (failed: rate-limit)');
});

test('--quiet leaves stderr empty for a run that completes, and one error for a run that fails', async () => {
  const good = await callCli(
    ['run', 'q', '-q'],
    ending((run) => run.end('completed')),
  );
  expect(good.stderr.text).toBe('');
  const bad = await callCli(
    ['run', 'q', '-q'],
    ending((run) => run.end('failed')),
  );
  expect(bad.stderr.lines).toEqual(['error: run_1 failed', '  join all: s1 failed']);
});

test('--out writes the report to a file and leaves stdout empty', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'cli-')), 'report.md');
  const { stdout, exitCode } = await callCli(
    ['run', 'q', '--out', file],
    ending((run) => run.end('completed')),
  );
  expect(exitCode).toBe(0);
  expect(stdout.text).toBe('');
  expect(await readFile(file, 'utf8')).toBe('# Report\n\nFound.[1]\n');
});

test('a report that cannot be written goes to stdout, and the exit code is 1', async () => {
  const { stdout, stderr, exitCode } = await callCli(
    ['run', 'q', '--out', '/dev/full'],
    ending((run) => run.end('completed')),
  );
  expect(exitCode).toBe(1);
  expect(stdout.text).toContain('# Report');
  expect(stderr.text).toContain('error: --out:');
});

describe('without a terminal', () => {
  test('the log has one line per change of state and no escape sequence', async () => {
    const call = await callCli(
      ['run', 'q'],
      ending((run) => {
        run.emit({ type: 'run-status', status: 'running' });
        run.emit({ type: 'subagent-status', subagentId: 's1', status: 'running', attempt: 1 });
        for (let index = 0; index < 20; index += 1) {
          run.emit({ type: 'tool-call-started', subagentId: 's1', toolCallId: `t${index}`, tool: 'x', input: '' });
        }
        run.emit({ type: 'subagent-status', subagentId: 's1', status: 'failed', attempt: 1, reason: 'rate-limit' });
        run.end('failed');
      }),
    );
    expect(call.stderr.text).not.toContain('\u001b');
    const changes = call.stderr.lines.filter((line) => /^\d\d:\d\d:\d\d (run|s1) /.test(line));
    expect(changes.map((line) => line.slice(9))).toEqual(['run running', 's1 running', 's1 failed    rate-limit']);
  });

  test('FORCE_COLOR and --color always colour it, --no-color wins over FORCE_COLOR', async () => {
    const end = () => ending((run) => run.end('completed'));
    const colours = async (argv: string[], env: Record<string, string>) =>
      (await callCli(argv, { ...end(), env })).stderr.text.includes('\u001b[');
    expect(await colours(['run', 'q'], { FORCE_COLOR: '1' })).toBe(true);
    expect(await colours(['run', 'q', '--color', 'always'], { NO_COLOR: '1' })).toBe(true);
    expect(await colours(['run', 'q', '--no-color'], { FORCE_COLOR: '1' })).toBe(false);
  });

  test('a locale without Unicode gets ASCII marks', async () => {
    const { stderr } = await callCli(['run', 'q'], { ...ending((run) => run.end('completed')), env: { LANG: 'C' } });
    expect(stderr.text).toContain('[ok] Completed in 14s - 41,203');
    expect([...stderr.text].every((sign) => sign.charCodeAt(0) < 128)).toBe(true);
  });
});

test.each([[{ CI: 'true' }], [{ TERM: 'dumb' }]])(
  'a terminal under %j is not redrawn and not coloured',
  async (env) => {
    const options = { ...ending((run) => run.end('completed')), env, stderr: { isTTY: true, columns: 80, rows: 24 } };
    expect((await callCli(['run', 'q'], options)).stderr.text).not.toContain('\u001b');
  },
);

test('NO_COLOR takes the colour from a terminal', async () => {
  const options = { stdout: { isTTY: true, columns: 80 } };
  const list = async (env: Record<string, string>) => {
    const research = createFakeResearch();
    await callCli(['start', 'q'], { research });
    return (await callCli(['list'], { ...options, research, env })).stdout.text;
  };
  expect(await list({})).toContain('\u001b[');
  expect(await list({ NO_COLOR: '1' })).not.toContain('\u001b[');
});

describe('what a model writes', () => {
  const evil = 'a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\u202e\re';

  test('reaches neither the terminal nor the report with control characters in it', async () => {
    const call = await callCli(
      ['run', 'q'],
      ending((run) => {
        run.emit({ type: 'plan-approved', subtasks: [{ id: 's1', goal: evil }] });
        run.emit({ type: 'subagent-status', subagentId: 's1', status: 'running', attempt: 1 });
        run.end('partial', { report: `# ${evil}`, gaps: [{ subagentId: 's1', goal: evil, status: 'failed' }] });
      }),
    );
    // eslint-disable-next-line no-control-regex
    const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
    expect(call.stdout.text).not.toMatch(controls);
    expect(call.stderr.text).not.toMatch(controls);
  });

  test('is escaped in JSON', async () => {
    const { stdout } = await callCli(
      ['run', 'q', '--json'],
      ending((run) => run.end('completed', { report: evil })),
    );
    // eslint-disable-next-line no-control-regex
    expect(stdout.text).not.toMatch(/[\u001b\u009b]/);
    expect(JSON.parse(stdout.text).report).toBe(evil);
  });
});

describe('trouble', () => {
  const lost = new TributaryError('SERVER_UNREACHABLE', 'no Temporal server answers at 127.0.0.1:7233');
  const lose = () => ending((run) => run.breakWatch(lost));

  test('a server that is lost on the way is an error with what to do next', async () => {
    const { exitCode, stdout, stderr, counts } = await callCli(['run', 'q'], lose());
    expect(exitCode).toBe(1);
    expect(stdout.text).toBe('');
    expect(stderr.text).toContain('error: no Temporal server answers');
    expect(stderr.text).toContain('tributary doctor');
    expect(counts.closed).toBe(1);
  });

  test('--json prints one document for it, jsonl ends in one result', async () => {
    const json = await callCli(['run', 'q', '--json'], lose());
    expect(JSON.parse(json.stdout.text)).toMatchObject({
      type: 'error',
      exitCode: 1,
      error: { code: 'SERVER_UNREACHABLE', runId: 'run_1' },
    });
    const jsonl = await callCli(['run', 'q', '-o', 'jsonl'], lose());
    const events = jsonl.stdout.lines.map((line) => JSON.parse(line));
    expect(events.map((event) => event.type)).toEqual(['snapshot', 'result']);
    expect(events[1]).toMatchObject({ runId: 'run_1', status: 'running', exitCode: 1, error: { code: lost.code } });
  });

  test('a server that cannot be reached at all is told in the same way', async () => {
    const jsonl = await callCli(['run', 'q', '-o', 'jsonl'], { openError: lost });
    expect(jsonl.exitCode).toBe(1);
    expect(jsonl.stdout.lines.map((line) => JSON.parse(line).type)).toEqual(['result']);
  });

  test('a refused flag ends a jsonl stream in one result too', async () => {
    for (const flags of [['--nonsense'], ['--max-turns', 'x']]) {
      const { stdout, exitCode } = await callCli(['run', 'q', '-o', 'jsonl', ...flags]);
      expect(exitCode).toBe(2);
      expect(stdout.lines.map((line) => JSON.parse(line))).toMatchObject([{ type: 'result', exitCode: 2 }]);
    }
  });

  test('the stack is shown with -v alone', async () => {
    expect((await callCli(['run', 'q'], lose())).stderr.text).not.toContain('    at ');
    expect((await callCli(['run', 'q', '-v'], lose())).stderr.text).toContain('    at ');
  });

  test('an own worker that fails ends the command', async () => {
    const research = createFakeResearch();
    research.hasWorker = false;
    const call = startCli(['run', 'q'], { research });
    while (call.counts.workersStarted === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    call.failWorker(new Error('the bundle is broken'));
    expect(await call.exit).toBe(1);
    expect(call.stderr.text).toContain('error: the bundle is broken');
    expect(call.counts.closed).toBe(1);
  });
});

test('a reader that goes away ends the command silently with 0', async () => {
  const research = createFakeResearch();
  const call = startCli(['run', 'q', '-o', 'jsonl'], { research });
  call.stdout.closeAfter = 1;
  while (research.runs.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  research.runs[0]!.emit({ type: 'subagent-status', subagentId: 's1', status: 'running', attempt: 1 });
  expect(await call.exit).toBe(0);
  expect(call.stderr.text).toBe('');
  expect(call.counts.closed).toBe(1);
});

test('a terminal shows the subagents, and the view is gone before the report comes', async () => {
  const research = createFakeResearch();
  const call = startCli(['run', 'q'], { research, stderr: { isTTY: true, columns: 80, rows: 24 } });
  while (research.runs.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const run = research.runs[0]!;
  run.description = { ...run.description, tree: [subagent('s1')] };
  run.emit({ type: 'subagent-status', subagentId: 's1', status: 'running', attempt: 1 });
  while (!call.stderr.text.includes('Ctrl-C detaches')) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(call.stderr.text).toContain('◐');
  run.end('completed');
  expect(await call.exit).toBe(0);
  expect(call.stdout.text).not.toContain('\u001b');
  expect(call.stderr.text.split('\u001b[2K').at(-1)).toContain('Completed in');
});
