import { describe, expect, test } from '@jest/globals';
import type { OutlineEntry } from '../../../src/contract/model.ts';
import { model, options, toRequest } from './extractive-world.ts';

const entry = (title: string, score: number, headings: string[] = []): OutlineEntry => ({
  url: `corpus:${encodeURIComponent(title)}.md`,
  title,
  headings,
  score,
});

async function plan(
  question: string,
  outline: OutlineEntry[],
  maxSubagents = 6,
  maxOutputTokens = 4_096,
): Promise<string[]> {
  const task = { kind: 'plan', question, maxSubagents, outline, attempt: 1 } as const;
  const { text } = await model.call(toRequest(task, { maxOutputTokens }), options);
  return (JSON.parse(text) as { subtasks: { goal: string }[] }).subtasks.map(({ goal }) => goal);
}

const seven = Array.from({ length: 7 }, (_, at) => entry(`Paper ${'ABCDEFG'[at]}`, 10 - at));

describe('the plan of the extractive model', () => {
  test('asks the question itself first, and no goal twice', async () => {
    const goals = await plan('How do gears turn?', seven);
    expect(goals[0]).toBe('How do gears turn?');
    expect(goals).toHaveLength(6);
    expect(new Set(goals).size).toBe(6);
  });

  test('names the other documents, two in a goal where there are more than subagents', async () => {
    expect(await plan('Which paper defines gears?', seven, 3)).toEqual([
      'Which paper defines gears?',
      'What do "Paper B" and "Paper C" say about gears?',
      'What do "Paper D" and "Paper E" say about gears?',
    ]);
  });

  test('asks for both ends of a range and both halves of a double question', async () => {
    expect((await plan('How did gears evolve, from wooden wheels to steel cogs?', seven)).slice(1, 3)).toEqual([
      'What is said about wooden wheels?',
      'What is said about steel cogs?',
    ]);
    expect((await plan('How are wooden wheels cut, and who sells steel cogs?', seven)).slice(1, 3)).toEqual([
      'What is said about wooden wheels cut?',
      'What is said about sells steel cogs?',
    ]);
  });

  test('asks for sections of the best document where nothing else bears on the question, those on the topic first', async () => {
    const best = entry('Gears', 10, ['Introduction', 'History', 'How gears are oiled', 'References']);
    expect(await plan('How do gears turn?', [best, entry('Ships', 0.1)])).toEqual([
      'How do gears turn?',
      'What does "Gears" say under "How gears are oiled"?',
      'What does "Gears" say under "History"?',
    ]);
  });

  test('is the question alone where there are no documents or there is one subagent', async () => {
    expect(await plan('How do gears turn?', [])).toEqual(['How do gears turn?']);
    expect(await plan('How do gears turn?', seven, 1)).toEqual(['How do gears turn?']);
  });

  test('writes a question of several lines as one, and cuts one that is too long for a goal', async () => {
    expect(await plan('How do\n gears turn?', [])).toEqual(['How do gears turn?']);
    const [goal] = await plan(`How ${'very '.repeat(2_000)}long?`, seven);
    expect(goal!.length).toBeLessThanOrEqual(4_000);
  });

  test('drops goals from the end where the answer would be too long', async () => {
    const goals = await plan('Which paper defines gears?', seven, 6, 30);
    expect(goals.length).toBeLessThan(6);
    expect(goals[0]).toBe('Which paper defines gears?');
  });
});
