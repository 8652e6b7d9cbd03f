import { expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { callsOf, keyTool, oneBatch, resultsAt, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('tool batch deadline');
const one = { question: 'Q', subtasks: subtasks(1) };

test('B21 · a call that never settles and ignores its signal is a time-out; the others keep their results, and the loop goes on', async () => {
  const model = scriptedModel(oneBatch(callsOf('look', [1, 2, 3, 4])));
  let attempts = 0;
  const look = keyTool('look', async (key) => {
    if (key !== '2') return `seen ${key}`;
    attempts += 1;
    return new Promise<never>(() => undefined);
  });
  const result = await (await start({ ...one, tools: { callDeadline: '1s' } }, { model, tools: [look] })).result();
  expect(result.status).toBe('completed');
  expect(resultsAt(model, 's1 turn 2').map(({ isError, text }) => `${isError} ${text}`)).toEqual([
    'false seen 1',
    `true ${toolErrorText.deadline(1)}`,
    'false seen 3',
    'false seen 4',
  ]);
  expect(attempts).toBe(1);
});

test('the deadline of the batch answers what still runs and what never started, and keeps what was finished', async () => {
  const model = scriptedModel(oneBatch(callsOf('look', [1, 2, 3])));
  const look = keyTool('look', async (key, { signal }) => {
    if (key === '1') return 'seen 1';
    return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  });
  const tools = { policy: 'sequential' as const, batchDeadline: '4s' };
  await (await start({ ...one, tools }, { model, tools: [look] })).result();
  const stopped = `true ${toolErrorText.batchDeadline(4)}`;
  expect(resultsAt(model, 's1 turn 2').map(({ isError, text }) => `${isError} ${text}`)).toEqual([
    'false seen 1',
    stopped,
    stopped,
  ]);
});
