import { describe, expect, test } from '@jest/globals';
import { runResultSchema } from '../../src/contract/result.ts';
import type { RunSummary } from '../../src/contract/run-view.ts';
import { toRunId } from '../../src/client/to-request.ts';
import { createClient, createReader, readTool, toInput } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { useWorld } from '../support/temporal.ts';

const gate = new Gate();
gate.open();
const world = useWorld('client run and result', { model: createReader({ gate }), tools: [readTool] });
const client = () => createClient(world.world());

describe('a run', () => {
  test('resolves with one document that describe, list and a second client agree with', async () => {
    const run = await client().start(toInput({ title: 'Sky', tags: ['physics'] }));
    const result = await run.result();
    expect(runResultSchema.parse(result)).toEqual(result);
    expect(result).toMatchObject({ runId: run.runId, status: 'completed', exitCode: 0, gaps: [] });
    expect(result.citations).toMatchObject([{ marker: '[1]', verified: true }]);
    expect(result.subagents.map(({ id, status }) => `${id} ${status}`)).toEqual(['s1 done', 's2 done', 's3 done']);
    const description = await run.describe();
    expect(description).toMatchObject({
      status: 'completed',
      title: 'Sky',
      usage: result.usage,
      budget: result.budget,
      toolCallsPerMessage: 1,
      subagents: { done: 3 },
    });
    expect(description.tree.map(({ findings }) => findings)).toEqual([1, 1, 1]);
    const listed: RunSummary[] = [];
    while (listed.length === 0) {
      // visibility follows a moment later
      for await (const each of client().list({ text: run.runId, status: ['completed'] })) listed.push(each);
    }
    expect(listed).toContainEqual(
      expect.objectContaining({
        runId: run.runId,
        title: 'Sky',
        tags: ['physics'],
        spentTokens: result.usage.tokens,
        subagents: { done: 3 },
      }),
    );
    expect(await createClient(world.world()).getHandle(run.runId).result()).toEqual(result);
  });

  test('adds up the same from its histories as in its own ledger', async () => {
    const run = await client().start(toInput());
    const events = [];
    for await (const event of run.watch()) events.push(event);
    const last = events.at(-1);
    const lastBudget = events.findLast((event) => event.type === 'budget-updated');
    if (last?.type !== 'result' || lastBudget?.type !== 'budget-updated') throw new Error('no result was told');
    expect(lastBudget.budget.tokens).toEqual(last.result.budget.tokens);
    expect(lastBudget.budget.toolCalls).toEqual(last.result.budget.toolCalls);
  });

  test('whose report is only in a store says which, unless the client can read it', async () => {
    const long = createReader({ report: 'word '.repeat(20_000) });
    const { runId } = await world.start(
      { question: 'Why is the sky blue?', corpus: '/docs' },
      { model: long, tools: [readTool] },
    );
    const missing = createClient(world.world()).getHandle(runId).result();
    await expect(missing).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining(runId) });
    const readBlob = async () =>
      new TextEncoder().encode(JSON.stringify({ report: 'from the store', citations: [], sources: [] }));
    const result = await createClient(world.world(), { readBlob }).getHandle(runId).result();
    expect(result.report).toBe('from the store');
  });
});

describe('start', () => {
  test('with the same request id is one run', async () => {
    const requestId = `order ${Math.random()}`;
    const first = await client().start(toInput(), { requestId });
    const second = await client().start(toInput(), { requestId });
    expect(second.runId).toBe(first.runId);
    expect(first.runId).toBe(toRunId(requestId));
    expect(first.runId).toMatch(/^run_[0-9A-HJKMNP-TV-Z]{26}$/);
    await first.result();
    expect((await client().start(toInput(), { requestId })).runId).toBe(first.runId);
  });

  test('with an id that another request has is refused', async () => {
    const runId = `taken-${Date.now()}`;
    await client().start(toInput({ runId }), { requestId: 'a' });
    for (const requestId of ['b', undefined]) {
      const again = client().start(toInput({ runId }), { requestId });
      await expect(again).rejects.toMatchObject({ code: 'RUN_EXISTS', message: expect.stringContaining('"a"') });
    }
  });

  test('names every problem of the request and starts nothing', async () => {
    const runId = `bad-${Date.now()}`;
    const bad = client().start(toInput({ runId, question: ' ', maxSubagents: 1.5 }));
    await expect(bad).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/question: .*maxSubagents: /s),
    });
    await expect(client().getHandle(runId).describe()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('refuses an empty request id', async () => {
    await expect(client().start(toInput(), { requestId: ' ' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('a run is found', () => {
  test('by its id, a prefix of it with or without "run_", and as @last', async () => {
    let last: string | null = null;
    const lastRun = { read: async () => last, write: async (runId: string) => void (last = runId) };
    const remembering = createClient(world.world(), { lastRun });
    await expect(remembering.attach('@last')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    const { runId } = await remembering.start(toInput());
    for (const typed of [runId, runId.slice(0, -2), runId.slice(4, -2), runId.slice(4, -2).toLowerCase(), '@last']) {
      expect((await remembering.attach(typed)).runId).toBe(runId);
    }
  });

  test('not by a prefix of several, which are named', async () => {
    const stem = `twin-${Date.now()}`;
    await client().start(toInput({ runId: `${stem}-a` }));
    await client().start(toInput({ runId: `${stem}-b` }));
    const found = client().attach(stem);
    await expect(found).rejects.toMatchObject({ code: 'RUN_NOT_FOUND', message: expect.stringContaining(`${stem}-b`) });
  });

  test.each(['nowhere', 'a b', '../x', ''])('and %j is not one', async (typed) => {
    await expect(client().attach(typed)).rejects.toMatchObject({
      code: expect.stringMatching(/^(RUN_NOT_FOUND|INVALID_REQUEST)$/),
    });
  });

  test('and a subagent is not one', async () => {
    const run = await client().start(toInput());
    await run.result();
    expect(() => client().getHandle(`${run.runId}/s1`)).toThrow('wanted a run id');
  });
});

test('a result that is not there in time is a WAIT_TIMEOUT, and the run goes on', async () => {
  const held = new Gate();
  const run = await world.start(
    { question: 'Why is the sky blue?', corpus: '/docs' },
    {
      model: createReader({ gate: held }),
      tools: [readTool],
    },
  );
  const waiting = client().getHandle(run.runId).result({ timeoutMs: 300 });
  await expect(waiting).rejects.toMatchObject({ code: 'WAIT_TIMEOUT' });
  held.open();
  expect((await client().getHandle(run.runId).result()).status).toBe('completed');
});

test('an aborted call ends with the reason of its signal', async () => {
  const held = new Gate();
  const run = await world.start(
    { question: 'Why is the sky blue?', corpus: '/docs' },
    {
      model: createReader({ gate: held }),
      tools: [readTool],
    },
  );
  const controller = new AbortController();
  const waiting = client().getHandle(run.runId).result({ signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  held.open();
  await client().getHandle(run.runId).result();
});

test('a worker is seen while it polls', async () => {
  expect(await client().hasWorker()).toBe(true);
  expect(await createClient(world.world(), { taskQueue: 'nobody-polls-here' }).hasWorker()).toBe(false);
});
