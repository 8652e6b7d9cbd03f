import { expect, test } from '@jest/globals';
import { defaults } from '../../src/contract/defaults.ts';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { Gate } from '../support/gate.ts';
import { callsOf, keyTool, oneBatch, resultsAt, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('tool batch worked examples');
const one = { question: 'Q', subtasks: subtasks(1) };
const never = () => new Promise<never>(() => undefined);

test('order status and inventory, inventory hangs: the status arrives, the inventory is an error that names the deadline', async () => {
  const model = scriptedModel(oneBatch(turnWith(['order_status'], ['inventory'])));
  const tools = [keyTool('order_status', () => 'shipped'), keyTool('inventory', never)];
  await (await start({ ...one, tools: { callDeadline: '2s' } }, { model, tools })).result();
  const [status, inventory] = resultsAt(model, 's1 turn 2');
  expect(status).toMatchObject({ name: 'order_status', isError: false, text: 'shipped' });
  expect(inventory).toMatchObject({ name: 'inventory', isError: true, text: toolErrorText.deadline(2) });
  expect(model.requests.filter(({ place }) => place === 's1 turn 2')).toHaveLength(1);
});

test('unless the run says otherwise, that deadline is 30 seconds', () => {
  expect(toolErrorText.deadline(defaults.toolDeadlineMs / 1_000)).toContain('did not respond within 30 seconds');
});

test('cancel order and refund: one after the other, and the refund is skipped when the cancel fails', async () => {
  const refunds: string[] = [];
  const tools = [
    keyTool(
      'cancel_order',
      () => {
        throw new Error('the order has left the house');
      },
      { effect: 'write' },
    ),
    keyTool('refund', (key) => String(refunds.push(key)), { effect: 'write' }),
  ];
  const options = { policy: 'sequential' as const, stopOnFailure: true };
  const wellFormed = scriptedModel(oneBatch(turnWith(['cancel_order'], ['refund'])));
  // A cancel that cannot even be executed has failed as well.
  const malformed = scriptedModel(oneBatch(turnWith(['cancel_order', '{"key":'], ['refund'])));
  const runs = [wellFormed, malformed].map(async (model) =>
    (await start({ ...one, tools: options }, { model, tools })).result(),
  );
  await Promise.all(runs);
  const skipped = { name: 'refund', isError: true, text: toolErrorText.skipped('cancel_order') };
  expect(resultsAt(wellFormed, 's1 turn 2')).toMatchObject([
    { name: 'cancel_order', isError: true, text: 'the order has left the house' },
    skipped,
  ]);
  expect(resultsAt(malformed, 's1 turn 2')).toMatchObject([{ name: 'cancel_order', isError: true }, skipped]);
  expect(refunds).toEqual([]);
});

test('ten quotes: all ten are asked for at once', async () => {
  const gate = new Gate();
  const model = scriptedModel(oneBatch(callsOf('quote', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])));
  const quote = keyTool('quote', async (key, { signal }) => {
    await gate.pass(key, signal);
    return key;
  });
  const run = await start(
    { ...one, tools: { policy: 'parallel', maxToolCallsPerTurn: 10 } },
    { model, tools: [quote] },
  );
  await gate.hold(10);
  gate.open();
  await run.result();
  expect(resultsAt(model, 's1 turn 2').map(({ text }) => text)).toEqual([
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '10',
  ]);
});

test('eight sources at bound 4: two waves', async () => {
  const gate = new Gate();
  const model = scriptedModel(oneBatch(callsOf('source', [1, 2, 3, 4, 5, 6, 7, 8])));
  const source = keyTool('source', async (key, { signal }) => {
    await gate.pass(key, signal);
    return key;
  });
  const tools = { policy: 'bounded' as const, maxConcurrency: 4 };
  const run = await start({ ...one, tools }, { model, tools: [source] });
  await gate.hold(4);
  const first = gate.waiting();
  expect(first.sort()).toEqual(['1', '2', '3', '4']);
  for (const key of first) gate.open(key);
  for (const key of ['5', '6', '7', '8']) await gate.arrival(key);
  expect(gate.waiting().sort()).toEqual(['5', '6', '7', '8']);
  gate.open();
  await run.result();
  expect(gate.peak).toBe(4);
});
