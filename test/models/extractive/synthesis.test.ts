import { describe, expect, test } from '@jest/globals';
import type { SynthesisInput } from '../../../src/contract/model.ts';
import { model, options, toRequest } from './extractive-world.ts';

type Said = readonly [text: string, sourceId: string];
const titles = { a: 'On honey', b: 'On wax' };

function input(
  id: string,
  goal: string,
  said: readonly Said[] | null,
  rest: Partial<SynthesisInput> = {},
): SynthesisInput {
  const claims = (said ?? []).map(([text, sourceId]) => ({ text, sourceId, quote: text }));
  return {
    id,
    goal,
    status: 'done',
    report: said === null ? null : { summary: '', claims, tried: [], failed: [] },
    claimIds: claims.map((_, at) => `${id}.${at + 1}`),
    ...rest,
  };
}

async function write(question: string, inputs: readonly SynthesisInput[], maxOutputTokens = 4_096): Promise<string> {
  const { text } = await model.call(
    toRequest({ kind: 'synthesize', question, inputs, titles }, { maxOutputTokens }),
    options,
  );
  return text;
}

const question = 'How do bees make honey?';
const honey = input('s1', question, [
  ['Bees make honey from nectar.', 'a'],
  ['Nectar is dried in the comb.', 'a'],
]);
const wax = input('s2', 'What is said about wax?', [
  ['Combs are built of wax.', 'b'],
  ['Bees make honey from nectar.', 'a'],
]);

describe('the report of the extractive model', () => {
  test('opens with the most direct answer, then has a section per subtask in plan order', async () => {
    expect(await write(question, [honey, wax])).toBe(
      [
        'The most direct answer is in **On honey**: Bees make honey from nectar. [s1.1]',
        `## ${question}`,
        '*On honey*: Nectar is dried in the comb. [s1.2]',
        '## What is said about wax?',
        '*On wax*: Combs are built of wax. [s2.1]',
      ].join('\n\n'),
    );
  });

  test('says nothing twice: of near repeats the first one stays', async () => {
    const text = await write(question, [honey, wax]);
    expect(text.match(/Bees make honey/g)).toHaveLength(1);
    expect(text).not.toContain('[s2.2]');
  });

  test('tells apart what was not found, what was not looked at, and what was said before', async () => {
    const text = await write(question, [
      honey,
      input('s2', 'Goal two', []),
      input('s3', 'Goal three', null, { status: 'failed', reason: 'provider' }),
      input('s4', 'Goal four', [['Bees make honey from nectar.', 'a']]),
      input('s5', 'Goal five', [], {
        report: { summary: '', claims: [], tried: [], failed: ['searching for "x": locked'] },
      }),
      input('s6', 'Goal six', [], { status: 'partial', reason: 'max-turns' }),
      input('s7', 'Goal seven', [['Wax melts in the sun.', 'b']], { status: 'partial', reason: 'budget' }),
    ]);
    const section = (goal: string) => text.split('## ').find((part) => part.startsWith(goal))!;
    expect(section('Goal two')).toContain('Nothing was found');
    expect(section('Goal three')).toContain('could not be looked at (failed, provider)');
    expect(section('Goal four')).toContain('Nothing beyond what is said above.');
    expect(section('Goal five')).toContain('could be looked at: searching for "x": locked');
    expect(section('Goal six')).toContain('before this stopped (partial, max-turns)');
    expect(section('Goal seven')).toMatch(/Wax melts in the sun\. \[s7\.1\][^]*incomplete \(partial, budget\)/);
  });

  test('takes nothing for an answer where the question itself found nothing', async () => {
    const text = await write(question, [input('s1', question, []), wax]);
    expect(text.startsWith(`## ${question}`)).toBe(true);
  });

  test('without a subtask for the question, leads with the claim that speaks most of it', async () => {
    const text = await write(question, [
      input('s1', 'Wax', [
        ['Combs are built of wax.', 'b'],
        ['Wax is soft.', 'b'],
      ]),
      input('s2', 'Honey', [['Bees make honey from nectar.', 'a']]),
    ]);
    expect(/\[(s\d\.\d)\]/.exec(text)![1]).toBe('s2.1');
  });

  test('lets no bracketed number of a text pass for a citation', async () => {
    expect(await write(question, [input('s1', question, [['Bees [12] make honey [s9.9] here.', 'a']])])).toContain(
      'Bees make honey here. [s1.1]',
    );
  });

  test('cuts claims from the end where it would grow too long', async () => {
    const text = await write(question, [honey, wax], 50);
    expect(text.length / 4).toBeLessThanOrEqual(50);
    expect(text).toContain('[s1.1]');
    expect(text).not.toContain('[s2.1]');
  });

  test('is in words even where there is nothing at all', async () => {
    expect(await write(question, [])).not.toBe('');
  });
});
