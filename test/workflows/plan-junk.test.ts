import { expect, test } from '@jest/globals';
import { activitiesOf, usageOfRunItself } from '../support/read-history.ts';
import { answers, endsOf, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('plan junk');
const startWith = async (text: string, maxSubagents = 4) => {
  const model = scriptedModel({ plan: { text }, subagents: { '*': answers('found') } });
  const run = await start({ question: 'Q', maxSubagents }, { model });
  return { model, run, result: await run.result() };
};

test('B30 · a plan in a fence, in prose or as texts is read', async () => {
  const plans = [
    '```json\n{"subtasks": [{"goal": "one"}, {"goal": "two"}]}\n```',
    'Here you are: ["one", "two"]. Good luck!',
    '{"tasks": ["one", "two"]}',
  ];
  const runs = await Promise.all(plans.map((text) => startWith(text)));
  for (const { result } of runs) expect(result.subagents.map(({ goal }) => goal)).toEqual(['one', 'two']);
});

test('B30 · a reply that is no plan is asked for a fixed number of times, each paid, and then the run fails as a plan', async () => {
  const runs = await Promise.all(
    ['null', '[]', '', 'I would rather not.', '{"subtasks": [7]}'].map((text) => startWith(text)),
  );
  for (const { model, run, result } of runs) {
    expect(result.status).toBe('failed');
    expect(result.failure?.code).toBe('PLAN_INVALID');
    expect(model.requests.map(({ place }) => place)).toEqual(['plan', 'plan', 'plan']);
    expect(result.usage.tokens).toBe(usageOfRunItself(await run.history()).tokens);
    expect(result.usage.tokens).toBeGreaterThan(0);
    expect(await run.family()).toHaveLength(1);
  }
  const second = activitiesOf(await runs[3]!.run.history(), 'planActivity')[1]!.input as { problem: string };
  expect(second.problem).toContain('holds no plan'); // the planner is told what was wrong
});

test('B30 · too many subtasks, repeated ones and hostile ids: cut, dropped, and said; ids are ours', async () => {
  const many = Array.from({ length: 500 }, (_, index) => ({ id: '../__proto__', goal: `goal ${index % 250}` }));
  const huge = [{ goal: 'x'.repeat(1_000_000) }, { goal: 'short' }];
  const [cut, long] = await Promise.all([
    startWith(JSON.stringify({ subtasks: many })),
    startWith(JSON.stringify({ subtasks: huge })),
  ]);
  expect(endsOf(cut.result)).toEqual(['s1 done', 's2 done', 's3 done', 's4 done']);
  expect(cut.result.notes.join('\n')).toMatch(/246 of 250 subtasks were left out \(limit 4\)/);
  expect(cut.result.notes.join('\n')).toMatch(/250 repeated subtasks were dropped/);
  expect(cut.result.document!.report).toContain('246 of 250 subtasks were left out');
  expect(long.result.subagents[0]!.goal.length).toBeLessThanOrEqual(4_000);
  expect(long.result.notes.join('\n')).toContain('the goal of s1 was cut');
});

test('subtasks of the caller are taken as they are, without a planner', async () => {
  const model = scriptedModel({ plan: { text: 'never asked' }, subagents: { '*': answers('found') } });
  const result = await (await start({ question: 'Q', subtasks: subtasks(8), maxSubagents: 2 }, { model })).result();
  expect(result.subagents).toHaveLength(8);
  expect(model.requests.filter(({ place }) => place === 'plan')).toEqual([]);
});
