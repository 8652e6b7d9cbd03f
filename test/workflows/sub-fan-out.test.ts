import { expect, test } from '@jest/globals';
import { ResearchClient } from '../../src/client/research-client.ts';
import type { ModelRequest } from '../../src/models/model.ts';
import { addUsage, noUsage } from '../../src/domain/usage.ts';
import type { SubagentOutcome } from '../../src/contract/outcome.ts';
import { Gate, waitUntil } from '../support/gate.ts';
import { activitiesOf, closeOf, type History } from '../support/read-history.ts';
import {
  answers,
  endsOf,
  holdTurns,
  keyTool,
  resultsAt,
  scriptedModel,
  subtasks,
  turnWith,
} from '../support/scripts.ts';
import { useWorld, type TestRun } from '../support/temporal.ts';

const { start, world } = useWorld('sub fan-out');
const client = () => new ResearchClient({ client: world().client, taskQueue: world().taskQueue, identity: 'me@here' });
const look = keyTool('look', (key) => ({
  text: `seen ${key}`,
  sources: [{ id: `d-${key}`, url: `x:${key}`, title: key }],
}));
const delegates = (...goals: string[]) => turnWith(['delegate', { subtasks: goals.map((goal) => ({ goal })) }]);
const usageOf = async (run: TestRun, id: string) => {
  const result = (await world().client.workflow.getHandle(`${run.runId}/${id}`).result()) as SubagentOutcome;
  return result.usage;
};
const endsBelow = async (run: TestRun) =>
  [...(await run.histories())].map(
    ([id, history]: [string, History]) => `${id.slice(run.runId.length)} ${closeOf(history)}`,
  );
const offeredAt = (model: { requests: { place: string; request: ModelRequest }[] }, place: string) =>
  model.requests.find((each) => each.place === place)!.request.tools.map(({ name }) => name);

test('a subagent hands two parts on, goes on with what they found, and their usage is part of its own', async () => {
  const found = (key: string) => [
    turnWith(['look', { key }]),
    { report: { summary: `found ${key}`, claims: [{ text: key, quote: `seen ${key}`, sourceId: `d-${key}` }] } },
  ];
  const model = scriptedModel({
    subagents: {
      s1: [
        delegates('part one', 'part two'),
        { report: { summary: 'both', claims: [{ text: 'a', quote: 'seen a', sourceId: 'd-a' }] } },
      ],
      's1.1': found('a'),
      's1.2': found('b'),
    },
    synthesis: { text: 'As it is said [s1.1].' },
  });
  const run = await start({ question: 'Q', subtasks: subtasks(1), maxDepth: 2 }, { model, tools: [look] });
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(endsOf(result)).toEqual(['s1 done']);
  expect((await endsBelow(run)).sort()).toEqual([' completed', '/s1 completed', '/s1.1 completed', '/s1.2 completed']);
  const [answer] = resultsAt(model, 's1 turn 2');
  expect(answer).toMatchObject({ name: 'delegate', isError: false });
  expect(answer!.text).toContain('s1.1 done: part one\n{"summary":"found a","claims":[{"text":"a","sourceId":"d-a"');
  expect(answer!.text).toContain('s1.2 done: part two');
  expect(result.document!.citations).toEqual([{ marker: '[1]', sourceId: 'd-a', quote: 'seen a', verified: true }]);
  const parts = [await usageOf(run, 's1.1'), await usageOf(run, 's1.2')].reduce(addUsage, noUsage);
  const whole = result.subagents[0]!.usage;
  // Its own two turns are on top of them, and its own call.
  expect(whole.tokens).toBeGreaterThan(parts.tokens);
  expect(whole.toolCalls).toBe(parts.toolCalls + 1);
  const { tree, budget, usage } = await client().getHandle(run.runId).describe();
  expect(tree.map(({ id, parentId, goal }) => [id, parentId, goal])).toEqual([
    ['s1', null, 'goal 1'],
    ['s1.1', 's1', 'part one'],
    ['s1.2', 's1', 'part two'],
  ]);
  expect(tree[0]!.usage.tokens).toBe(whole.tokens);
  expect([budget.tokens.spent, usage.tokens]).toEqual([result.usage.tokens, result.usage.tokens]);
  expect(offeredAt(model, 's1 turn 1')).toEqual(['look', 'delegate']);
  expect(offeredAt(model, 's1.1 turn 1')).toEqual(['look']);
});

test('without maxDepth no subagent can hand anything on', async () => {
  const model = scriptedModel({ subagents: { s1: [delegates('part'), ...answers('alone')] } });
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [look] });
  expect((await run.result()).status).toBe('completed');
  expect(offeredAt(model, 's1 turn 1')).toEqual(['look']);
  expect(resultsAt(model, 's1 turn 2')[0]).toMatchObject({ isError: true });
  expect(await run.family()).toEqual([run.runId, `${run.runId}/s1`]);
});

test('with three levels a subagent of a subagent hands on too, and its own may not', async () => {
  const model = scriptedModel({
    subagents: {
      s1: [delegates('half'), ...answers('top')],
      's1.1': [delegates('quarter'), ...answers('middle')],
      's1.1.1': answers('bottom'),
    },
  });
  const run = await start({ question: 'Q', subtasks: subtasks(1), maxDepth: 3 }, { model, tools: [look] });
  expect((await run.result()).status).toBe('completed');
  expect(resultsAt(model, 's1.1 turn 2')[0]!.text).toContain('s1.1.1 done: quarter');
  expect(offeredAt(model, 's1.1.1 turn 1')).toEqual(['look']);
  const { tree } = await client().getHandle(run.runId).describe();
  expect(tree.map(({ id, status }) => `${id} ${status}`)).toEqual(['s1 done', 's1.1 done', 's1.1.1 done']);
});

test('those below get half of what is left, never more than it has, and ids go on from call to call', async () => {
  const model = scriptedModel({
    subagents: {
      s1: [delegates('a', 'b'), delegates('c', 'd', 'e'), ...answers('enough')],
      '*': answers('part'),
    },
  });
  const input = { question: 'Q', subtasks: subtasks(1), maxDepth: 2, maxSubagents: 4, subagentTokens: 60_000 };
  const run = await start(input, { model });
  await run.result();
  const histories = await run.histories();
  const tokensOf = (id: string) => {
    const started = histories.get(`${run.runId}/${id}`)!.events![0]!.workflowExecutionStartedEventAttributes!;
    const payload = started.input!.payloads![0]!.data!;
    return (JSON.parse(Buffer.from(payload).toString('utf8')) as { allotment: { tokens: number } }).allotment.tokens;
  };
  expect(tokensOf('s1.1')).toBe(tokensOf('s1.2'));
  expect(tokensOf('s1.1') * 2).toBeLessThanOrEqual(30_000);
  expect(tokensOf('s1.3') * 2).toBeLessThanOrEqual(30_000);
  // Four in all: the third of the second call is one too many.
  expect([...histories.keys()].map((id) => id.slice(run.runId.length)).sort()).toEqual([
    '',
    ...['/s1', '/s1.1', '/s1.2', '/s1.3', '/s1.4'],
  ]);
  expect(resultsAt(model, 's1 turn 3')[0]!.text).toContain('1 subtask was not started, beyond the number');
});

test('where half of what is left pays for nobody, the model is told to go on itself', async () => {
  const model = scriptedModel({ subagents: { s1: [delegates('a'), ...answers('alone')] } });
  const input = { question: 'Q', subtasks: subtasks(1), maxDepth: 2, subagentTokens: 4_000, maxOutputTokens: 256 };
  const run = await start({ ...input, budget: { onExhausted: 'finalize' } }, { model });
  await run.result();
  expect(resultsAt(model, 's1 turn 2')[0]!.text).toContain('half of what is left of your budget does not pay');
  expect(await run.family()).toEqual([run.runId, `${run.runId}/s1`]);
});

test('a cancel of the run reaches those below: all are cancelled, and what they used is counted once', async () => {
  const gate = new Gate();
  const model = scriptedModel(
    { subagents: { s1: [delegates('a', 'b'), ...answers('late')], '*': answers('late') } },
    holdTurns(gate, ['s1.1 turn 1', 's1.2 turn 1']),
  );
  const run = await start({ question: 'Q', subtasks: subtasks(1), maxDepth: 2 }, { model });
  await gate.hold(2);
  const handle = client().getHandle(run.runId);
  const receipt = await handle.cancel({ wait: true });
  expect(receipt).toMatchObject({ status: 'cancelled' });
  expect([...receipt.affected].sort()).toEqual(['s1', 's1.1', 's1.2']);
  expect((await endsBelow(run)).sort()).toEqual([' cancelled', '/s1 cancelled', '/s1.1 cancelled', '/s1.2 cancelled']);
  expect(model.requests.filter(({ aborted }) => aborted)).toHaveLength(2);
  const result = await handle.result();
  expect(endsOf(result)).toEqual(['s1 cancelled (operator)']);
  const { tree, usage } = await handle.describe();
  expect(usage.tokens).toBe(result.usage.tokens);
  expect(usage.tokens).toBe(tree.find(({ id }) => id === 's1')!.usage.tokens);
  expect(usage.tokens).toBeGreaterThanOrEqual(tree.find(({ id }) => id === 's1.1')!.usage.tokens * 2);
});

test('one below that is terminated from outside is a part without an answer; the others are not affected', async () => {
  const gate = new Gate();
  const model = scriptedModel(
    { subagents: { s1: [delegates('a', 'b'), ...answers('the rest')], '*': answers('found') } },
    holdTurns(gate, ['s1.1 turn 1']),
  );
  const run = await start({ question: 'Q', subtasks: subtasks(1), maxDepth: 2 }, { model });
  await gate.hold(1);
  await world().client.workflow.getHandle(`${run.runId}/s1.1`).terminate('by hand');
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done']);
  const [answer] = resultsAt(model, 's1 turn 2');
  expect(answer!.text).toContain('s1.1 failed (terminated: terminated from outside): a\nIt handed nothing back');
  expect(answer!.text).toContain('s1.2 done: b');
  // The request that was out is charged, as an estimate.
  expect(result.usage.estimated).toBe(true);
  gate.open();
});

test('one that is terminated is charged for those below it, which are cancelled', async () => {
  const gate = new Gate();
  const model = scriptedModel(
    { subagents: { s1: [delegates('a', 'b'), ...answers('late')], '*': answers('found') } },
    holdTurns(gate, ['s1.1 turn 1', 's1.2 turn 1']),
  );
  const run = await start({ question: 'Q', subtasks: subtasks(1), maxDepth: 2 }, { model });
  await gate.hold(2);
  await world().client.workflow.getHandle(`${run.runId}/s1`).terminate('by hand');
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 failed (terminated)']);
  const histories = await run.histories();
  expect(['s1.1', 's1.2'].map((id) => closeOf(histories.get(`${run.runId}/${id}`)!))).toEqual([
    'cancelled',
    'cancelled',
  ]);
  const { tree } = await client().getHandle(run.runId).describe();
  const below = tree.filter(({ parentId }) => parentId === 's1').map(({ usage }) => usage.tokens);
  expect(below.every((tokens) => tokens > 0)).toBe(true);
  expect(result.subagents[0]!.usage.tokens).toBeGreaterThan(below[0]! + below[1]!);
});

test('finalize: those below hand back first, and what they have is in what the one above hands back', async () => {
  const gate = new Gate();
  const model = scriptedModel(
    {
      subagents: {
        s1: { turns: [delegates('a', 'b'), ...answers('late')], handBack: { report: { summary: 'together' } } },
        's1.1': { turns: answers('late'), handBack: { report: { summary: 'half a' } } },
        's1.2': answers('all of b'),
      },
    },
    (place, signal, request) =>
      request.task.kind === 'research' && request.task.handBack
        ? undefined
        : holdTurns(gate, ['s1.1 turn 1'])(place, signal),
  );
  const run = await start({ question: 'Q', subtasks: subtasks(1), maxDepth: 2 }, { model });
  await gate.hold(1);
  const handle = client().getHandle(run.runId);
  await waitUntil(async () =>
    (await handle.describe()).tree.some(({ id, status }) => id === 's1.2' && status === 'done'),
  );
  await handle.finalize({ reason: 'enough' });
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 partial (operator)']);
  const handBack = activitiesOf((await run.histories()).get(`${run.runId}/s1`)!, 'callModelActivity').at(-1)!;
  expect(handBack.input).toMatchObject({ handBack: 'operator' });
  const [answer] = resultsAt(model, 's1 turn 2');
  expect(answer!.text).toContain('s1.1 partial (operator): a\n{"summary":"half a"');
  expect(answer!.text).toContain('s1.2 done: b');
});

test('the time of one that waits for a person is not the time of those above it', async () => {
  const model = scriptedModel({
    subagents: {
      s1: [delegates('a'), ...answers('after it')],
      's1.1': [turnWith(['look', { key: 'a' }]), ...answers('a')],
    },
  });
  const asking = { ...look, description: { ...look.description, asksFirst: true } };
  const input = { question: 'Q', subtasks: subtasks(1), maxDepth: 2 };
  const run = await start({ ...input, subagentWallClock: 5_000 }, { model, tools: [asking] });
  const handle = client().getHandle(run.runId);
  await waitUntil(async () => (await handle.describe()).status === 'awaiting-approval');
  const [ask] = (await handle.describe()).approvals;
  expect(ask).toMatchObject({ subagentId: 's1.1', tool: 'look' });
  const waitedSince = Date.now();
  await waitUntil(async () => Date.now() - waitedSince > 5_500);
  await handle.approve(ask!.id);
  expect(endsOf(await run.result())).toEqual(['s1 done']);
  expect(resultsAt(model, 's1 turn 2')[0]!.text).toContain('s1.1 done');
});

test('one below that is cancelled while it waits for a person: the request is withdrawn, and the run goes on', async () => {
  const gate = new Gate();
  const script = {
    subagents: {
      s1: [delegates('a'), ...answers('without it')],
      's1.1': [turnWith(['look', { key: 'a' }]), ...answers('a')],
    },
  };
  const model = scriptedModel(script, holdTurns(gate, ['s1 turn 2']));
  const asking = { ...look, description: { ...look.description, asksFirst: true } };
  const run = await start({ question: 'Q', subtasks: subtasks(1), maxDepth: 2 }, { model, tools: [asking] });
  const handle = client().getHandle(run.runId);
  await waitUntil(async () => (await handle.describe()).status === 'awaiting-approval');
  expect(await handle.cancelSubagent('s1.1', { wait: true })).toMatchObject({
    status: 'cancelled',
    affected: ['s1.1'],
  });
  // The one above is at work: nobody is needed any more.
  await gate.hold(1);
  await waitUntil(async () => (await handle.describe()).status === 'running');
  gate.open();
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done']);
  expect(resultsAt(model, 's1 turn 2')[0]!.text).toContain('s1.1 cancelled (operator): a');
  const [ask] = (await handle.describe()).approvals;
  expect(ask!.outcome).toMatchObject({ decision: 'withdrawn' });
});
