import { expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { Gate } from '../support/gate.ts';
import { callsOf, keyTool, oneBatch, resultsAt, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('tool batch overflow');
const one = { question: 'Q', subtasks: subtasks(1) };
const keys = Array.from({ length: 30 }, (_, index) => String(index + 1));

test('thirty calls with a cap of 8 run in groups of 8, and every one is answered', async () => {
  const gate = new Gate();
  const model = scriptedModel(oneBatch(callsOf('look', keys)));
  const look = keyTool('look', async (key, { signal }) => {
    await gate.pass(key, signal);
    return key;
  });
  const run = await start({ ...one, tools: { policy: 'parallel' } }, { model, tools: [look] });
  for (const group of [keys.slice(0, 8), keys.slice(8, 16), keys.slice(16, 24), keys.slice(24)]) {
    await gate.hold(group.length);
    expect(gate.waiting().sort()).toEqual([...group].sort());
    for (const key of group) gate.open(key);
    await gate.hold(0);
  }
  const result = await run.result();
  expect(gate.peak).toBe(8);
  expect(resultsAt(model, 's1 turn 2').map(({ text }) => text)).toEqual(keys);
  expect(result.usage.toolCalls).toBe(30);
  expect(result.toolCallsPerMessage).toBe(30);
});

test('with "reject" the first eight run and each of the surplus is answered with why it did not', async () => {
  const ran: string[] = [];
  const model = scriptedModel(oneBatch(callsOf('look', keys)));
  const look = keyTool('look', (key) => String(ran.push(key)));
  const result = await (await start({ ...one, tools: { overflow: 'reject' } }, { model, tools: [look] })).result();
  expect(ran.sort()).toEqual(keys.slice(0, 8).sort());
  const results = resultsAt(model, 's1 turn 2');
  expect(results.map(({ callId }) => callId)).toEqual(keys.map((key) => `t1c${key}`));
  expect(new Set(results.slice(8).map(({ isError, text }) => `${isError} ${text}`))).toEqual(
    new Set([`true ${toolErrorText.overCap(8)}`]),
  );
  expect(result.usage.toolCalls).toBe(8);
});
