import { describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { failureCodeOf } from '../../src/contract/failure.ts';
import { openCorpus } from '../../src/tools/corpus/open-corpus.ts';
import { makeFolder, openFiles, writeFiles } from './corpus-folder.ts';

const refusalOf = async (folder: string) =>
  openCorpus(folder, { indexDir: makeFolder({}) }).then(
    () => null,
    (error: Error) => ({ code: failureCodeOf(error), message: error.message }),
  );

describe('a corpus that cannot be opened says what was wanted and what was found', () => {
  test('nothing at the path', async () => {
    const folder = join(makeFolder({}), 'gone');
    expect(await refusalOf(folder)).toEqual({
      code: 'CORPUS_UNREADABLE',
      message: expect.stringMatching(/gone.*wanted a folder of documents.*there is nothing at this path/),
    });
  });

  test('a file', async () => {
    const refusal = await refusalOf(join(makeFolder({ 'a.md': 'Text.' }), 'a.md'));
    expect(refusal).toMatchObject({ code: 'CORPUS_UNREADABLE', message: expect.stringContaining('found a file') });
  });

  test('no document', async () => {
    const refusal = await refusalOf(makeFolder({ 'a.png': 'x', '.hidden.md': 'x', 'node_modules/b/c.md': 'x' }));
    expect(refusal).toMatchObject({ code: 'CORPUS_UNREADABLE', message: expect.stringContaining('found none') });
  });

  test('none that can be read', async () => {
    const refusal = await refusalOf(makeFolder({ 'a.pdf': 'no pdf', 'b.md': '' }));
    expect(refusal).toMatchObject({ code: 'CORPUS_UNREADABLE', message: expect.stringContaining('a.pdf') });
  });

  test('a path with a NUL', async () => {
    expect(await refusalOf('a\0b')).toMatchObject({ code: 'CORPUS_UNREADABLE' });
  });
});

describe('what lies in the folder', () => {
  test('one bad file among many is skipped and listed', async () => {
    const { documents, skipped } = await openFiles({
      'good.md': '# Good\n\nText.',
      'bad.pdf': 'no pdf',
      'empty.txt': '',
    });
    expect(documents).toBe(1);
    expect(skipped.map(({ path }) => path).sort()).toEqual(['bad.pdf', 'empty.txt']);
    expect(skipped.every(({ why }) => why !== '')).toBe(true);
  });

  test('links are not followed, wherever they lead', async () => {
    const outside = makeFolder({ 'secret.md': '# Secret\n\nText.' });
    const folder = makeFolder({ 'a.md': '# A\n\nText.' });
    symlinkSync(join(outside, 'secret.md'), join(folder, 'link.md'));
    symlinkSync(outside, join(folder, 'linked'));
    const { documents, skipped } = await openCorpus(folder, { indexDir: makeFolder({}) });
    expect(documents).toBe(1);
    expect(skipped.map(({ path }) => path)).toEqual(['link.md']);
  });

  test('a file that is too large is skipped unread', async () => {
    const folder = makeFolder({ 'a.md': '# A\n\nText.', 'huge.txt': 'x' });
    truncateSync(join(folder, 'huge.txt'), 21 * 1024 * 1024);
    const { skipped } = await openCorpus(folder, { indexDir: makeFolder({}) });
    expect(skipped).toEqual([{ path: 'huge.txt', why: expect.stringContaining('20 MB') }]);
  });
});

describe('the index', () => {
  const files = { 'bees.md': '# Bees\n\nBees make honey.', 'ants.md': '# Ants\n\nAnts carry leaves.' };
  const urls = async (folder: string, indexDir: string, query: string) =>
    (await (await openCorpus(folder, { indexDir })).search(query, 5)).map(({ url }) => url);

  test('is built once and reused', async () => {
    const [folder, indexDir] = [makeFolder(files), makeFolder({})];
    const seen: number[] = [];
    await openCorpus(folder, { indexDir, onProgress: (done) => seen.push(done) });
    const stored = readFileSync(join(indexDir, readdirSync(indexDir)[0]!), 'utf8');
    const again: number[] = [];
    await openCorpus(folder, { indexDir, onProgress: (done) => again.push(done) });
    expect(seen).toEqual([0, 1, 2]);
    expect(again).toEqual([2]);
    expect(readFileSync(join(indexDir, readdirSync(indexDir)[0]!), 'utf8')).toBe(stored);
    expect(await urls(folder, indexDir, 'honey')).toEqual(['corpus:bees.md']);
  });

  test('follows files that change, come and go', async () => {
    const [folder, indexDir] = [makeFolder(files), makeFolder({})];
    await openCorpus(folder, { indexDir });
    writeFiles(folder, {
      'bees.md': '# Bees\n\nBees pollinate orchards now.',
      'wasps.md': '# Wasps\n\nWasps build paper nests.',
    });
    rmSync(join(folder, 'ants.md'));
    expect(await urls(folder, indexDir, 'honey')).toEqual([]);
    expect(await urls(folder, indexDir, 'orchards')).toEqual(['corpus:bees.md']);
    expect(await urls(folder, indexDir, 'paper nests')).toEqual(['corpus:wasps.md']);
    expect(await urls(folder, indexDir, 'leaves')).toEqual([]);
  });

  test('goes by contents where the time of a file alone has changed', async () => {
    const [folder, indexDir] = [makeFolder(files), makeFolder({})];
    await openCorpus(folder, { indexDir });
    utimesSync(join(folder, 'bees.md'), 1, 1);
    expect(await urls(folder, indexDir, 'honey')).toEqual(['corpus:bees.md']);
  });

  test('is built anew where the stored one is damaged, and done without where none can be kept', async () => {
    const [folder, indexDir] = [makeFolder(files), makeFolder({})];
    await openCorpus(folder, { indexDir });
    writeFileSync(join(indexDir, readdirSync(indexDir)[0]!), '{"version":1');
    expect(await urls(folder, indexDir, 'honey')).toEqual(['corpus:bees.md']);
    expect(await urls(folder, join(folder, 'bees.md'), 'honey')).toEqual(['corpus:bees.md']);
  });

  test('stops with the reason of its signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(openCorpus(makeFolder(files), { indexDir: makeFolder({}), signal })).rejects.toThrow('enough');
  });
});

describe('a document that has gone since it was indexed', () => {
  test('stays a hit, and reading it says what is wrong', async () => {
    const folder = makeFolder({ 'bees.md': '# Bees\n\nBees make honey.' });
    const corpus = await openCorpus(folder, { indexDir: makeFolder({}) });
    renameSync(join(folder, 'bees.md'), join(folder, 'gone.md'));
    expect(await corpus.search('honey', 5)).toHaveLength(1);
    await expect(corpus.read('corpus:bees.md', { maxChars: 100 })).rejects.toThrow('corpus:bees.md cannot be read');
  });

  test('is not read through a link that has taken its place', async () => {
    const outside = makeFolder({ 'secret.md': '# Secret\n\nText.' });
    const folder = makeFolder({ 'bees.md': '# Bees\n\nBees make honey.' });
    const corpus = await openCorpus(folder, { indexDir: makeFolder({}) });
    rmSync(join(folder, 'bees.md'));
    symlinkSync(join(outside, 'secret.md'), join(folder, 'bees.md'));
    await expect(corpus.read('corpus:bees.md', { maxChars: 100 })).rejects.toThrow('outside the folder');
  });
});

test('a folder below that cannot be listed is skipped and listed', async () => {
  if (process.getuid?.() === 0) return; // root reads everything
  const folder = makeFolder({ 'a.md': '# A\n\nText.', 'closed/b.md': 'x' });
  chmodSync(join(folder, 'closed'), 0);
  const { skipped } = await openCorpus(folder, { indexDir: makeFolder({}) });
  chmodSync(join(folder, 'closed'), 0o700);
  expect(skipped.map(({ path }) => path)).toEqual(['closed']);
});
