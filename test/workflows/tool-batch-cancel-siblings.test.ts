import { expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { Gate } from '../support/gate.ts';
import { callsOf, keyTool, oneBatch, resultsAt, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('tool batch cancel siblings');
const request = {
  question: 'Q',
  subtasks: subtasks(1),
  tools: { onFailure: 'cancel-siblings' as const, maxConcurrency: 3 },
};

test('all or nothing: the first failure cancels the others, waits for them, and the waiting ones never start', async () => {
  const gate = new Gate();
  const stopped: string[] = [];
  const model = scriptedModel(oneBatch(callsOf('look', [1, 2, 3, 4])));
  const look = keyTool('look', async (key, { signal }) => {
    await gate.pass(key, signal).catch((error: unknown) => {
      if (signal.aborted) stopped.push(key);
      throw error;
    });
    return `seen ${key}`;
  });
  const run = await start(request, { model, tools: [look] });
  await gate.hold(3);
  gate.fail('2', new Error('broken'));
  await run.result();
  expect(stopped.sort()).toEqual(['1', '3']);
  const sibling = `true ${toolErrorText.cancelledSibling('look')}`;
  expect(resultsAt(model, 's1 turn 2').map(({ isError, text }) => `${isError} ${text}`)).toEqual([
    sibling,
    'true broken',
    sibling,
    sibling,
  ]);
});

test('a call that cannot be executed at all is a failure of the batch: nothing of it starts', async () => {
  const ran: string[] = [];
  const model = scriptedModel(oneBatch(turnWith(['look', { key: '1' }], ['lok', { key: '2' }])));
  await (await start(request, { model, tools: [keyTool('look', (key) => String(ran.push(key)))] })).result();
  expect(ran).toEqual([]);
  expect(resultsAt(model, 's1 turn 2').map(({ text }) => text)).toEqual([
    toolErrorText.cancelledSibling('lok'),
    toolErrorText.unknownTool('lok', ['look']),
  ]);
});
