import { expect, test } from '@jest/globals';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const { scoreAnswers, renderTable } = await import(pathToFileURL(resolve('bench/eval/score-answers.mjs')).href);

const answers = {
  single: [
    { question: 'one', expects: ['a'], cited: ['a', 'b'] },
    { question: 'two', expects: ['a'], cited: ['b', 'a'] },
    { question: 'three', expects: ['a'], cited: [] },
  ],
  multi: [
    { question: 'four', expects: ['a', 'b'], cited: ['c', 'b'] },
    { question: 'five', expects: ['a', 'b', 'c', 'd'], cited: ['d', 'c', 'b', 'a'] },
  ],
};

test('a single question is right when its first citation is the expected document; recall is the mean share', () => {
  expect(scoreAnswers(answers)).toEqual({ single: { correct: 1, total: 3 }, multi: { recall: 0.75 } });
});

test('the table has a line a question and the totals', () => {
  const lines = renderTable(answers).split('\n');
  expect(lines[1]).toMatch(/^one .* a .* a .*yes$/);
  expect(lines[3]).toMatch(/\(nothing\) .*NO$/);
  expect(lines.at(-2)).toContain('1 of 3');
  expect(lines.at(-1)).toContain('75 %');
});
