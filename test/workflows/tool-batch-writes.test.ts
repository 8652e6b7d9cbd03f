import { expect, test } from '@jest/globals';
import { keyTool, oneBatch, resultsAt, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { Gate } from '../support/gate.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('tool batch writes');
const one = { question: 'Q', subtasks: subtasks(1) };

test('a write waits for all before it, runs alone, and holds back all after it', async () => {
  const gate = new Gate();
  const hold = async (name: string, signal: AbortSignal) => {
    await gate.pass(name, signal);
    return name;
  };
  const tools = [
    keyTool('read', (key, { signal }) => hold(`read ${key}`, signal)),
    keyTool('write', (key, { signal }) => hold(`write ${key}`, signal), { effect: 'write' }),
  ];
  const batch = turnWith(
    ['read', { key: 'a' }],
    ['read', { key: 'b' }],
    ['write', { key: 'c' }],
    ['write', { key: 'd' }],
    ['read', { key: 'e' }],
  );
  const model = scriptedModel(oneBatch(batch));
  const run = await start(one, { model, tools });
  await gate.hold(2);
  expect(gate.waiting().sort()).toEqual(['read a', 'read b']);
  gate.open('read a');
  await gate.hold(1);
  expect(gate.waiting()).toEqual(['read b']); // the write still waits
  gate.open('read b');
  for (const alone of ['write c', 'write d', 'read e']) {
    await gate.hold(1);
    expect(gate.waiting()).toEqual([alone]);
    gate.open(alone);
    await gate.hold(0);
  }
  await run.result();
  expect(resultsAt(model, 's1 turn 2').map(({ text }) => text)).toEqual([
    'read a',
    'read b',
    'write c',
    'write d',
    'read e',
  ]);
});

test('B20 · six edits of one file all take effect, and the read after a write sees it', async () => {
  const lines = new Map<string, string>();
  const tools = [
    keyTool(
      'edit',
      async (key) => {
        const before = new Map(lines); // read, think, write: what loses updates when two do it at once
        await new Promise((resolve) => setImmediate(resolve));
        lines.clear();
        for (const [line, text] of before) lines.set(line, text);
        lines.set(key, 'edited');
        return 'edited';
      },
      { effect: 'write' },
    ),
    keyTool('read', () => [...lines.keys()].join(' ')),
  ];
  const edits = ['1', '2', '3', '4', '5', '6'].map((key): [string, unknown] => ['edit', { key }]);
  const model = scriptedModel(oneBatch(turnWith(...edits, ['read'])));
  await (await start(one, { model, tools })).result();
  const results = resultsAt(model, 's1 turn 2');
  expect(results.map(({ isError }) => isError)).toEqual(Array(7).fill(false));
  expect(results.at(-1)!.text).toBe('1 2 3 4 5 6');
});

test('a write that fails does not hold back what comes after it', async () => {
  const tools = [
    keyTool(
      'write',
      () => {
        throw new Error('disk full');
      },
      { effect: 'write' },
    ),
    keyTool('read', () => 'read'),
  ];
  const model = scriptedModel(oneBatch(turnWith(['write'], ['read'])));
  await (await start(one, { model, tools })).result();
  expect(resultsAt(model, 's1 turn 2').map(({ text }) => text)).toEqual(['disk full', 'read']);
});
