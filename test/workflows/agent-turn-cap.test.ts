import { expect, test } from '@jest/globals';
import { keyTool, endsOf, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('agent turn cap');
const tireless = {
  turns: Array.from({ length: 30 }, (_, turn) => ({ calls: [{ tool: 'look', arguments: { key: String(turn) } }] })),
};

test.each([5, 2, 1])(
  'B22 · maxTurns %i is that many model calls, the last without tools, and what was found is handed back',
  async (maxTurns) => {
    let calls = 0;
    const look = keyTool('look', () => String(++calls));
    const subagent = { ...tireless, handBack: { report: { summary: 'what I have' } } };
    const model = scriptedModel({ subagents: { s1: subagent } });
    const result = await (
      await start({ question: 'Q', subtasks: subtasks(1), maxTurns }, { model, tools: [look] })
    ).result();
    const turns = model.requests.filter(({ place }) => place.startsWith('s1'));
    expect(turns.map(({ request }) => request.toolChoice)).toEqual([
      ...Array<string>(maxTurns - 1).fill('auto'),
      'none',
    ]);
    expect(calls).toBe(maxTurns - 1);
    expect(result.status).toBe('partial');
    expect(endsOf(result)).toEqual(['s1 partial (max-turns)']);
    expect(result.subagents[0]).toMatchObject({ turns: maxTurns });
    expect(result.document!.report).toContain('what I have');
  },
);

test('a subagent that hands back nothing on its last turn has failed, and its usage is kept', async () => {
  const look = keyTool('look', () => 'seen');
  const model = scriptedModel({ subagents: { s1: { ...tireless, handBack: { text: '' } } } });
  const result = await (
    await start({ question: 'Q', subtasks: subtasks(1), maxTurns: 3 }, { model, tools: [look] })
  ).result();
  expect(endsOf(result)).toEqual(['s1 failed (max-turns)']);
  expect(result.subagents[0]!.message).toContain('handed back nothing');
  expect(result.usage.tokens).toBeGreaterThan(0);
});

test('calls on the tools-off turn are not executed', async () => {
  let calls = 0;
  const look = keyTool('look', () => String(++calls));
  const stubborn = { ...tireless, handBack: { calls: [{ tool: 'look' }], text: 'still looking' } };
  const model = scriptedModel({ subagents: { s1: stubborn } });
  const result = await (
    await start({ question: 'Q', subtasks: subtasks(1), maxTurns: 2 }, { model, tools: [look] })
  ).result();
  expect(calls).toBe(1);
  expect(endsOf(result)).toEqual(['s1 partial (max-turns)']);
  expect(model.requests.filter(({ place }) => place.startsWith('s1'))).toHaveLength(2);
});
