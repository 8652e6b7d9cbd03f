import { expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { keyTool, oneBatch, resultsAt, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('tool batch session');

test('a session tool makes its batch sequential under every policy, and it stops at the first failure', async () => {
  const seen: string[] = [];
  let running = 0;
  const tools = [
    keyTool(
      'browser',
      async (key) => {
        expect(++running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        seen.push(key);
        if (key === 'broken') throw new Error('no such button');
        return key;
      },
      { session: true },
    ),
    keyTool('look', (key) => String(seen.push(key))),
  ];
  const batch = turnWith(
    ['browser', { key: 'open' }],
    ['look', { key: 'look' }],
    ['browser', { key: 'broken' }],
    ['browser', { key: 'click' }],
    ['look', { key: 'late' }],
  );
  const model = scriptedModel(oneBatch(batch));
  const run = await start({ question: 'Q', subtasks: subtasks(1), tools: { policy: 'parallel' } }, { model, tools });
  await run.result();
  expect(seen).toEqual(['open', 'look', 'broken']);
  expect(resultsAt(model, 's1 turn 2').slice(2)).toMatchObject([
    { isError: true, text: 'no such button' },
    { isError: true, text: toolErrorText.skipped('browser') },
    { isError: true, text: toolErrorText.skipped('browser') },
  ]);
});
