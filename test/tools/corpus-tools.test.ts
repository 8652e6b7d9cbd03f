import { describe, expect, test } from '@jest/globals';
import { fromHitsText, fromReading } from '../../src/domain/corpus-reading.ts';
import { createCorpusTools } from '../../src/tools/corpus/create-corpus-tools.ts';
import type { Files } from './corpus-folder.ts';
import { openFiles } from './corpus-folder.ts';

const context = { signal: AbortSignal.any([]), idempotencyKey: 'test' };

async function toolsOver(files: Files) {
  const [search, read] = createCorpusTools(await openFiles(files));
  return {
    search: async (input: Record<string, unknown>) => search!.run(input, context),
    read: async (input: Record<string, unknown>) => read!.run(input, context),
    check: (input: Record<string, unknown>) => read!.check(input),
  };
}

const bees = {
  'insects/bees.md': '# Bees\n\nBees make honey.\n\n## Hives\n\nA hive holds combs.\n\n## Wax\n\nWax is made of honey.',
};

describe('corpus_search', () => {
  test('answers hits as JSON and names no source', async () => {
    const { text, sources } = await (await toolsOver(bees)).search({ query: 'what holds combs?' });
    expect(sources).toBeUndefined();
    expect(JSON.parse(text)).toEqual([
      {
        url: 'corpus:insects/bees.md',
        title: 'Bees',
        section: 'Hives',
        snippet: 'A hive holds combs.',
        score: expect.any(Number),
        matched: ['hold', 'comb'],
        coverage: 1,
      },
    ]);
  });

  test('answers an empty list for words that stand nowhere', async () => {
    expect((await (await toolsOver(bees)).search({ query: 'volcano' })).text).toBe('[]');
  });

  test('gives its first hits even from a text that was cut', async () => {
    const files = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.md`, `# Bees ${at}\n\nHoney.`]));
    const { text } = await (await toolsOver(files)).search({ query: 'honey' });
    expect(fromHitsText(text)).toHaveLength(6);
    expect(fromHitsText(text.slice(0, text.length / 2)).length).toBeGreaterThan(0);
  });
});

describe('corpus_read', () => {
  test('names its source in the first line and as data', async () => {
    const { text, sources } = await (await toolsOver(bees)).read({ document: 'corpus:insects/bees.md' });
    const reading = fromReading(text)!;
    expect(sources).toEqual([{ id: reading.sourceId, url: 'corpus:insects/bees.md', title: 'Bees' }]);
    expect(reading.sourceId).toMatch(/^d-[0-9a-f]{10}$/);
    expect(reading).toMatchObject({
      title: 'Bees',
      isOpening: true,
      body: expect.stringContaining('Bees make honey.'),
    });
  });

  test('reads one section, by its heading in any case', async () => {
    const { text } = await (await toolsOver(bees)).read({ document: 'insects/bees.md', section: 'hives' });
    expect(fromReading(text)).toMatchObject({ body: '## Hives\n\nA hive holds combs.', isOpening: false });
  });

  test('names the sections that there are where one is asked for that is not', async () => {
    const { read } = await toolsOver(bees);
    await expect(read({ document: 'insects/bees.md', section: 'Legs' })).rejects.toThrow('Bees · Hives · Wax');
  });

  test('a long document comes in parts that add up to the whole', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => `Sentence number ${at} is here.`);
    const { read } = await toolsOver({ 'long.md': lines.join('\n\n') });
    let whole = '';
    for (let offset: number | null = 0; offset !== null;) {
      const { text } = await read({ document: 'long.md', offset });
      expect(text.length).toBeLessThanOrEqual(16_000);
      whole += fromReading(text)!.body;
      offset = Number(/go on with offset (\d+)/.exec(text)?.[1] ?? Number.NaN);
      if (Number.isNaN(offset)) offset = null;
    }
    expect(whole).toBe(lines.join('\n\n'));
  });

  test('no character is cut in two, wherever the cut falls', async () => {
    const { read } = await toolsOver({ 'emoji.txt': `x${'😀'.repeat(2_000)}` });
    for (const maxChars of [500, 501, 502]) {
      const { text } = await read({ document: 'emoji.txt', maxChars, offset: 2 });
      expect(text.isWellFormed()).toBe(true);
      expect(fromReading(text)!.body).toMatch(/^(?:😀)+$/u);
    }
  });

  test('an offset behind the end is refused', async () => {
    await expect((await toolsOver(bees)).read({ document: 'insects/bees.md', offset: 9_999 })).rejects.toThrow(
      'behind the end',
    );
  });

  test.each([
    '../secret.md',
    'corpus:../secret.md',
    'corpus:%2e%2e/secret.md',
    'corpus:..%2Fsecret.md',
    'corpus:%252e%252e%252fsecret.md',
    'insects/../../secret.md',
    '/etc/passwd',
    'corpus:/etc/passwd',
    'file:///etc/passwd',
    'insects\\bees.md',
    'insects/bees.md\0.txt',
    'corpus:insects%00/bees.md',
    'corpus:%E0%A4%A',
    'insects／bees.md',
    '․․/secret.md',
    '.hidden.md',
    '',
    'constructor',
    '__proto__',
  ])('%j names no document', async (document) => {
    const { read, check } = await toolsOver({ ...bees, '.hidden.md': '# Hidden\n\nText.' });
    if (check({ document }) !== null) return;
    await expect(read({ document })).rejects.toThrow(/there is no document/);
  });

  test('names with spaces, signs and accents are found by URL and by path, composed or not', async () => {
    const { search, read } = await toolsOver({ 'a b/cafe\u0301 100%#1.md': '# Menu\n\nCoffee is served.' });
    const [hit] = JSON.parse((await search({ query: 'coffee' })).text);
    expect(hit.url).toMatch(/^corpus:a%20b\/caf.*100%25%231\.md$/);
    for (const document of [hit.url, 'a b/café 100%#1.md', 'a b/cafe\u0301 100%#1.md']) {
      expect((await read({ document })).text).toContain('Coffee is served.');
    }
  });
});
