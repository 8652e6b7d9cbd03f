import { beforeEach, describe, expect, test } from '@jest/globals';
import { TributaryError } from '../../src/contract/failure.ts';
import type { RunRecord } from '../../src/contract/run-record.ts';
import { terminalRunStatuses } from '../../src/contract/result.ts';
import { createRecordKeeper, type EndedRun, type KeeperDependencies } from '../../src/store/keep-records.ts';
import { runRecord } from '../support/run-record.ts';

/** A server and a store of numbers: what has ended, what can be read, what is kept. */
function createKeeperWorld() {
  const ended: (EndedRun & { readonly record: RunRecord })[] = [];
  const kept = new Map<string, RunRecord>();
  const world = {
    nowMs: Date.parse('2026-12-01T12:00:00.000Z'),
    kept,
    reads: [] as string[],
    puts: 0,
    lists: [] as (number | null)[],
    open: new Set<string>(),
    /** What reading, listing or looking into the store ends in. */
    broken: new Map<string, Error>(),
    logged: [] as string[],
    end(record: RunRecord) {
      const { runId, firstRunId, startedAt } = record;
      ended.push({ runId, firstRunId, startedAt, closedAt: new Date(world.nowMs).toISOString(), record });
    },
    start(overrides: Partial<KeeperDependencies> = {}) {
      return createRecordKeeper({ ...dependencies, ...overrides });
    },
  };
  const check = (what: string) => {
    const error = world.broken.get(what);
    if (error) throw error;
  };
  const dependencies: KeeperDependencies = {
    async listEnded(sinceMs) {
      world.lists.push(sinceMs);
      check('list');
      return ended.filter(({ closedAt }) => sinceMs === null || Date.parse(closedAt) > sinceMs);
    },
    hasOpenSubagents: async (runId) => world.open.has(runId),
    async read({ runId }) {
      world.reads.push(runId);
      check(`read ${runId}`);
      return ended.find((each) => each.runId === runId)!.record;
    },
    async has({ runId }) {
      check(`has ${runId}`);
      return kept.has(runId);
    },
    async put(record) {
      check('put');
      world.puts += 1;
      kept.set(record.runId, record);
    },
    storeId: async () => 'store_1',
    now: () => world.nowMs,
    pause: async () => undefined,
    log: (level, message, fields) => void world.logged.push(`${level}: ${message} ${JSON.stringify(fields)}`),
  };
  return world;
}

let world: ReturnType<typeof createKeeperWorld>;
beforeEach(() => {
  world = createKeeperWorld();
});
const { signal } = new AbortController();
const keptIds = () => [...world.kept.keys()].sort();

describe('the keeper', () => {
  test.each(terminalRunStatuses)('keeps a run that ended %s', async (status) => {
    const record = runRecord('run_1');
    world.end({ ...record, result: { ...record.result, status } });
    await world.start().look(signal);
    expect(world.kept.get('run_1')?.result.status).toBe(status);
  });

  test('looks over everything at its start, then at what has closed since with room for what is listed late', async () => {
    world.end(runRecord('run_1'));
    const keeper = world.start();
    await keeper.look(signal);
    const first = world.nowMs;
    world.nowMs += 30_000;
    world.end(runRecord('run_2'));
    await keeper.look(signal);
    expect(world.lists[0]).toBeNull();
    expect(world.lists[1]).toBeLessThan(first);
    expect(keptIds()).toEqual(['run_1', 'run_2']);
    expect(world.reads).toEqual(['run_1', 'run_2']);
  });

  test('does not read again what is kept already, by whomever', async () => {
    world.end(runRecord('run_1'));
    world.kept.set('run_1', runRecord('run_1'));
    await world.start().look(signal);
    expect(world.reads).toEqual([]);
  });

  test('leaves runs of another store alone, and keeps one that ended before it knew its store', async () => {
    world.end(runRecord('run_1', { storeId: 'store_2' }));
    world.end(runRecord('run_2', { storeId: null }));
    const keeper = world.start();
    await keeper.look(signal);
    await keeper.look(signal);
    expect(keptIds()).toEqual(['run_2']);
    expect(world.reads).toEqual(['run_1', 'run_2']);
  });

  test('waits for subagents that outlive their run, but not longer than a minute', async () => {
    world.end(runRecord('run_1'));
    world.end(runRecord('run_2'));
    world.open.add('run_1').add('run_2');
    const keeper = world.start();
    await keeper.look(signal);
    expect(keptIds()).toEqual([]);
    world.open.delete('run_1');
    world.nowMs += 30_000;
    await keeper.look(signal);
    expect(keptIds()).toEqual(['run_1']);
    world.nowMs += 31_000;
    await keeper.look(signal);
    expect(keptIds()).toEqual(['run_1', 'run_2']);
  });

  test('tries again what could not be read, also when it is listed no more, and says so once', async () => {
    world.end(runRecord('run_1'));
    world.end(runRecord('run_2'));
    world.broken.set('read run_1', new Error('the server is away'));
    const keeper = world.start();
    await keeper.look(signal);
    world.nowMs += 600_000;
    await keeper.look(signal);
    expect(keptIds()).toEqual(['run_2']);
    expect(world.logged.filter((line) => line.startsWith('warn'))).toHaveLength(1);
    world.broken.clear();
    await keeper.look(signal);
    expect(keptIds()).toEqual(['run_1', 'run_2']);
  });

  test('says which record is broken, and goes on with the others', async () => {
    world.end(runRecord('run_1'));
    world.end(runRecord('run_2'));
    world.broken.set('has run_1', new TributaryError('STORE_UNAVAILABLE', 'the record run_1.json cannot be read'));
    await world.start().look(signal);
    expect(keptIds()).toEqual(['run_2']);
    expect(world.logged.join()).toContain('run_1.json cannot be read');
  });

  test('gives up a run that was deleted before it was read', async () => {
    world.end(runRecord('run_1'));
    world.broken.set('read run_1', new TributaryError('RUN_NOT_FOUND', 'there is no run "run_1"'));
    const keeper = world.start();
    await keeper.look(signal);
    world.nowMs += 600_000;
    await keeper.look(signal);
    expect(world.reads).toEqual(['run_1']);
  });

  test('survives a server that cannot be asked and a store that is full', async () => {
    world.end(runRecord('run_1'));
    const keeper = world.start();
    world.broken.set('list', new Error('no answer'));
    await keeper.look(signal);
    world.broken.clear();
    world.broken.set('put', new Error('no space left'));
    await keeper.look(signal);
    world.broken.clear();
    await keeper.look(signal);
    expect(keptIds()).toEqual(['run_1']);
    expect(world.lists).toEqual([null, null, expect.any(Number)]);
  });

  test('of two at once is harmless', async () => {
    for (let number = 1; number <= 20; number += 1) world.end(runRecord(`run_${number}`));
    await Promise.all([world.start().look(signal), world.start().look(signal)]);
    expect(keptIds()).toHaveLength(20);
  });

  test('reads few runs at a time', async () => {
    for (let number = 1; number <= 10; number += 1) world.end(runRecord(`run_${number}`));
    let atOnce = 0;
    let most = 0;
    const read = async ({ runId }: EndedRun) => {
      most = Math.max(most, (atOnce += 1));
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return runRecord(runId);
    };
    await world.start({ read }).look(signal);
    expect(keptIds()).toHaveLength(10);
    expect(most).toBe(2);
  });

  test('stops when it is told to, in the middle of its looks', async () => {
    const own = new AbortController();
    for (let number = 1; number <= 10; number += 1) world.end(runRecord(`run_${number}`));
    const put = async (record: RunRecord) => {
      world.kept.set(record.runId, record);
      own.abort();
    };
    await world.start({ put }).run(own.signal);
    expect(world.kept.size).toBeLessThan(10);
  });

  test('logs ids and errors, never a word of the run', async () => {
    world.end(runRecord('run_1', { title: 'secret' }));
    world.end(runRecord('run_2', { title: 'secret' }));
    world.broken.set('read run_2', new Error('no answer'));
    await world.start().look(signal);
    expect(world.logged.join()).not.toMatch(/secret|Why/);
    expect(world.logged.join()).toContain('run_1');
  });
});
