import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { setTimeout as wait } from 'node:timers/promises';
import { Gate } from '../support/gate.ts';
import { activitiesOf } from '../support/read-history.ts';
import { callsOf, keyTool, oneBatch, resultsAt, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('tool batch bounded');
const six = callsOf('look', [1, 2, 3, 4, 5, 6]);
const bounded = { policy: 'bounded' as const, maxConcurrency: 2 };

test('six calls at bound 2: the peak is exactly 2, one that ends admits one while another still runs, and an error frees its permit', async () => {
  const gate = new Gate();
  const model = scriptedModel(oneBatch(six));
  const look = keyTool('look', async (key, { signal }) => {
    await gate.pass(key, signal);
    return `seen ${key}`;
  });
  const run = await start({ question: 'Q', subtasks: subtasks(1), tools: bounded }, { model, tools: [look] });
  await gate.hold(2);
  const first = gate.waiting().sort();
  expect(first).toEqual(['1', '2']);
  gate.open('2');
  await gate.arrival('3');
  expect(gate.waiting().sort()).toEqual(['1', '3']); // 1 still runs
  gate.fail('3', new Error('the index is broken'));
  await gate.arrival('4');
  gate.open('1');
  await gate.arrival('5');
  gate.open('4');
  await gate.arrival('6');
  gate.open();
  await run.result();
  expect(gate.peak).toBe(2);
  expect(resultsAt(model, 's1 turn 2').map(({ callId, isError, text }) => `${callId} ${isError} ${text}`)).toEqual([
    't1c1 false seen 1',
    't1c2 false seen 2',
    't1c3 true the index is broken',
    't1c4 false seen 4',
    't1c5 false seen 5',
    't1c6 false seen 6',
  ]);
});

test('cancelling clears the running and the waiting calls', async () => {
  const gate = new Gate();
  const model = scriptedModel(oneBatch(six));
  const look = keyTool('look', async (key, { signal }) => {
    await gate.pass(key, signal);
    return 'seen';
  });
  const run = await start({ question: 'Q', subtasks: subtasks(1), tools: bounded }, { model, tools: [look] });
  await gate.hold(2);
  await run.handle.cancel();
  await expect(run.handle.result()).rejects.toThrow();
  expect(gate.waiting()).toEqual([]);
  const calls = activitiesOf(await world().history(`${run.runId}/s1`), 'callToolActivity');
  expect(calls.map(({ end }) => end)).toEqual(['cancelled', 'cancelled']);
});

test('two batches never share permits', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': [six, { report: { summary: 'done' } }] } });
  const look = keyTool('look', async (key, { signal }) => {
    await gate.pass(key, signal);
    return 'seen';
  });
  const run = await start({ question: 'Q', subtasks: subtasks(2), tools: bounded }, { model, tools: [look] });
  await gate.hold(4);
  gate.open();
  await run.result();
  expect(gate.peak).toBe(4);
});

test('whatever order twenty batches finish in, the next request is the same to the byte', async () => {
  const latencies = fc.sample(fc.integer({ min: 0, max: 60 }), 40);
  const look = keyTool('look', async (key) => {
    await wait(latencies.pop());
    return `seen ${key}`;
  });
  const turn = turnWith(['look', { key: '0' }], ['look', { key: '1' }], ['look', '{"key":']);
  const model = scriptedModel({ subagents: { '*': [turn, { report: { summary: 'done' } }] } });
  const same = Array.from({ length: 20 }, () => ({ goal: 'the same for all' }));
  await (await start({ question: 'Q', subtasks: same }, { model, tools: [look] })).result();
  const next = model.requests.filter(({ place }) => place.endsWith(' turn 2'));
  expect(next).toHaveLength(20);
  expect(new Set(next.map(({ request }) => JSON.stringify([request.messages, request.tools]))).size).toBe(1);
  expect(resultsAt(model, 's1 turn 2').map(({ callId, isError }) => `${callId} ${isError}`)).toEqual([
    't1c1 false',
    't1c2 false',
    't1c3 true',
  ]);
});
