import { describe, expect, test } from '@jest/globals';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { TributaryError, type FailureCode } from '../../src/contract/failure.ts';
import { callCli } from '../support/cli-harness.ts';
import { budget, createFakeResearch, description, subagent, usage } from '../support/fake-research-api.ts';

/** A run that ended badly, and that answers a retry or a rerun with another one. */
function withEnded(options: { refuse?: [FailureCode, string]; status?: 'failed' | 'completed' } = {}) {
  const research = createFakeResearch();
  const earlier = research.place(
    description('run_1', { status: options.status ?? 'failed', tree: [subagent('s1', { status: 'done' })] }),
  );
  const next = research.place(description('run_1-2'));
  next.end('completed', {
    origin: { kind: 'retry', runId: 'run_1', spent: usage(9_400) },
    usage: usage(12_000),
    subagents: [
      { id: 's1', goal: 'G', status: 'reused', reusedFrom: 'run_1', usage: usage(0), turns: 0, toolCalls: 0 },
      { id: 's2', goal: 'H', status: 'done', again: 'it failed (provider)', usage: usage(90), turns: 1, toolCalls: 0 },
    ],
  });
  const asked: unknown[] = [];
  const handle = research.api.getHandle('run_1');
  const answer = async (asking: unknown) => {
    asked.push(asking);
    if (options.refuse) throw new TributaryError(...options.refuse);
    return research.api.getHandle('run_1-2');
  };
  Object.assign(handle, {
    retry: ({ signal: _, ...asking }: { signal: AbortSignal }) => answer(asking),
    rerun: ({ signal: _, ...asking }: { signal: AbortSignal }) => answer(asking),
  });
  return { research, earlier, asked };
}

const askedOf = async (...argv: string[]) => {
  const { research, asked } = withEnded();
  const { exitCode, stderr } = await callCli([...argv, '--detach'], { research });
  return { exitCode, problems: stderr.lines, asked: asked[0] };
};

describe('retry', () => {
  test('without flags changes nothing, follows the new run, and says what it reused and what the line has cost', async () => {
    const { research, asked } = withEnded();
    const { exitCode, stdout, stderr } = await callCli(['retry', 'run_1'], { research });
    expect(exitCode).toBe(0);
    expect(asked).toEqual([{}]);
    expect(stdout.text).toBe('# Report\n\nFound.[1]\n');
    expect(stderr.text).toContain('run run_1-2, a retry of run_1');
    expect(stderr.lines).toEqual(
      expect.arrayContaining([
        '  retry of run_1 · 1 reused, 1 not reused',
        '  spent 12,000 tokens, 9,400 of them before this run',
        '  s2 again: it failed (provider)',
      ]),
    );
  });

  test('--detach prints the new id alone, and says where no worker polls', async () => {
    const { research } = withEnded();
    research.hasWorker = false;
    const { exitCode, stdout, stderr, counts } = await callCli(['retry', 'run_1', '--detach'], { research });
    expect(exitCode).toBe(0);
    expect(stdout.text).toBe('run_1-2\n');
    expect(stderr.text).toContain('no worker polls task queue "tributary"');
    expect(stderr.text).toContain('tributary worker');
    expect(counts.workersStarted).toBe(0);
  });

  test('hands on what is given, and only that', async () => {
    expect((await askedOf('retry', 'run_1', '--budget-tokens', '5000', '--request-id', 'k')).asked).toEqual({
      input: { budget: { tokens: 5_000 } },
      requestId: 'k',
    });
    expect(
      (
        await askedOf(
          ...['retry', 'run_1', '--reuse', 's1, s2', '--question', 'Why?', '--instructions', 'In short.'],
          ...['--join', 'partial', '--on-exhausted', 'fail', '--block-site', 'example.org', '--allow', 'note'],
          ...['--synthesis-model', 'openai/a', '--max-turns', '3', '--parallel-tool-calls', 'off', '--tag', 'x'],
        )
      ).asked,
    ).toEqual({
      reuse: ['s1', 's2'],
      input: {
        question: 'Why?',
        instructions: 'In short.',
        join: { kind: 'partial' },
        budget: { onExhausted: 'fail' },
        web: { blockedSites: ['example.org'] },
        approvals: { allow: [{ tool: 'note' }] },
        models: { synthesis: 'openai/a' },
        maxTurns: 3,
        tools: { parallelToolCalls: false },
        tags: ['x'],
      },
    });
  });

  test('makes paths absolute, and asks for no address that the run before may have', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cli-'));
    await writeFile(join(folder, 'script.yaml'), 'x');
    const here = relative(process.cwd(), folder);
    const model = `scripted:${join(folder, 'script.yaml')}`;
    const { asked } = await askedOf(
      ...['retry', 'run_1', '--corpus', here, '--model', `scripted:${join(here, 'script.yaml')}`],
      ...['--planner-model', 'compatible/m'],
    );
    expect(asked).toEqual({
      input: { corpus: folder, models: { planner: 'compatible/m', subagent: model, synthesis: model } },
    });
  });

  test.each([
    [['--reuse', 'some'], '--reuse: wanted finished, none, or ids of subagents with commas such as s1,s2'],
    [['--subagent-model', 'scripted:nowhere.yaml'], '--subagent-model: wanted a file that can be read'],
    [['--corpus', 'nowhere'], '--corpus: wanted a folder of documents'],
    [['--budget-tokens', 'lots'], '--budget-tokens: wanted a whole number'],
    [['--title', 'x'.repeat(201)], '--title: wanted at most 200 characters'],
    [['--out', 'report.md'], '--out: wanted a run that is followed, came --detach'],
  ])('refuses %j before anything is started, and names the flag', async (flags, problem) => {
    const { exitCode, problems, asked } = await askedOf('retry', 'run_1', ...flags);
    expect(exitCode).toBe(2);
    expect(problems[0]).toContain(problem);
    expect(asked).toBeUndefined();
  });

  test('says how long a question may be', async () => {
    const { exitCode, problems } = await askedOf('retry', 'run_1', '--question', 'x'.repeat(20_001));
    expect(exitCode).toBe(2);
    expect(problems[0]).toContain('--question: wanted at most 20000 characters');
  });

  test('has no flag for the id of the new run', async () => {
    const { stdout } = await callCli(['retry', '--help']);
    expect(stdout.text).not.toContain('--run-id');
    expect(stdout.text).not.toContain('(default TRIBUTARY_MODEL');
  });

  test.each<[FailureCode, number, string[]]>([
    ['RUN_OPEN', 10, ['follow it:  tributary watch run_1', 'stop it:    tributary cancel run_1 --wait']],
    ['SUBAGENT_NOT_FOUND', 9, ['see them:  tributary show run_1']],
  ])('refused with %s exits %i and says what to do', async (code, exitCode, next) => {
    const { research } = withEnded({ refuse: [code, 'no'] });
    const call = await callCli(['retry', 'run_1'], { research });
    expect(call.exitCode).toBe(exitCode);
    expect(call.stderr.lines).toEqual(['error: no', ...next.map((line) => `  ${line}`)]);
  });

  test('of a completed run names the reruns that there are; one without means names a higher limit', async () => {
    const completed = withEnded({ refuse: ['INVALID_REQUEST', 'completed'], status: 'completed' });
    const call = await callCli(['retry', 'run_1'], { research: completed.research });
    expect(call.exitCode).toBe(2);
    expect(call.stderr.text).toContain('tributary rerun run_1 --from s1');
    expect(call.stderr.text).toContain('tributary rerun run_1 --from synthesis');
    const poor = withEnded({ refuse: ['INVALID_REQUEST', 'used up'] });
    const low = await callCli(['retry', 'run_1', '--budget-tokens', '10'], { research: poor.research });
    expect(low.stderr.text).toContain('with the limits of that run:  tributary retry run_1\n');
    poor.earlier.description = { ...poor.earlier.description, budget: budget(999_500) };
    const more = await callCli(['rerun', 'run_1', '--from', 's1'], { research: poor.research });
    expect(more.stderr.text).toContain('with more:  tributary rerun run_1 --from s1 --budget-tokens 1500000');
  });
});

describe('rerun', () => {
  const flags = ['--model', 'openai/a', '--instructions', 'In short.'];

  test('from a subagent edits that one', async () => {
    const { asked } = await askedOf('rerun', 'run_1', '--from', 's2', '--goal', 'Another', ...flags);
    expect(asked).toEqual({
      from: 's2',
      edit: { goal: 'Another', model: 'openai/a', instructions: 'In short.' },
    });
  });

  test('from the plan changes the input of all of it', async () => {
    const { asked } = await askedOf('rerun', 'run_1', '--from', 'plan', '--question', 'Why?', ...flags);
    const models = { planner: 'openai/a', subagent: 'openai/a', synthesis: 'openai/a' };
    expect(asked).toEqual({ from: 'plan', input: { models, instructions: 'In short.', question: 'Why?' } });
  });

  test('from the synthesis changes what writes the report', async () => {
    const { asked } = await askedOf('rerun', 'run_1', '--from', 'synthesis', ...flags, '--budget-tokens', '9000');
    expect(asked).toEqual({
      from: 'synthesis',
      input: { models: { synthesis: 'openai/a' }, instructions: 'In short.', budget: { tokens: 9_000 } },
    });
  });

  test.each([
    [[], '--from: wanted plan, synthesis, or the id of a subagent such as s2, came nothing'],
    [['--from', 'report'], '--from: wanted plan, synthesis, or the id of a subagent such as s2, came "report"'],
    [
      ['--from', 'plan', '--goal', 'G'],
      '--goal: wanted --from with a subagent such as s2, whose goal it is, came --from plan',
    ],
    [['--from', 's2', '--question', 'Q'], '--question: wanted --from plan with it'],
    [['--from', 'synthesis', '--subtask', 'T'], '--subtask: wanted --from plan with it'],
    [['--from', 's2', '--model', 'scripted:nowhere.yaml'], '--model: wanted a file that can be read'],
  ])('refuses %j', async (argv, problem) => {
    const { exitCode, problems, asked } = await askedOf('rerun', 'run_1', ...argv);
    expect(exitCode).toBe(2);
    expect(problems[0]).toContain(problem);
    expect(asked).toBeUndefined();
  });
});

test('--instructions of a new run arrive in its request', async () => {
  const { research } = await callCli(['start', 'q', '--instructions', ' In short. ', '--corpus', 'docs']);
  expect(research.runs[0]!.input).toMatchObject({ instructions: 'In short.' });
});

describe('what people see', () => {
  const successors = [{ kind: 'retry', runId: 'run_1-2', status: 'completed' }] as const;

  test('show tells lineage both ways, what was reused, and why the rest was done again', async () => {
    const research = createFakeResearch();
    research.place(
      description('run_2', {
        status: 'completed',
        origin: { kind: 'rerun', runId: 'run_1', from: 's3' },
        earlier: usage(9_400),
        tree: [
          subagent('s1', { status: 'reused', reusedFrom: 'run_1', findings: 2 }),
          subagent('s3', { status: 'done', again: 'the rerun begins with it' }),
        ],
      }),
    );
    research.place(description('run_1', { status: 'failed', successors }));
    const { stdout } = await callCli(['show', 'run_2'], { research });
    expect(stdout.text).toContain('rerun of run_1 from s3 · which had spent 9,400 tokens');
    expect(stdout.text).toContain('reused from run_1 · 2 findings\n');
    expect(stdout.text).toContain('again: the rerun begins with it');
    const old = await callCli(['show', 'run_1'], { research });
    expect(old.stdout.text).toContain('taken over by run_1-2 (retry, completed)');
    expect(old.stderr.text).not.toContain('tributary retry');
    const one = await callCli(['show', 'run_2', 's3'], { research });
    expect(one.stdout.text).toMatch(/again +the rerun begins with it/);
  });

  test('list marks a run that takes over another one', async () => {
    const research = createFakeResearch();
    research.place(description('run_1-2', { origin: { kind: 'retry', runId: 'run_1' } }));
    expect((await callCli(['list'], { research })).stdout.lines[1]).toContain('retry: Recycling capacity');
  });

  test.each([
    ['failed', 'retry what is missing:  tributary retry run_1'],
    ['cancelled', 'retry what is missing:  tributary retry run_1'],
    ['partial', 'retry the gaps only:  tributary retry run_1'],
  ] as const)('the end of a run that is %s names the retry', async (status, line) => {
    const research = createFakeResearch();
    research.onStart = (run) => run.end(status);
    const { stderr } = await callCli(['run', 'q', '--corpus', 'docs', '--run-id', 'run_1'], { research });
    expect(stderr.text).toContain(`${line}\n`);
  });

  test('a run that is short of budget is retried with more of it', async () => {
    const research = createFakeResearch();
    const gaps = [{ subagentId: 's2', goal: 'Policy', status: 'skipped', reason: 'budget' }] as const;
    research.onStart = (run) => run.end('partial', { gaps: [...gaps] });
    const { stderr } = await callCli(['run', 'q', '--corpus', 'docs', '--run-id', 'run_1'], { research });
    expect(stderr.text).toContain('tributary retry run_1 --budget-tokens 1500000');
  });
});
