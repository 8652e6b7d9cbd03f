import { expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { endsOf, keyTool, resultsAt, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('truncated');
const cut = {
  finish: 'length',
  calls: [{ tool: 'save', arguments: { key: 'whole' } }, { tool: 'save', arguments: '{"key": "ha' }, { tool: 'save' }],
};
const run = async (turns: unknown[]) => {
  let writes = 0;
  const save = keyTool('save', () => String(++writes), { effect: 'write' });
  const model = scriptedModel({ subagents: { s1: turns } });
  const result = await (await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [save] })).result();
  return { result, model, writes: () => writes };
};

test('no call of a reply that the output limit cut is executed, and each is told so', async () => {
  const { result, model, writes } = await run([cut, { report: { summary: 'done' } }]);
  expect(writes()).toBe(0);
  expect(resultsAt(model, 's1 turn 2').map(({ callId, isError, text }) => `${callId} ${isError} ${text}`)).toEqual(
    ['t1c1', 't1c2', 't1c3'].map((callId) => `${callId} true ${toolErrorText.truncated()}`),
  );
  expect(endsOf(result)).toEqual(['s1 done']);
});

test('two cut replies in a row end the subagent as truncated, never as done, and both are paid', async () => {
  const usage = { inputTokens: 100, outputTokens: 50 };
  const { result, model, writes } = await run([
    { ...cut, usage },
    { ...cut, usage },
    { report: { summary: 'never asked' } },
  ]);
  expect(writes()).toBe(0);
  expect(endsOf(result)).toEqual(['s1 failed (truncated)']);
  expect(result.subagents[0]!.usage).toMatchObject({ inputTokens: 200, outputTokens: 100, estimated: false });
  expect(model.requests.filter(({ place }) => place.startsWith('s1'))).toHaveLength(2);
});

test('a text that was cut twice is kept, as a part', async () => {
  const half = { finish: 'length', text: 'The answer begins with' };
  const { result } = await run([half, half]);
  expect(endsOf(result)).toEqual(['s1 partial (truncated)']);
  expect(result.status).toBe('partial');
});
