import { describe, expect, test } from '@jest/globals';
import type { Files } from './corpus-folder.ts';
import { openFiles } from './corpus-folder.ts';

const first = async (files: Files, question: string) => (await (await openFiles(files)).search(question, 10))[0]?.url;
/** Documents on other things, so that words have a rarity. */
const others = Object.fromEntries(
  ['harbours', 'violins', 'glaciers', 'tomatoes', 'railways'].map((name) => [
    `${name}.md`,
    `# On ${name}\n\nAll about ${name}.`,
  ]),
);

describe('which document a question finds first', () => {
  test('a title weighs more than many uses in a body', async () => {
    const files = {
      ...others,
      'title.md': '# Lazy loading\n\nModules are loaded when they are first used.',
      'body.md': `# Release notes\n\n${'Lazy loading was mentioned here. '.repeat(20)}`,
    };
    expect(await first(files, 'Which proposal introduced lazy loading?')).toBe('corpus:title.md');
  });

  test('the words by which one asks do not decide', async () => {
    const files = {
      ...others,
      'proposals.md': '# Which proposal introduced what\n\nA document that describes how proposals are defined.',
      'gears.md': '# Gears\n\nGears turn one another.',
    };
    expect(await first(files, 'Which proposal introduced gears?')).toBe('corpus:gears.md');
  });

  test('symbols of code are words', async () => {
    const files = {
      ...others,
      'walrus.md': '# Naming results\n\nThe operator `:=` gives a name to a value.',
      'equals.md': '# Comparing results\n\nThe operator compares a value with a name.',
    };
    expect(await first(files, 'What is := for?')).toBe('corpus:walrus.md');
    expect(
      await first(
        { ...others, 'star.md': '# Stars\n\nUse `except*` for groups.', 'no.md': '# No stars\n\nUse except for one.' },
        'except*',
      ),
    ).toBe('corpus:star.md');
  });

  test('inflections, compounds and spellings apart or together meet', async () => {
    const files = { ...others, 'data.md': '# Data Classes\n\nThey are generated from annotated fields.' };
    for (const query of ['dataclasses', 'a data class', 'annotations', 'annotating', 'generation']) {
      expect(await first(files, query)).toBe('corpus:data.md');
    }
  });

  test('a word that stands nowhere is looked for by a near spelling', async () => {
    expect(await first({ ...others, 'c.md': '# Coroutines\n\nText.' }, 'corotines')).toBe('corpus:c.md');
  });

  test('an abbreviation that the corpus writes in capitals stands for its words', async () => {
    const files = {
      ...others,
      'gil.md': '# A GIL of its own\n\nEach interpreter has a GIL.',
      'locks.md': '# Locks\n\nA lock can be global in a program.',
    };
    expect(await first(files, 'the global interpreter lock of each interpreter')).toBe('corpus:gil.md');
  });

  test('a number finds the file that has it in its name, with or without leading zeros', async () => {
    const files = { ...others, 'note-0042.md': '# Answers\n\nText.', 'note-0043.md': '# Questions\n\nText.' };
    expect(await first(files, 'note 42')).toBe('corpus:note-0042.md');
    expect(await first(files, 'note-0043')).toBe('corpus:note-0043.md');
  });

  test('among matches that refer to one another, the one that they refer to comes first', async () => {
    const later = (name: string) => `# Widgets ${name}\n\nThis extends widgets as [note 1](note-1.md) defines them.`;
    const files = {
      ...others,
      'note-1.md': '# Widgets explained\n\nWidgets are parts.',
      'note-2.md': later('explained again'),
      'note-3.md': later('explained further'),
    };
    expect(await first(files, 'Where are widgets explained?')).toBe('corpus:note-1.md');
  });

  test('a document that says that another has taken its place comes behind that one', async () => {
    const text = (header: string) =>
      `Title: Widget protocol\nStatus: Final\n${header}\nAbstract\n========\n\nWidgets talk.\n`;
    const files = { ...others, 'a.rst': text('Superseded-By: 2\n'), 'b.rst': text('Replaces: 1\n') };
    expect(await first(files, 'widget protocol')).toBe('corpus:b.rst');
  });
});

describe('how much of a question a document covers', () => {
  test('a question on something else has little coverage and no outline', async () => {
    const corpus = await openFiles({ ...others, 'work.md': '# Best practice\n\nThe best way to work.' });
    const question = 'What is the best recipe for chocolate cake?';
    expect((await corpus.search(question, 5))[0]?.coverage ?? 0).toBeLessThan(0.3);
    expect(corpus.outline(question, 5)).toEqual([]);
  });

  test('an outline lists related documents with their headings, best first', async () => {
    const corpus = await openFiles({
      ...others,
      'a.md': '# Gear ratios\n\n## Small gears\n\nText.\n\n## Large gears\n\nText.',
      'b.md': '# Machines\n\nThey have gears with ratios.',
    });
    const outline = corpus.outline('gear ratios', 5);
    expect(outline.map(({ title }) => title)).toEqual(['Gear ratios', 'Machines']);
    expect(outline[0]!.headings).toEqual(['Small gears', 'Large gears']);
    expect(outline[0]!.score).toBeGreaterThan(outline[1]!.score);
  });

  test('a question of a page is answered, and one without a word finds nothing', async () => {
    const corpus = await openFiles({ ...others, 'a.md': '# Gears\n\nText.' });
    expect((await corpus.search(`gears ${'and some more words '.repeat(900)}`, 5))[0]?.url).toBe('corpus:a.md');
    expect(await corpus.search('? … !', 5)).toEqual([]);
  });
});
