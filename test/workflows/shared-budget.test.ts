import { expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import type { ModelCallOptions, ModelRequest } from '../../src/models/model.ts';
import { Gate } from '../support/gate.ts';
import { usageOfRunItself } from '../support/read-history.ts';
import {
  answers,
  callsOf,
  endsOf,
  holdTurns,
  keyTool,
  resultsAt,
  scriptedModel,
  subtasks,
} from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('shared budget');
const usage = (inputTokens: number, outputTokens = 0) => ({ usage: { inputTokens, outputTokens } });
const call = { calls: [{ tool: 'look' }] };
const look = keyTool('look', () => 'seen');

test('50,000 in all, three subagents of 15,000 that use 34,000: 16,000 remain for a synthesis of 5,000', async () => {
  const done = { report: { summary: 'done' } };
  const model = scriptedModel({
    subagents: {
      s1: [
        { ...call, ...usage(7_000) },
        { ...done, ...usage(5_000) },
      ],
      s2: {
        turns: [
          { ...call, ...usage(8_000) },
          { ...call, ...usage(4_500) },
        ],
        handBack: { ...done, ...usage(1_500) },
      },
      s3: [
        { ...call, ...usage(4_000) },
        { ...done, ...usage(4_000) },
      ],
    },
    synthesis: { text: 'The report.', ...usage(4_000, 1_000) },
  });
  const budget = { tokens: 50_000 };
  const result = await (
    await start({ question: 'Q', subtasks: subtasks(3), budget, maxTurns: 3 }, { model, tools: [look] })
  ).result();
  expect(result.subagents.map((each) => each.usage.tokens)).toEqual([12_000, 14_000, 8_000]);
  expect(result.budget.tokens).toEqual({ spent: 39_000, reserved: 0, remaining: 11_000, limit: 50_000 });
  expect(result.usage.estimated).toBe(false);
});

test('B38 · five subagents with too little left: not one of them starts, and nothing is sent', async () => {
  const ways = [
    { budget: { tokens: 3_000 } },
    { budget: { tokens: 100_000 }, subagentTokens: 500 },
    { budget: { tokens: 10_000 }, subagentTokens: 20_000 },
  ];
  for (const way of ways) {
    const model = scriptedModel({ subagents: { '*': answers('found') } });
    const run = await start({ question: 'Q', subtasks: subtasks(5), ...way }, { model });
    const result = await run.result();
    expect(result.status).toBe('failed');
    expect(result.failure?.code).toBe('BUDGET_EXHAUSTED');
    expect(endsOf(result)).toEqual([1, 2, 3, 4, 5].map((id) => `s${id} skipped (budget)`));
    expect(model.requests).toEqual([]);
    expect(await run.family()).toHaveLength(1);
  }
});

test.each([[undefined], [subtasks(2)]])(
  'B43 · a budget of 1 token fails as exhausted, and never completes with nothing',
  async (given) => {
    const model = scriptedModel({ subagents: { '*': answers('found') } });
    const result = await (
      await start({ question: 'Q', ...(given && { subtasks: given }), budget: { tokens: 1 } }, { model })
    ).result();
    expect(result.status).toBe('failed');
    expect(result.failure).toMatchObject({ code: 'BUDGET_EXHAUSTED' });
    expect(result.failure!.message).toContain('the budget of 1 tokens');
    expect(model.requests).toEqual([]);
  },
);

test('a subagent that does not fit waits for what the others give back', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const request = { question: 'Q', subtasks: subtasks(4), budget: { tokens: 12_000 }, subagentTokens: 4_000 };
  const run = await start(request, { model });
  await gate.hold(2);
  expect(gate.waiting().sort()).toEqual(['s1 turn 1', 's2 turn 1']);
  gate.open('s2 turn 1');
  await gate.arrival('s3 turn 1');
  gate.open('s1 turn 1');
  gate.open('s3 turn 1');
  await gate.arrival('s4 turn 1');
  gate.open();
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 done', 's3 done', 's4 done']);
  expect(gate.peak).toBe(2);
  expect(result.budget.tokens.spent).toBeLessThanOrEqual(12_000);
});

test('tool calls are a budget too: what it does not pay for is answered, and the subagent hands back', async () => {
  let calls = 0;
  const counted = keyTool('look', () => String(++calls));
  const subagent = { turns: [callsOf('look', [1, 2, 3, 4, 5])], handBack: { report: { summary: 'what I have' } } };
  const model = scriptedModel({ subagents: { '*': subagent } });
  const request = { question: 'Q', subtasks: subtasks(2), budget: { toolCalls: 6 } };
  const result = await (await start(request, { model, tools: [counted] })).result();
  expect(calls).toBe(6);
  expect(endsOf(result)).toEqual(['s1 partial (budget)', 's2 partial (budget)']);
  expect(
    resultsAt(model, 's1 turn 2')
      .slice(3)
      .map(({ isError, text }) => `${isError} ${text}`),
  ).toEqual(Array(2).fill(`true ${toolErrorText.noBudget()}`));
  expect(result.budget.toolCalls).toEqual({ spent: 6, reserved: 0, remaining: 0, limit: 6 });
});

test('B43 · a plan that cannot be read is paid, and asked for again', async () => {
  const bad = scriptedModel({ plan: { text: 'I would rather not.', ...usage(300, 10) } });
  const good = scriptedModel({
    plan: { text: '{"subtasks": ["one", "two"]}', ...usage(400, 20) },
    subagents: { '*': answers('found') },
  });
  const run = await start(
    { question: 'Q' },
    {
      model: {
        ...good,
        call: (request: ModelRequest, options: ModelCallOptions) =>
          (request.task.kind === 'plan' && request.task.attempt === 1 ? bad : good).call(request, options),
      },
    },
  );
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(result.subagents.map(({ goal }) => goal)).toEqual(['one', 'two']);
  expect(usageOfRunItself(await run.history()).tokens).toBeGreaterThan(730); // with the synthesis, which the model states itself
  expect(bad.requests).toHaveLength(1);
  expect(good.requests.filter(({ place }) => place === 'plan')).toHaveLength(1);
});

test('B43 · calls that were paid before a subagent timed out, and the one in flight, are in the totals', async () => {
  const gate = new Gate();
  const turns = [
    { ...call, ...usage(1_000) },
    { calls: [{ tool: 'look', arguments: { key: 'b' } }], ...usage(1_000) },
    { text: 'late' },
  ];
  const model = scriptedModel({ subagents: { s1: answers('found'), s2: turns } }, holdTurns(gate, ['s2 turn 3']));
  const join = { kind: 'partial' as const, deadline: '4s' };
  const run = await start({ question: 'Q', subtasks: subtasks(2), join }, { model, tools: [look] });
  await gate.hold(1);
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 timed-out (join)']);
  expect(result.subagents[1]).toMatchObject({ turns: 2, toolCalls: 2 });
  expect(result.subagents[1]!.usage).toMatchObject({ estimated: true, toolCalls: 2 });
  expect(result.subagents[1]!.usage.tokens).toBeGreaterThan(2_000);
});

test('B42 · a model that never states its usage is charged by estimate, and the budget still ends the loop', async () => {
  const turns = Array.from({ length: 50 }, (_, turn) => ({
    calls: [{ tool: 'look', arguments: { key: String(turn) } }],
    usage: 'none',
  }));
  const subagent = { turns, handBack: { report: { summary: 'what I have' }, usage: 'none' } };
  const model = scriptedModel({ subagents: { s1: subagent } });
  const request = { question: 'Q', subtasks: subtasks(1), subagentTokens: 50_000, maxTurns: 50 };
  const result = await (await start(request, { model, tools: [look] })).result();
  expect(result.subagents[0]!.usage).toMatchObject({ estimated: true, usd: 0 });
  expect(result.subagents[0]!.usage.tokens).toBeLessThanOrEqual(50_000);
  expect(endsOf(result)).toEqual(['s1 partial (budget)']);
  expect(model.requests.length).toBeLessThan(20);
});
