import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { OutlineEntry } from '../../src/contract/model.ts';
import { planStepResultSchema, type PlanStep } from '../../src/contract/steps.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { createWorld, modelOf, reply, runOnce, type ListModel } from './activity-world.ts';

const outline: OutlineEntry[] = [
  { url: 'corpus:joins.md', title: 'How runs join', headings: ['First wins', 'Deadlines'], score: 9 },
  { url: 'corpus:bare.md', title: 'Bare', headings: [], score: 1 },
];

async function plan(model: ListModel, parts: Partial<PlanStep> = {}, tools: readonly Tool[] = []) {
  const asked: unknown[] = [];
  const { activities } = createWorld({
    model,
    openToolbox: async ({ corpus }) => {
      asked.push(corpus);
      return { tools, outline: () => outline, notes: [] };
    },
  });
  const step: PlanStep = {
    runId: 'run-1',
    question: 'Why do runs join?',
    model: 'list',
    maxSubagents: 3,
    corpus: '/srv/docs',
    attempt: 1,
    maxOutputTokens: 1_000,
    maxSpendTokens: 20_000,
    attempts: 4,
    ...parts,
  };
  const result = await runOnce(activities.planActivity, step);
  expect(planStepResultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  expect(asked).toEqual([step.corpus]);
  return result;
}

const saying = (text: string) => modelOf([reply({ text })]);
const textsOf = (model: ListModel) =>
  model.requests[0]!.messages.map((message) => ('text' in message ? message.text : '')).join('\n');

test('the planner reads the question, the limit, the instructions and what the corpus holds', async () => {
  const model = saying('{"subtasks": ["one", "two"]}');
  const result = await plan(model, { instructions: 'In Dutch.' });
  const prompt = textsOf(model);
  expect(prompt).toContain('at most 3 subtasks');
  expect(prompt).toContain('Why do runs join?');
  expect(prompt).toContain('In Dutch.');
  expect(prompt).toContain('- How runs join (corpus:joins.md): First wins · Deadlines');
  expect(prompt).toMatch(/^- Bare \(corpus:bare\.md\)$/m);
  expect(model.requests[0]).toMatchObject({ task: { kind: 'plan', maxSubagents: 3, outline, attempt: 1 }, tools: [] });
  expect(result).toMatchObject({
    kind: 'plan',
    plan: {
      subtasks: [
        { id: 's1', goal: 'one' },
        { id: 's2', goal: 'two' },
      ],
    },
    usage: { requests: 1, inputTokens: 100 },
  });
});

describe('a reply that is no plan', () => {
  test.each(['', 'null', '[]', 'Let me think about it.', '{"subtasks": []}', '{"subtasks": [{}]}', '{"subtasks": 5}'])(
    '%p is paid for, and says what is wrong with it',
    async (text) => {
      expect(await plan(saying(text))).toMatchObject({
        kind: 'again',
        problem: expect.stringMatching(/\w/),
        usage: { requests: 1, inputTokens: 100, outputTokens: 20 },
      });
    },
  );

  test('is told to the planner when it is asked again', async () => {
    const model = saying('["one"]');
    await plan(model, { attempt: 2, problem: 'the plan has no subtasks' });
    expect(textsOf(model)).toContain('Your last answer could not be used: the plan has no subtasks.');
    expect(model.requests[0]!.task).toMatchObject({ attempt: 2 });
  });
});

test.each([
  ['in a fence', '```json\n{"subtasks": [{"goal": "one"}]}\n```'],
  ['in prose', 'Here it is: {"tasks": ["one"]} Good luck!'],
])('a plan %s is a plan', async (_, text) => {
  expect(await plan(saying(text))).toMatchObject({ kind: 'plan', plan: { subtasks: [{ id: 's1', goal: 'one' }] } });
});

test('of 500 subtasks as many as the limit allows are kept, under ids of ours, and the cut is noted', async () => {
  const subtasks = Array.from({ length: 500 }, (_, index) => ({ id: '__proto__', goal: `goal ${index}` }));
  const result = await plan(saying(JSON.stringify({ subtasks })));
  expect(result).toMatchObject({ kind: 'plan', plan: { notes: [expect.stringContaining('of 500 subtasks')] } });
  expect(result.kind === 'plan' && result.plan.subtasks.map((each) => each.id)).toEqual(['s1', 's2', 's3']);
});

test('a question that does not fit its reservation sends nothing and says what it would take', async () => {
  const model = saying('["one"]');
  const result = await plan(model, { maxSpendTokens: 50 });
  expect(result).toMatchObject({ kind: 'does-not-fit', usage: { requests: 0 } });
  expect(model.requests).toHaveLength(0);
});

test('the planner is told of the tools that the researchers will have, and of no others', async () => {
  const model = saying('{"subtasks": ["one"]}');
  const toolOf = (name: string) =>
    defineTool({
      name,
      description: `Does ${name}. More.`,
      effect: 'read',
      input: z.object({}),
      run: async () => ({ text: '' }),
    });
  await plan(model, { offeredTools: ['look'] }, [toolOf('look'), toolOf('reach_out')]);
  expect(textsOf(model)).toContain('They can use: look (Does look).');
  expect(textsOf(model)).not.toContain('reach_out');
  const without = saying('{"subtasks": ["one"]}');
  await plan(without);
  expect(textsOf(without)).toContain('They have no tools');
});

test('an answer that was refused or cut is no plan, whatever stands in it', async () => {
  const model = modelOf([reply({ text: '{"subtasks": ["one"]}', finish: 'length', rawFinish: 'max_tokens' })]);
  expect(await plan(model)).toMatchObject({ kind: 'again', problem: 'the answer ended with "max_tokens"' });
});
