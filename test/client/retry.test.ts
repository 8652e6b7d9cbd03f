import { describe, expect, test } from '@jest/globals';
import type { ModelReply } from '../../src/contract/model.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import type { RunEvent } from '../../src/contract/run-view.ts';
import type { StartInput } from '../../src/client/research-api.ts';
import type { Model } from '../../src/models/model.ts';
import { collect, createClient, createReader, readTool, toInput } from '../support/client-world.ts';
import { waitUntil } from '../support/gate.ts';
import { useWorld } from '../support/temporal.ts';

/** A reader that notes what it is asked, and fails where it is told to. */
function createNoted() {
  const asked: string[] = [];
  const failing = new Set<string>();
  const reader = createReader();
  const model: Model = {
    ...reader,
    async call(request, callOptions): Promise<ModelReply> {
      const { task } = request;
      const place = task.kind === 'research' ? `${task.subagentId} turn ${task.turn}` : task.kind;
      asked.push(place);
      if (failing.has(place)) {
        callOptions.onRequest();
        throw new TributaryError('MODEL_AUTH', 'no such key');
      }
      return reader.call(request, callOptions);
    },
  };
  return { model, asked, failing };
}

const noted = createNoted();
const world = useWorld('client retry', { model: () => noted.model, tools: [readTool] });
const client = () => createClient(world.world(), { readBlob: async () => Buffer.from('') });
const goals = (count: number) => Array.from({ length: count }, (_, index) => ({ goal: `goal ${index + 1}` }));

describe('a retry', () => {
  test('of 20 subagents of which the 13th failed under "all": one subagent and the report are asked for, and all the rest is reused', async () => {
    noted.failing.add('s13 turn 2');
    const input = toInput({ subtasks: goals(20), join: { kind: 'all' }, maxConcurrency: 20 });
    const first = await client().start(input);
    const before = await first.result();
    expect(before.status).toBe('failed');
    noted.failing.clear();
    noted.asked.length = 0;
    const done = before.subagents.filter(({ status }) => status === 'done').map(({ id }) => id);
    const next = await first.retry();
    const after = await next.result();
    expect(after.status).toBe('completed');
    expect(after.runId).toBe(`${first.runId}-2`);
    for (const { id, status, reusedFrom } of after.subagents)
      expect({ id, status, reusedFrom }).toEqual(
        done.includes(id)
          ? { id, status: 'reused', reusedFrom: first.runId }
          : { id, status: 'done', reusedFrom: undefined },
      );
    expect(noted.asked.filter((place) => done.some((id) => place.startsWith(`${id} `)))).toEqual([]);
    expect(noted.asked.filter((place) => place === 'synthesize')).toHaveLength(1);
    expect(noted.asked).toContain('s13 turn 2');
    expect(noted.asked).not.toContain('s13 turn 1');
    const fresh = after.subagents.reduce((sum, { usage }) => sum + usage.tokens, 0);
    expect(after.origin).toMatchObject({ kind: 'retry', runId: first.runId, spent: { tokens: before.usage.tokens } });
    expect(after.usage.tokens).toBe(before.usage.tokens + fresh + 120);
    expect(after.budget.tokens.spent).toBe(after.usage.tokens);
  });
});

/** A run of two subagents of which the second has failed. */
async function failed(input: Partial<StartInput> = {}) {
  noted.failing.add('s2 turn 1');
  const run = await client().start(toInput({ subtasks: goals(2), ...input }));
  const result = await run.result();
  noted.failing.clear();
  noted.asked.length = 0;
  return { run, result };
}

describe('the runs of one line', () => {
  test('know each other: the new one whom it took over, the old one who did', async () => {
    const { run, result } = await failed();
    const next = await run.retry();
    await next.result();
    const third = await next.rerun({ from: 's1' });
    await third.result();
    expect([next.runId, third.runId]).toEqual([`${run.runId}-2`, `${run.runId}-3`]);
    expect(await next.describe()).toMatchObject({
      origin: { kind: 'retry', runId: run.runId },
      earlier: { tokens: result.usage.tokens },
    });
    expect((await third.describe()).origin).toEqual({ kind: 'rerun', runId: next.runId, from: 's1' });
    const successorsOf = async (runId: string) => (await client().getHandle(runId).describe()).successors;
    await waitUntil(async () => (await successorsOf(next.runId))?.[0]?.status === 'completed');
    expect(await successorsOf(run.runId)).toEqual([{ kind: 'retry', runId: next.runId, status: 'completed' }]);
    expect(await successorsOf(next.runId)).toMatchObject([{ kind: 'rerun', runId: third.runId, from: 's1' }]);
    const listed = [];
    for await (const one of client().list({ text: third.runId })) listed.push(one.origin?.runId);
    expect(listed).toEqual([next.runId]);
    // The first of the line is what its id and a prefix of it mean.
    expect((await client().attach(run.runId.slice(0, -3))).runId).toBe(run.runId);
  });

  test('are one where the request id is the same', async () => {
    const { run } = await failed();
    const [one, two] = [await run.retry({ requestId: 'once' }), await run.retry({ requestId: 'once' })];
    expect(two.runId).toBe(one.runId);
    expect((await run.retry({ requestId: 'twice' })).runId).not.toBe(one.runId);
    await one.result();
  });

  test('are two where two people ask at the same moment', async () => {
    const { run } = await failed();
    const both = await Promise.all([run.retry(), run.retry()]);
    expect(both.map(({ runId }) => runId).sort()).toEqual([`${run.runId}-2`, `${run.runId}-3`]);
    for (const each of both) expect((await each.result()).status).toBe('completed');
  });

  test('have the limits of the first, as people raised them, unless others are set', async () => {
    const { run, result } = await failed({ budget: { tokens: 60_000, toolCalls: 20 } });
    const next = await run.retry({ budget: { toolCalls: 50 } });
    const { budget, usage } = await next.result();
    expect(budget.tokens).toMatchObject({ limit: 60_000, spent: usage.tokens });
    expect(budget.toolCalls.limit).toBe(50);
    expect(usage.tokens).toBeGreaterThan(result.usage.tokens);
  });
});

describe('watching a retry', () => {
  test('tells what is reused and why the rest is done again, and adds up to its result', async () => {
    const { run } = await failed();
    const next = await run.retry();
    const events = await collect(next.watch());
    const { result } = events.at(-1) as Extract<RunEvent, { type: 'result' }>;
    const told = [
      ...events
        .flatMap((event) => (event.type === 'snapshot' ? event.run.tree : []))
        .map((view) => ({ ...view, subagentId: view.id })),
      ...events.flatMap((event) => (event.type === 'subagent-status' ? [event] : [])),
    ];
    expect(told.find(({ subagentId, status }) => subagentId === 's1' && status === 'reused')).toMatchObject({
      reusedFrom: run.runId,
    });
    expect(told.find(({ subagentId }) => subagentId === 's2')).toMatchObject({ again: 'it failed (provider)' });
    const last = events.findLast((event) => event.type === 'budget-updated');
    expect(last).toMatchObject({ budget: { tokens: { spent: result.usage.tokens } } });
    expect(await next.describe()).toMatchObject({ usage: { tokens: result.usage.tokens } });
  });
});

describe('refused, with nothing started', () => {
  test('a retry of a run that is completed', async () => {
    const run = await client().start(toInput({ subtasks: goals(1) }));
    await run.result();
    await expect(run.retry()).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('rerun'),
    });
  });

  test('one of a run that goes on', async () => {
    const run = await createClient(world.world(), { taskQueue: 'nobody-polls-here' }).start(toInput());
    await expect(run.retry()).rejects.toMatchObject({ code: 'RUN_OPEN' });
    await run.terminate('for the test');
  });

  test('limits that are spent already, a subagent that is not there, and an edit of nobody', async () => {
    const { run, result } = await failed();
    const spent = String(result.usage.tokens);
    await expect(run.retry({ budget: { tokens: 2_000 } })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(new RegExp(`has used ${spent} of 2,000 tokens.*--budget-tokens`)),
    });
    await expect(run.rerun({ from: 's9' })).rejects.toMatchObject({ code: 'SUBAGENT_NOT_FOUND' });
    await expect(run.rerun({ from: 'nowhere' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(run.rerun({ from: 'plan', edit: { goal: 'x' } })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(run.retry({ input: { maxTurns: 0 } })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(client().getHandle('run_nobody').retry()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect((await run.describe()).successors).toBeUndefined();
  });
});
