/** Runs with a limit in USD: scripted models with prices of the test's own. */
import { expect, test } from '@jest/globals';
import type { ResearchRequestInput } from '../../src/contract/request.ts';
import type { RecordedResult } from '../../src/contract/result.ts';
import type { ModelStep, SubagentTask } from '../../src/contract/steps.ts';
import { toMicroUsd } from '../../src/domain/money.ts';
import { Gate } from '../support/gate.ts';
import { activitiesOf } from '../support/read-history.ts';
import {
  answers,
  endsOf,
  holdTurns,
  keyTool,
  scriptedModel,
  subtasks,
  type RecordedModel,
} from '../support/scripts.ts';
import { useWorld, type TestRun } from '../support/temporal.ts';

/** By the name that the request has for it. */
const models = new Map<string, RecordedModel>();
const look = keyTool('look', (key) => `seen ${key}`);
const { start, world } = useWorld('money budget', { model: (name) => models.get(name)!, tools: [look] });

const usage = (inputTokens: number, outputTokens = 0) => ({ usage: { inputTokens, outputTokens } });
const call = (key = '') => ({ calls: [{ tool: 'look', arguments: { key } }] });
const done = { report: { summary: 'done' } };
/** One millionth of a USD for a token of input, ten for one of output. */
const price = { input: 1, output: 10 };

/** Starts a run on this model, under a name of its own, with `price` for it. */
async function startPaid(name: string, model: RecordedModel, input: Omit<ResearchRequestInput, 'runId' | 'question'>) {
  const scripted = `scripted:${name}`;
  models.set(scripted, model);
  return start({
    question: 'Q',
    models: { planner: scripted, subagent: scripted, synthesis: scripted },
    prices: { [scripted]: price },
    maxOutputTokens: 1_000,
    ...input,
  });
}

/** Everything that was spent is within the limit, and the parts are the whole (`useWorld` adds up the rest). */
function requireWithin(result: RecordedResult, limit: number): void {
  const usd = result.budget.usd!;
  expect(usd.limit).toBe(limit);
  expect(usd.spent).toBeLessThanOrEqual(limit);
  expect(usd.reserved).toBe(0);
  expect(toMicroUsd(usd.spent + usd.reserved + usd.remaining)).toBe(toMicroUsd(limit));
  expect(result.usage.usd).toBe(usd.spent);
}

const stepsOf = async (run: TestRun) =>
  [...(await run.histories()).values()]
    .flatMap((history) => activitiesOf(history))
    .filter(({ type }) => ['planActivity', 'callModelActivity', 'synthesizeActivity'].includes(type))
    .map(({ input }) => input as ModelStep);

test('planner, subagents and synthesis are priced each by its own model, and add up to what the budget says', async () => {
  const model = scriptedModel({
    plan: { text: '{"subtasks": ["one", "two"]}', ...usage(1_000, 100) },
    subagents: {
      '*': [
        { ...call(), ...usage(2_000, 50) },
        { ...done, ...usage(3_000, 100) },
      ],
    },
    synthesis: { text: 'The report.', ...usage(4_000, 500) },
  });
  const names = ['scripted:p', 'scripted:s', 'scripted:w'] as const;
  for (const name of names) models.set(name, model);
  const run = await start({
    question: 'Q',
    models: { planner: names[0], subagent: names[1], synthesis: names[2] },
    prices: {
      [names[0]]: { input: 10, output: 100 },
      [names[1]]: { input: 1, output: 10 },
      [names[2]]: { input: 3, output: 30 },
    },
    maxOutputTokens: 1_000,
    budget: { usd: 5 },
  });
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(result.subagents.map((each) => each.usage.usd)).toEqual([0.0065, 0.0065]);
  expect(result.budget.usd).toEqual({ spent: 0.06, reserved: 0, remaining: 4.94, limit: 5 });
  expect(result.usage).toMatchObject({ usd: 0.06, estimated: false });
  requireWithin(result, 5);
  const description = await world().client.workflow.getHandle(run.runId).describe();
  expect(description.memo).toMatchObject({ spentUsd: 0.06, limitUsd: 5, estimated: false });
  // Every call knows its share of the money, and what its tokens cost at most.
  for (const step of await stepsOf(run)) {
    expect(step.rates).toBeDefined();
    expect(step.maxSpendMicroUsd).toBeGreaterThan(0);
  }
});

test('without a limit nothing is limited, but the price is known all the same', async () => {
  const model = scriptedModel({
    subagents: { '*': [{ ...done, ...usage(2_000, 100) }] },
    synthesis: { text: 'The report.', ...usage(1_000, 100) },
  });
  const run = await startPaid('unlimited', model, { subtasks: subtasks(2) });
  const result = await run.result();
  expect(result.usage.usd).toBe(0.008);
  expect(result.budget.usd).toBeUndefined();
  for (const step of await stepsOf(run)) expect(step.maxSpendMicroUsd).toBeUndefined();
});

test.each([
  [0.03, 1],
  [0.05, 2],
  [0.1, 5],
])(
  'subagents that would never stop end when their share of %d USD does, and hand back what they have',
  async (usd, least) => {
    const turns = Array.from({ length: 60 }, (_, turn) => ({ ...call(String(turn)), ...usage(900, 20) }));
    const subagent = { turns, handBack: { ...done, ...usage(400, 60) } };
    const model = scriptedModel({
      subagents: { '*': subagent },
      synthesis: { text: 'The report.', ...usage(500, 50) },
    });
    const run = await startPaid(`endless-${usd}`, model, { subtasks: subtasks(2), maxTurns: 60, budget: { usd } });
    const result = await run.result();
    expect(endsOf(result)).toEqual(['s1 partial (budget)', 's2 partial (budget)']);
    expect(model.requests.filter(({ place }) => place.startsWith('s1')).length).toBeGreaterThanOrEqual(least);
    requireWithin(result, usd);
    // The tokens would have paid for all of it.
    expect(result.budget.tokens.spent).toBeLessThan(result.budget.tokens.limit / 2);
  },
);

test('a model that never says what it used is charged by estimate, and the limit still holds', async () => {
  const turns = Array.from({ length: 60 }, (_, turn) => ({ ...call(String(turn)), usage: 'none' }));
  const subagent = { turns, handBack: { ...done, usage: 'none' } };
  const model = scriptedModel({ subagents: { '*': subagent }, synthesis: { text: 'The report.', usage: 'none' } });
  const run = await startPaid('silent', model, { subtasks: subtasks(2), maxTurns: 60, budget: { usd: 0.3 } });
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 partial (budget)', 's2 partial (budget)']);
  expect(result.usage.estimated).toBe(true);
  requireWithin(result, 0.3);
});

test('requests that fail on the way are paid for once, and those that are lost at what they could have cost', async () => {
  const fail = (code: string, times: number) => ({ fail: { code, times } });
  const model = scriptedModel({
    subagents: {
      s1: [{ ...done, ...usage(2_000, 100), ...fail('MODEL_NETWORK', 1) }],
      s2: [{ ...done, ...usage(2_000, 100), ...fail('MODEL_SERVER', 1) }],
    },
    synthesis: { text: 'The report.', ...usage(1_000, 100) },
  });
  const run = await startPaid('lossy', model, { subtasks: subtasks(2), budget: { usd: 1 } });
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 done']);
  const [lossy, repeated] = result.subagents;
  expect(repeated!.usage).toMatchObject({ usd: 0.003, estimated: false });
  expect(lossy!.usage.estimated).toBe(true);
  expect(lossy!.usage.usd).toBeGreaterThan(0.003 + 0.01);
  requireWithin(result, 1);
});

test('five subagents with too little money: not one of them starts, nothing is sent, and it is said what is short', async () => {
  const model = scriptedModel({ subagents: { '*': answers('found') } });
  const run = await startPaid('poor', model, { subtasks: subtasks(5), budget: { usd: 0.005 } });
  const result = await run.result();
  expect(result.status).toBe('failed');
  expect(endsOf(result)).toEqual([1, 2, 3, 4, 5].map((id) => `s${id} skipped (budget)`));
  expect(result.failure).toMatchObject({
    code: 'BUDGET_EXHAUSTED',
    message: expect.stringMatching(/budget of \$0\.005 does not pay for any subagent.*--budget-usd/),
  });
  expect(model.requests).toEqual([]);
  expect(await run.family()).toHaveLength(1);
  expect(result.budget.usd).toEqual({ spent: 0, reserved: 0, remaining: 0.005, limit: 0.005 });
});

test('a planner that the money does not pay for is not asked', async () => {
  const model = scriptedModel({ subagents: { '*': answers('found') } });
  const result = await (await startPaid('penniless', model, { budget: { usd: 0.0001 } })).result();
  expect(result.failure).toMatchObject({
    code: 'BUDGET_EXHAUSTED',
    message: expect.stringMatching(/budget of \$0\.0001 does not pay for planning/),
  });
  expect(model.requests).toEqual([]);
});

test('a share that is too small to work with is raised: fewer run at a time, and the others wait for what comes back', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  // A subagent needs 12,000 millionths at least (two turns of 600 tokens, all of them output): two of the four fit.
  const run = await startPaid('waiting', model, { subtasks: subtasks(4), budget: { usd: 0.03 } });
  await gate.hold(2);
  expect(gate.waiting().sort()).toEqual(['s1 turn 1', 's2 turn 1']);
  const { allotment, limitsUsd } = await taskOf(run, 's1');
  expect({ microUsd: allotment.microUsd, limitsUsd }).toEqual({ microUsd: 12_000, limitsUsd: true });
  gate.open();
  const result = await run.result();
  expect(endsOf(result)).toEqual([1, 2, 3, 4].map((id) => `s${id} partial (budget)`));
  expect(gate.peak).toBe(2);
  requireWithin(result, 0.03);
});

async function taskOf(run: TestRun, id: string): Promise<SubagentTask> {
  const history = (await run.histories()).get(`${run.runId}/${id}`)!;
  const payload = history.events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads![0]!;
  return JSON.parse(Buffer.from(payload.data!).toString('utf8')) as SubagentTask;
}

test('what a subagent that was terminated had in flight is charged at its reservation', async () => {
  const gate = new Gate();
  const turns = [{ ...call(), ...usage(1_000, 100) }, done];
  const model = scriptedModel({ subagents: { s1: answers('found'), s2: turns } }, holdTurns(gate, ['s2 turn 2']));
  const run = await startPaid('terminated', model, { subtasks: subtasks(2), budget: { usd: 1 } });
  await gate.hold(1);
  await world().client.workflow.getHandle(`${run.runId}/s2`).terminate('for the test');
  const result = await run.result();
  gate.open();
  expect(endsOf(result)).toEqual(['s1 done', 's2 failed (terminated)']);
  expect(result.subagents[1]!.usage.estimated).toBe(true);
  // 2,000 for the turn that was answered, and more than a whole output for the one that was not.
  expect(result.subagents[1]!.usage.usd).toBeGreaterThan(0.002 + 0.01);
  requireWithin(result, 1);
});

test('a model whose price nobody knows is refused before anything is spent, with the way to give one', async () => {
  const model = scriptedModel({ subagents: { '*': answers('found') } });
  const known = 'scripted:known';
  const unknown = 'openai/no-such-model-9';
  for (const name of [known, unknown]) models.set(name, model);
  const request = { question: 'Q', models: { planner: known, subagent: unknown, synthesis: known } };
  const refused = await (await start({ ...request, budget: { usd: 1 } })).result();
  expect(refused.failure).toMatchObject({
    code: 'MODEL_PRICE_UNKNOWN',
    message: expect.stringMatching(/price of openai\/no-such-model-9 is not known.*--prices/),
  });
  expect(refused.usage.tokens).toBe(0);
  expect(model.requests).toEqual([]);

  const priced = await (
    await start({ ...request, subtasks: subtasks(1), budget: { usd: 1 }, prices: { [unknown]: price } })
  ).result();
  expect(priced.status).toBe('completed');
  requireWithin(priced, 1);

  const unlimited = await (await start({ ...request, subtasks: subtasks(1) })).result();
  expect(unlimited.status).toBe('completed');
  expect(unlimited.usage.usd).toBeNull();
});
