import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunResult } from '../../src/contract/result.ts';
import type { RunDescription } from '../../src/contract/run-view.ts';
import { Installation } from '../support/built-cli.ts';

const search = { calls: [{ tool: 'corpus_search', arguments: { query: 'river' } }] };
const failing = { latency: '8s', fail: { code: 'MODEL_AUTH', message: 'no such key' } };
const hanging = { hang: true };

/** A run whose subagents each search and then answer; the model's name, its path, stays when its file is corrected. */
class Line {
  private readonly installation: Installation;
  private readonly name: string;
  private readonly count: number;
  runId = '';
  before: string[] = [];

  constructor(installation: Installation, name: string, count: number) {
    this.installation = installation;
    this.name = name;
    this.count = count;
  }

  get script(): string {
    return join(this.installation.folder, `${this.name}.json`);
  }

  /** `trouble`: what the second turn of `whose` comes to. */
  async write(whose?: string, trouble?: object): Promise<void> {
    const ids = Array.from({ length: this.count }, (_, index) => `s${index + 1}`);
    const turns = (id: string) => [search, id === whose ? trouble : { report: { summary: `What ${id} says.` } }];
    const script = {
      log: `${this.name}.jsonl`,
      plan: ids.map((id) => `goal of ${id}`),
      subagents: Object.fromEntries(ids.map((id) => [id, turns(id)])),
    };
    await writeFile(this.script, JSON.stringify(script));
  }

  async start(...flags: string[]): Promise<void> {
    const model = ['--model', `scripted:${this.script}`, '--corpus', 'documents', '--max-subagents', '20'];
    const started = await this.installation.run(['start', `${this.name}?`, ...model, ...flags]);
    if (started.code !== 0) throw new Error(started.stderr);
    this.runId = started.stdout.trim();
  }

  /** Places that the model was asked at since the last call of this, in their order. */
  async asked(): Promise<string[]> {
    const text = await readFile(join(this.installation.folder, `${this.name}.jsonl`), 'utf8');
    const lines = text.split('\n').filter(Boolean);
    const places = lines.flatMap((line) => (JSON.parse(line) as { request?: string }).request ?? []);
    const fresh = places.slice(this.before.length);
    this.before = places;
    return fresh;
  }

  async isDoneBut(id: string): Promise<void> {
    for (;;) {
      const { tree } = await this.show(this.runId);
      const isDone = tree.length === this.count && tree.every((each) => each.id === id || each.status === 'done');
      if (isDone) return;
    }
  }

  async show(runId: string): Promise<RunDescription> {
    const { stdout } = await this.installation.run(['show', runId, '--json']);
    return JSON.parse(stdout) as RunDescription;
  }

  async result(runId: string): Promise<RunResult> {
    const { stdout } = await this.installation.run(['result', runId, '--wait', '--json']);
    return JSON.parse(stdout) as RunResult;
  }
}

const kill = async (worker: ChildProcess) => {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
};

const waitForEnd = async (line: Line): Promise<void> => void (await line.result(line.runId));

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.create();
  await mkdir(join(installation.folder, 'documents'));
  await writeFile(join(installation.folder, 'documents', 'river.md'), '# river\n\nThe river is described here.\n');
});
afterAll(() => installation.destroy());

describe('a retry that is typed while no worker is up', () => {
  test.each([
    {
      name: 'failed',
      count: 20,
      whose: 's13',
      trouble: failing,
      flags: ['--join', 'all'],
      end: waitForEnd,
      ends: 'failed',
    },
    {
      name: 'partial',
      count: 6,
      whose: 's3',
      trouble: hanging,
      flags: ['--deadline', '12s'],
      end: waitForEnd,
      ends: 'partial',
    },
    {
      name: 'cancelled',
      count: 6,
      whose: 's3',
      trouble: hanging,
      flags: ['--join', 'all'],
      end: async (line: Line): Promise<void> => {
        await line.isDoneBut('s3');
        await installation.run(['cancel', line.runId, '--wait']);
      },
      ends: 'cancelled',
    },
    {
      name: 'terminated',
      count: 6,
      whose: 's3',
      trouble: hanging,
      flags: ['--join', 'all'],
      end: async (line: Line): Promise<void> => {
        await line.isDoneBut('s3');
        await installation.run(['terminate', line.runId, '--reason', 'stuck', '-y']);
      },
      ends: 'terminated',
    },
  ])(
    'of a $name run asks for the open turn of $whose and for the report, and for nothing that was paid for',
    async ({ name, count, whose, trouble, flags, end, ends }) => {
      const line = new Line(installation, name, count);
      await line.write(whose, trouble);
      const first = await installation.startWorker();
      await line.start(...flags);
      await end(line);
      await kill(first);
      const earlier = await line.result(line.runId);
      expect(earlier.status).toBe(ends);
      expect(earlier.subagents.filter(({ status }) => status === 'done')).toHaveLength(count - 1);
      await line.asked();

      await line.write();
      const typed = await installation.run(['retry', line.runId, '--detach']);
      expect(typed).toMatchObject({ code: 0, stdout: `${line.runId}-2\n` });
      expect(typed.stderr).toContain('no worker polls');
      const second = await installation.startWorker();
      const after = await line.result(`${line.runId}-2`);
      await kill(second);

      expect(after).toMatchObject({ status: 'completed', exitCode: 0 });
      expect(await line.asked()).toEqual([`${whose} turn 2`, 'synthesis']);
      const rows = after.subagents.map(({ id, status, reusedFrom }) => ({ id, status, reusedFrom }));
      expect(rows).toEqual(
        earlier.subagents.map(({ id }) =>
          id === whose
            ? { id, status: 'done', reusedFrom: undefined }
            : { id, status: 'reused', reusedFrom: line.runId },
        ),
      );
      expect(after.subagents.find(({ id }) => id === whose)!.again).toMatch(/^(it|its) /);
      expect(after.origin!.spent.tokens).toBe(earlier.usage.tokens);
      expect(after.usage.tokens).toBeGreaterThan(earlier.usage.tokens);
      const { successors } = await line.show(line.runId);
      expect(successors).toEqual([{ kind: 'retry', runId: `${line.runId}-2`, status: 'completed' }]);
    },
    300_000,
  );
});

test('a rerun asks for what lies behind its point alone, and follows the new run', async () => {
  const line = new Line(installation, 'rerun', 3);
  await line.write();
  await line.start();
  const worker = await installation.startWorker();
  await line.result(line.runId);
  await line.asked();
  const rerun = async (...flags: string[]) => {
    const { code, stdout } = await installation.run(['rerun', line.runId, '--json', ...flags]);
    expect(code).toBe(0);
    return { result: JSON.parse(stdout) as RunResult, asked: (await line.asked()).toSorted() };
  };
  const one = await rerun('--from', 's2', '--goal', 'another goal');
  expect(one.asked).toEqual(['s2 turn 1', 's2 turn 2', 'synthesis']);
  expect(one.result.subagents.map(({ goal }) => goal)).toEqual(['goal of s1', 'another goal', 'goal of s3']);
  expect((await rerun('--from', 'synthesis')).asked).toEqual(['synthesis']);
  const all = await rerun('--from', 'plan');
  expect(all.asked).toHaveLength(8);
  expect(all.asked).toContain('plan');
  expect(all.result.origin).toMatchObject({ kind: 'rerun', runId: line.runId, from: 'plan' });
  await kill(worker);
}, 300_000);
