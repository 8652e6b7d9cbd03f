import { expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { endsOf, keyTool, resultsAt, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('loop guard');
const call = (key: string) => ({ calls: [{ tool: 'look', arguments: { key } }] });
const handBack = { report: { summary: 'what I have' } };

test('the same call with the same arguments three times in a row: the third is not executed, and the subagent hands back', async () => {
  const seen: string[] = [];
  const look = keyTool('look', (key) => String(seen.push(key)));
  const model = scriptedModel({ subagents: { s1: { turns: Array(9).fill(call('a')), handBack } } });
  const result = await (await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [look] })).result();
  expect(seen).toEqual(['a', 'a']);
  expect(endsOf(result)).toEqual(['s1 partial (loop)']);
  expect(result.subagents[0]).toMatchObject({ turns: 4 });
  expect(resultsAt(model, 's1 turn 4')).toMatchObject([{ isError: true, text: toolErrorText.loop() }]);
  expect(model.requests.find(({ place }) => place === 's1 turn 4')!.request.toolChoice).toBe('none');
});

test('other arguments in between, or the same ones written differently, are told apart', async () => {
  const seen: string[] = [];
  const look = keyTool('look', (key) => String(seen.push(key)));
  const same = [
    { calls: [{ tool: 'look', arguments: '{ "key": "a" }' }] },
    call('a'),
    { calls: [{ tool: 'look', arguments: '{"key":"a"}' }] },
  ];
  const model = scriptedModel({
    subagents: {
      s1: [call('a'), call('a'), call('b'), call('a'), call('a'), { report: { summary: 'done' } }],
      s2: { turns: [...same, call('a')], handBack },
    },
  });
  const result = await (await start({ question: 'Q', subtasks: subtasks(2) }, { model, tools: [look] })).result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 partial (loop)']);
  expect(seen).toHaveLength(5 + 2);
});
