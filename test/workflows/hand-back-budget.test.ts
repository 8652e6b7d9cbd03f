import { expect, test } from '@jest/globals';
import { endsOf, keyTool, resultsIn, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('hand back budget');
const page = keyTool('page', (key) => `${key} ${'lorem ipsum '.repeat(2_000)}`);
const turns = Array.from({ length: 20 }, (_, turn) => ({
  calls: [{ tool: 'page', arguments: { key: String(turn) } }],
}));
const endless = { subagents: { s1: { turns, handBack: { report: { summary: 'what I have' } } } } };

test('a subagent with 15,000 tokens and 16,000-character results gets at least three working turns, then hands back', async () => {
  const model = scriptedModel(endless);
  const request = { question: 'Q', subtasks: subtasks(1), subagentTokens: 15_000, maxTurns: 20 };
  const result = await (await start(request, { model, tools: [page] })).result();
  const asked = model.requests.filter(({ place }) => place.startsWith('s1')).map((each) => each.request);
  const working = asked.filter(({ toolChoice }) => toolChoice === 'auto');
  expect(working.length).toBeGreaterThanOrEqual(3);
  expect(asked.at(-1)!.toolChoice).toBe('none');
  expect(asked).toHaveLength(working.length + 1);
  // The first results came whole; what did not fit was cut, and says so.
  expect(resultsIn(working[1]!)[0]!.text.length).toBeGreaterThan(15_000);
  const cut = /\[cut from [\d,]+ to [\d,]+ characters to fit the token budget\]/;
  expect(resultsIn(asked.at(-1)!)[0]!.text).toMatch(cut);
  expect(endsOf(result)).toEqual(['s1 partial (budget)']);
  expect(result.subagents[0]!.usage.tokens).toBeLessThanOrEqual(15_000);
  expect(result.document!.report).toContain('what I have');
});

test('whatever the allotment, it is never passed, and the hand-back is always paid for', async () => {
  const allotments = [4_000, 6_000, 9_000, 13_000, 23_000];
  await Promise.all(
    allotments.map(async (subagentTokens) => {
      const request = { question: 'Q', subtasks: subtasks(1), subagentTokens, maxTurns: 20 };
      const result = await (await start(request, { model: scriptedModel(endless), tools: [page] })).result();
      expect({ subagentTokens, ends: endsOf(result) }).toEqual({ subagentTokens, ends: ['s1 partial (budget)'] });
      expect(result.subagents[0]!.usage.tokens).toBeLessThanOrEqual(subagentTokens);
    }),
  );
});
