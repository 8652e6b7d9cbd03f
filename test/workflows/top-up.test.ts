import { expect, test } from '@jest/globals';
import type { RunHandle } from '../../src/client/research-api.ts';
import { ResearchClient } from '../../src/client/research-client.ts';
import { Gate, waitUntil } from '../support/gate.ts';
import { answers, endsOf, holdTurns, keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('top up');
const look = keyTool('look', (key) => `seen ${key}`);
const usage = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 10 } });
const call = (key: string) => ({ calls: [{ tool: 'look', arguments: { key } }] });
/** Twice what a call is said to use, then a row of small ones, and the answer: about 7,000 tokens. */
const hungry = {
  turns: [
    { ...call('a'), ...usage(1_500) },
    { ...call('b'), ...usage(1_500) },
    ...'cdefghi'.split('').map(call),
    ...answers('all'),
  ],
  handBack: { report: { summary: 'what I have' } },
};
const client = () => new ResearchClient({ client: world().client, taskQueue: world().taskQueue, identity: 'me@here' });

async function untilPaused(handle: RunHandle): Promise<void> {
  for await (const event of handle.watch()) {
    const status = event.type === 'snapshot' ? event.run.status : event.type === 'run-status' ? event.status : null;
    if (status === 'paused-budget') return;
  }
}

test('a subagent that used up its allotment gets more of what its siblings gave back', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { s1: hungry, s2: answers('found') } }, holdTurns(gate, ['s1 turn 2']));
  const run = await start(
    { question: 'Q', subtasks: subtasks(2), budget: { tokens: 15_000 }, maxOutputTokens: 500, maxTurns: 15 },
    { model, tools: [look] },
  );
  await gate.hold(1);
  const handle = client().getHandle(run.runId);
  await waitUntil(async () => (await handle.describe()).tree[1]!.status === 'done');
  gate.open();
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 done']);
  // A half of what is left after the report's reserve.
  expect(result.subagents[0]!.usage.tokens).toBeGreaterThan(5_000);
  expect(result.budget.tokens.spent).toBeLessThanOrEqual(15_000);
});

test('what subtasks need that have not started is not given away', async () => {
  const model = scriptedModel({ subagents: { s1: hungry, s2: answers('found'), s3: answers('found') } });
  const run = await start(
    {
      question: 'Q',
      subtasks: subtasks(3),
      budget: { tokens: 20_000 },
      maxConcurrency: 1,
      maxOutputTokens: 500,
      maxTurns: 15,
    },
    { model, tools: [look] },
  );
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 partial (budget)', 's2 done', 's3 done']);
});

test('with a size that the caller set, a subagent gets no more than it', async () => {
  const model = scriptedModel({ subagents: { s1: hungry } });
  const run = await start(
    { question: 'Q', subtasks: subtasks(1), subagentTokens: 6_000, maxOutputTokens: 500, maxTurns: 15 },
    { model, tools: [look] },
  );
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 partial (budget)']);
  expect(result.subagents[0]!.usage.tokens).toBeLessThanOrEqual(6_000);
});

test('paused: a subagent without means waits, and goes on when a person raises the budget, once per request id', async () => {
  const model = scriptedModel({ subagents: { s1: hungry } });
  const run = await start(
    {
      question: 'Q',
      subtasks: subtasks(1),
      budget: { tokens: 8_000, onExhausted: 'pause' },
      maxOutputTokens: 500,
      maxTurns: 15,
    },
    { model, tools: [look] },
  );
  const handle = client().getHandle(run.runId);
  await untilPaused(handle);
  const paused = await handle.describe();
  expect(paused.status).toBe('paused-budget');
  expect(paused.tree[0]!.status).toBe('paused-budget');
  const add = { tokens: 20_000 };
  const [first, again] = [
    await handle.addBudget(add, { requestId: 'raise-1' }),
    await handle.addBudget(add, { requestId: 'raise-1' }),
  ];
  expect(first.tokens.limit).toBe(28_000);
  expect(again.tokens.limit).toBe(28_000);
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done']);
  expect(result.budget.tokens.limit).toBe(28_000);
  const after = await handle.describe();
  expect(after.budget.tokens.limit).toBe(28_000);
});

test('paused: a raise for one subagent reaches it although the caller set its size', async () => {
  const model = scriptedModel({ subagents: { s1: hungry } });
  const run = await start(
    {
      question: 'Q',
      subtasks: subtasks(1),
      subagentTokens: 6_000,
      budget: { onExhausted: 'pause' },
      maxOutputTokens: 500,
      maxTurns: 15,
    },
    { model, tools: [look] },
  );
  const handle = client().getHandle(run.runId);
  await untilPaused(handle);
  await handle.addBudget({ tokens: 20_000 }, { subagentId: 's1' });
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done']);
  expect((await handle.describe()).tree[0]!.limitTokens).toBe(26_000);
});

test('paused: subtasks that cannot be funded wait too; nobody raises the budget in time, and the run goes on with what it has', async () => {
  const model = scriptedModel({ subagents: { '*': answers('found') } });
  const run = await start(
    {
      question: 'Q',
      subtasks: subtasks(2),
      subagentTokens: 20_000,
      budget: { tokens: 30_000, onExhausted: 'pause' },
      personTimeout: '1s',
    },
    { model },
  );
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 done']);
  const poor = await start(
    {
      question: 'Q',
      subtasks: subtasks(2),
      subagentTokens: 40_000,
      budget: { tokens: 30_000, onExhausted: 'pause' },
      personTimeout: '1s',
    },
    { model },
  );
  expect(endsOf(await poor.result())).toEqual(['s1 skipped (budget)', 's2 skipped (budget)']);
});

test('fail: the first subagent without means fails the run, and its siblings are stopped and counted', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { s1: hungry, s2: answers('late') } }, holdTurns(gate, ['s2 turn 1']));
  const run = await start(
    {
      question: 'Q',
      subtasks: subtasks(2),
      budget: { tokens: 14_000, onExhausted: 'fail' },
      maxOutputTokens: 500,
      maxTurns: 15,
    },
    { model, tools: [look] },
  );
  const result = await run.result();
  expect(result.status).toBe('failed');
  expect(result.failure).toMatchObject({ code: 'BUDGET_EXHAUSTED' });
  expect(result.failure!.message).toMatch(/s1 needs [\d,]+ more tokens/);
  expect(endsOf(result)).toEqual(['s1 cancelled (budget)', 's2 cancelled (budget)']);
});

test('a budget above the ceiling, for a subagent that is not up, or of a run that has ended is refused, and nothing changes', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model });
  await gate.hold(1);
  const handle = client().getHandle(run.runId);
  await expect(handle.addBudget({ tokens: 5 }, { subagentId: 's7' })).rejects.toMatchObject({
    code: 'SUBAGENT_NOT_FOUND',
  });
  await expect(handle.addBudget({ usd: 5 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  await expect(handle.addBudget({})).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  await expect(handle.addBudget({ tokens: -5 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect((await handle.describe()).budget.tokens.limit).toBe(1_000_000);
  gate.open();
  await run.result();
  await expect(handle.addBudget({ tokens: 5 })).rejects.toMatchObject({ code: 'RUN_ENDED' });
});
