import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maxGoalChars, type Plan, planSchema } from '../../src/contract/plan.ts';
import { readPlan } from '../../src/domain/plan.ts';

function read(text: string, maxSubagents = 8): Plan {
  const reading = readPlan(text, maxSubagents);
  if (reading.kind !== 'plan') throw new Error(reading.problem);
  return reading.plan;
}
const goals = (text: string, maxSubagents = 8) => read(text, maxSubagents).subtasks.map((subtask) => subtask.goal);

describe('shapes that are a plan', () => {
  test.each([
    ['texts under subtasks', '{"subtasks":["a","b"]}'],
    ['objects with goals', '{"subtasks":[{"goal":"a"},{"goal":"b"}]}'],
    ['tasks instead of subtasks', '{"tasks":["a",{"task":"b"}]}'],
    ['a bare list', ' ["a","b"] '],
    ['a fence', 'Here is the plan:\n```json\n{"subtasks":["a","b"]}\n```\nGood luck.'],
    ['prose around it', 'I propose {"subtasks": ["a", "b"]} as the plan [1].'],
    ['prose with other brackets', 'As {context} in [1] and ["unclosed: {"subtasks":["a","b"]}'],
  ])('%s', (_, text) => {
    expect(goals(text)).toEqual(['a', 'b']);
  });

  test('brackets and quotes inside goals do not end the plan', () => {
    expect(goals('Plan: {"subtasks":["compare {a} and ]b[","say \\"}\\" twice"]} done')).toEqual([
      'compare {a} and ]b[',
      'say "}" twice',
    ]);
  });
});

describe('what is no plan', () => {
  test.each(['', 'no', '{"subtasks":"a"}', '42', '[1,2]', '{"error":"x","details":["a"]}', '{"subtasks":["a"'])(
    '%j is unreadable',
    (text) => {
      expect(readPlan(text, 8)).toEqual({
        kind: 'unreadable',
        problem: 'the reply holds no plan: wanted JSON such as {"subtasks": ["…"]}',
      });
    },
  );

  test.each(['null', '[]', '{"subtasks":[]}', '{"subtasks":["  ",null,7,{}]}', '```json\n{"tasks":[]}\n```'])(
    '%j has no subtasks',
    (text) => {
      expect(readPlan(text, 8)).toEqual({ kind: 'unreadable', problem: 'the plan has no subtasks' });
    },
  );
});

describe('what is changed in a plan is noted', () => {
  test('ids are ours, whatever the plan says', () => {
    const plan = read('{"subtasks":[{"id":"../x","goal":"a"},{"id":"__proto__","goal":"b"},{"id":"s1","goal":"c"}]}');
    expect(plan).toEqual({
      subtasks: [
        { id: 's1', goal: 'a' },
        { id: 's2', goal: 'b' },
        { id: 's3', goal: 'c' },
      ],
      notes: [],
    });
  });

  test('500 subtasks with a limit of 8 become the first 8', () => {
    const plan = read(JSON.stringify({ tasks: Array.from({ length: 500 }, (_, index) => `task ${index}`) }));
    expect(plan.subtasks).toHaveLength(8);
    expect(plan.subtasks[7]).toEqual({ id: 's8', goal: 'task 7' });
    expect(plan.notes).toEqual(['plan: 492 of 500 subtasks were left out (limit 8)']);
  });

  test('goals without text and repeated goals are dropped', () => {
    const plan = read('{"subtasks":["a"," ","a ",{"goal":"b"},{"goal":"b"},null]}');
    expect(plan.subtasks.map((subtask) => subtask.goal)).toEqual(['a', 'b']);
    expect(plan.notes).toEqual([
      'plan: 2 subtasks without a goal were dropped',
      'plan: 2 repeated subtasks were dropped',
    ]);
  });

  test('a goal of a megabyte is cut to what a goal may have', () => {
    const plan = read(JSON.stringify({ subtasks: ['x'.repeat(1_000_000)] }));
    expect(plan.subtasks[0]!.goal).toHaveLength(maxGoalChars);
    expect(plan.notes).toEqual(['plan: the goal of s1 was cut from 1,000,000 characters']);
  });
});

describe('whatever the reply is', () => {
  const isSound = (text: string, maxSubagents: number) => {
    const reading = readPlan(text, maxSubagents);
    if (reading.kind === 'unreadable') return reading.problem !== '';
    return planSchema.safeParse(reading.plan).success && reading.plan.subtasks.length <= maxSubagents;
  };
  const limit = fc.integer({ min: 1, max: 10 });

  test('text never throws and never yields an illegal plan', () => {
    const noise = fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', '`', '```', '\n', ',', ':', 'a', '\ud800'));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          noise.map((parts) => parts.join('')),
        ),
        limit,
        isSound,
      ),
    );
  });

  test('JSON never throws and never yields an illegal plan', () => {
    const entry = fc.oneof(fc.jsonValue(), fc.record({ goal: fc.jsonValue() }), fc.string());
    const value = fc.oneof(fc.jsonValue(), fc.record({ subtasks: fc.array(entry) }), fc.array(entry));
    fc.assert(fc.property(value, limit, (plan, max) => isSound(JSON.stringify(plan), max)));
  });

  test('a megabyte of open brackets is given up on', () => {
    expect(readPlan('{"a":['.repeat(150_000), 8).kind).toBe('unreadable');
  });
});
