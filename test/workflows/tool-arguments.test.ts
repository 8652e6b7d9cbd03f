import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { defaults } from '../../src/contract/defaults.ts';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { utf8Bytes } from '../../src/domain/text.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { callsOf, keyTool, oneBatch, resultsAt, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('tool arguments');
const one = { question: 'Q', subtasks: subtasks(1) };
const look = (seen: string[]) => keyTool('look', (key) => String(seen.push(key)));

test('arguments that are no JSON object are never executed, and the answer shows at most a piece of them', async () => {
  const seen: string[] = [];
  const huge = `{"key": "${'x'.repeat(1_000_000)}`;
  const bad = ['{"key": "x"', 'null', '[1]', '7', huge];
  const model = scriptedModel(
    oneBatch(turnWith(...bad.map((text): [string, unknown] => ['look', text]), ['look', '{"key":"ok"}'])),
  );
  const result = await (await start(one, { model, tools: [look(seen)] })).result();
  expect(seen).toEqual(['ok']);
  const results = resultsAt(model, 's1 turn 2');
  expect(results.map(({ isError }) => isError)).toEqual([true, true, true, true, true, false]);
  for (const { text } of results.slice(0, 5)) expect(text).toContain('not a JSON object');
  const { request } = model.requests.find(({ place }) => place === 's1 turn 2')!;
  expect(utf8Bytes(JSON.stringify(request.messages))).toBeLessThan(10_000);
  expect(result.status).toBe('completed');
});

test('no arguments, in all their wire forms, are an empty object; a tool that needs some refuses them', async () => {
  let ran = 0;
  const now = defineTool({
    name: 'now',
    description: 'Says the time.',
    effect: 'read',
    input: z.strictObject({}),
    run: async () => ({ text: String(++ran) }),
  });
  const needy = defineTool({
    name: 'needy',
    description: 'Needs a key.',
    effect: 'read',
    input: z.object({ key: z.string() }),
    run: async () => ({ text: 'ran' }),
  });
  const model = scriptedModel({
    subagents: {
      s1: [
        {
          calls: [
            { tool: 'now', arguments: '' },
            { tool: 'now', arguments: '  ' },
            { tool: 'now' },
            { tool: 'now', arguments: '{}' },
            { tool: 'needy', arguments: '' },
          ],
        },
        { report: { summary: 'done' } },
      ],
    },
  });
  await (await start(one, { model, tools: [now, needy] })).result();
  const results = resultsAt(model, 's1 turn 2');
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false, false, true]);
  expect(results[4]!.text).toContain('key: wanted a string');
  expect(ran).toBe(4);
});

test('an unknown tool is answered with the names of those there are, and the run goes on', async () => {
  const seen: string[] = [];
  const model = scriptedModel(
    oneBatch(turnWith(['lok', { key: '1' }], ['multi_tool_use.parallel', { key: '2' }], ['look', { key: '3' }])),
  );
  const result = await (await start(one, { model, tools: [look(seen)] })).result();
  expect(seen).toEqual(['3']);
  expect(resultsAt(model, 's1 turn 2').map(({ isError, text }) => `${isError} ${text}`)).toEqual([
    `true ${toolErrorText.unknownTool('lok', ['look'])}`,
    `true ${toolErrorText.unknownTool('multi_tool_use.parallel', ['look'])}`,
    'false 1',
  ]);
  expect(result.status).toBe('completed');
  expect(result.usage.toolCalls).toBe(1); // what did not run is not charged
});

test('an empty output says that it succeeded, and an empty error is still a text', async () => {
  const outputs: Record<string, unknown> = {
    empty: '',
    blank: '   ',
    null: null,
    undefined: undefined,
    list: [],
    object: {},
  };
  const tool = keyTool('give', (key) => {
    if (key === 'error') throw new Error('');
    if (key === 'spaces') throw new Error('  ');
    if (key === 'nothing') return undefined as unknown as string;
    return { text: outputs[key] as string };
  });
  const model = scriptedModel(oneBatch(callsOf('give', [...Object.keys(outputs), 'nothing', 'error', 'spaces'])));
  await (await start({ ...one, tools: { maxToolCallsPerTurn: 9 } }, { model, tools: [tool] })).result();
  const results = resultsAt(model, 's1 turn 2');
  expect(results.map(({ isError }) => isError)).toEqual([...Array<boolean>(7).fill(false), true, true]);
  for (const { text } of results) expect(text.trim()).not.toBe('');
  expect(results.slice(0, 4).map(({ text }) => text)).toEqual(
    Array(4).fill('(the tool succeeded and returned no output)'),
  );
  expect(results.slice(4, 6).map(({ text }) => text)).toEqual(['[]', '{}']);
});

test('B25 · a huge or broken output is cut by whole characters, says its size, and is well-formed everywhere', async () => {
  const cap = defaults.toolOutputChars;
  const outputs: Record<string, string> = {
    huge: 'x'.repeat(5 * 1_024 * 1_024),
    emoji: '👍'.repeat(cap),
    shifted: `x${'👍'.repeat(cap)}`,
    stray: 'a\ud83d\0b',
  };
  const seen: string[] = [];
  const tool = keyTool('give', (key) => {
    seen.push(key);
    return outputs[key] ?? 'nothing';
  });
  const broken = turnWith(...Object.keys(outputs).map((key): [string, unknown] => ['give', { key }]), [
    'give',
    '{"key":"\\ud83d\\u0000x"}',
  ]);
  const model = scriptedModel(oneBatch(broken));
  const result = await (await start(one, { model, tools: [tool] })).result();
  expect(result.status).toBe('completed');
  const results = resultsAt(model, 's1 turn 2');
  for (const { text } of results) {
    expect(text.length).toBeLessThanOrEqual(cap);
    expect(text.isWellFormed()).toBe(true);
  }
  expect(results[0]!.text).toContain('of 5,242,880 characters');
  expect(results[3]!.text).toBe('a\ufffdb');
  expect(seen).toContain('\ufffdx');
  const { request } = model.requests.find(({ place }) => place === 's1 turn 2')!;
  expect(JSON.stringify(request.messages)).not.toMatch(/\\ud[89a-f]|\\u0000/);
});
