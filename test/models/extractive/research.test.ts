import { describe, expect, test } from '@jest/globals';
import { research } from './extractive-world.ts';

const files = {
  'bees.md':
    '# How bees make honey\n\nBees make honey from nectar that they gather from flowers. The nectar is dried by the wings of many bees. It then\nrests in the comb.\n\n## Winter\n\nA colony of bees lives on honey during the winter.\n\n```\nbees make honey in code\n```',
  'wax.md':
    '# Wax and combs\n\nBees build combs of wax, in which honey is kept until the winter. Old combs turn dark with age.',
  'list.md':
    '# Tide tables of the harbour\n\n```\nlow 04:10\nhigh 10:22\n```\n\n| day | tide |\n|---|---|\n| one | low |',
  'ships.md': '# Ships\n\nShips carry cargo over the sea. A ship is steered by its rudder.',
};

describe('a subagent of the extractive model', () => {
  test('searches, reads, and hands back claims whose quotes stand in what it read', async () => {
    const { report, turns, texts } = await research(files, 'How do bees make honey?');
    expect(turns).toBe(3);
    expect(report.claims[0]).toMatchObject({ quote: 'Bees make honey from nectar that they gather from flowers.' });
    expect(report.claims.length).toBeGreaterThan(1);
    for (const { quote, sourceId } of report.claims) expect(texts.get(sourceId)).toContain(quote);
    expect(report.summary).toContain('"How bees make honey"');
    expect(report.tried).toContain('searched for "How do bees make honey?"');
    expect(report.failed).toEqual([]);
  });

  test('quotes prose, not code, and no sentence twice', async () => {
    const { report } = await research(files, 'How do bees make honey?');
    const quotes = report.claims.map(({ quote }) => quote);
    expect(new Set(quotes).size).toBe(quotes.length);
    expect(quotes.join()).not.toContain('in code');
  });

  test('answers the same request with the same reply', async () => {
    const [one, other] = [
      await research(files, 'How do bees make honey?'),
      await research(files, 'How do bees make honey?'),
    ];
    expect(other.messages).toEqual(one.messages);
    expect(other.report).toEqual(one.report);
  });

  test('begins with the document that its goal names', async () => {
    const goal = 'What does "Wax and combs" say about bees and honey?';
    const { report, texts } = await research(files, goal, { question: 'How do bees make honey?' });
    expect(texts.get(report.claims[0]!.sourceId)).toContain('Wax and combs');
  });

  test('takes the section that its goal names', async () => {
    const goal = 'What does "How bees make honey" say under "Winter"?';
    const { report } = await research(files, goal, { question: 'How do bees make honey?' });
    expect(report.claims[0]!.quote).toBe('A colony of bees lives on honey during the winter.');
  });

  test('cites the first line of a document that matches and has no sentence', async () => {
    const { report, texts } = await research(files, 'tide tables of the harbour');
    expect(report.claims).toHaveLength(1);
    expect(texts.get(report.claims[0]!.sourceId)).toContain(report.claims[0]!.quote);
  });

  test('says that it looked and found nothing', async () => {
    const { report } = await research(files, 'Who won the chess tournament of 1972?');
    expect(report).toMatchObject({
      claims: [],
      failed: [],
      summary: expect.stringMatching(/^Searched for .* found nothing/),
    });
  });

  test('says that it could not look, when searching fails', async () => {
    const { report, turns } = await research(files, 'How do bees make honey?', {
      answer: async () => Promise.reject(new Error('index is locked')),
    });
    expect(turns).toBeLessThan(5);
    expect(report.claims).toEqual([]);
    expect(report.summary).toContain('could not be looked at');
    expect(report.failed[0]).toContain('index is locked');
  });

  test('says what could not be read, and keeps what could', async () => {
    let reads = 0;
    const { report } = await research(files, 'How do bees make honey?', {
      answer: async (name, run) =>
        name === 'corpus_read' && ++reads === 1 ? Promise.reject(new Error('bad sector')) : run(),
    });
    expect(report.claims.length).toBeGreaterThan(0);
    expect(report.failed).toEqual([expect.stringContaining('bad sector')]);
  });

  test('gives up on documents that cannot be read at all', async () => {
    const { report, turns } = await research(files, 'How do bees make honey?', {
      answer: async (name, run) => (name === 'corpus_read' ? Promise.reject(new Error('bad sector')) : run()),
    });
    expect(turns).toBeLessThan(6);
    expect(report.summary).toContain('could not be read');
  });

  test.each([1, 2, 3])('hands back what it has when turn %i is its last', async (handBackAt) => {
    const { report, turns } = await research(files, 'How do bees make honey?', { handBackAt });
    expect(turns).toBe(handBackAt);
    expect(report.claims.length > 0).toBe(handBackAt === 3);
    if (handBackAt === 1) expect(report.summary).toContain('could not be looked at');
  });

  test('says so where no corpus tools are offered', async () => {
    const { report, turns } = await research(files, 'How do bees make honey?', { toolNames: [] });
    expect(turns).toBe(1);
    expect(report.claims).toEqual([]);
    expect(report.failed).toEqual([expect.stringContaining('corpus_search'), expect.stringContaining('corpus_read')]);
  });

  test('survives answers that were cut short', async () => {
    const { report } = await research(files, 'How do bees make honey?', {
      answer: async (_, run) => (await run()).slice(0, 700),
    });
    expect(report.claims.length).toBeGreaterThan(0);
  });

  test.each([80, 150, 400])('hands back valid JSON within %i tokens', async (maxOutputTokens) => {
    const { report } = await research(files, 'How do bees make honey?', { maxOutputTokens });
    expect(new TextEncoder().encode(JSON.stringify(report)).length / 4).toBeLessThanOrEqual(maxOutputTokens);
  });

  test('leaves footnote marks out of a claim and keeps them in its quote', async () => {
    const { report } = await research(
      { 'a.md': '# Owls\n\nOwls hunt small animals at night [3] in the woods.' },
      'What do owls hunt?',
    );
    expect(report.claims[0]).toMatchObject({
      text: 'Owls hunt small animals at night in the woods.',
      quote: 'Owls hunt small animals at night [3] in the woods.',
    });
  });
});
