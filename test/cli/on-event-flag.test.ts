import { describe, expect, test } from '@jest/globals';
import { resolve } from 'node:path';
import { splitCommand } from '../../src/cli/flags/split-command.ts';
import { callCli } from '../support/cli-harness.ts';

describe('a command is split into words', () => {
  test.each<[string, string[]]>([
    ['notify-send done', ['notify-send', 'done']],
    ['  a \t b\nc ', ['a', 'b', 'c']],
    [`say 'two words' "three more words"`, ['say', 'two words', 'three more words']],
    [`a'b'"c"d`, ['abcd']],
    [`a '' ""`, ['a', '', '']],
    [String.raw`a\ b c\"d`, ['a b', 'c"d']],
    [String.raw`"a \"b\" \\ \n"`, [String.raw`a "b" \ \n`]],
    [String.raw`'a\' b`, [String.raw`a\\`.slice(0, 2), 'b']],
    ['Größe 😀', ['Größe', '😀']],
    ['', []],
  ])('%j', (text, words) => expect(splitCommand(text)).toEqual(words));

  test('as it is typed: no variable, pattern, substitution, pipe or list is ever more than its characters', () => {
    expect(splitCommand('a $HOME `id` $(id) *.md ~ | b && c; d > e # f')).toEqual([
      'a',
      '$HOME',
      '`id`',
      '$(id)',
      '*.md',
      '~',
      '|',
      'b',
      '&&',
      'c;',
      'd',
      '>',
      'e',
      '#',
      'f',
    ]);
  });

  test.each([`a 'b`, `a "b`, 'a \\', `"a\\"`])('%j is not finished', (text) => expect(splitCommand(text)).toBeNull());
});

const onEventOf = async (value: string) =>
  (await callCli(['start', 'q', '--on-event', value])).research.runs[0]!.input!.onEvent;

describe('--on-event', () => {
  test('is a webhook where it is an address', async () => {
    expect(await onEventOf('https://hooks.example.org/t')).toEqual({
      kind: 'webhook',
      url: 'https://hooks.example.org/t',
    });
  });

  test('is a command elsewhere; a program by its path is the one of this folder', async () => {
    expect(await onEventOf(`notify-send "a run"`)).toEqual({ kind: 'command', command: ['notify-send', 'a run'] });
    expect(await onEventOf('./tell.sh ./x')).toEqual({ kind: 'command', command: [resolve('tell.sh'), './x'] });
  });

  test('makes its command known to the workers of this machine, once nothing else is wrong', async () => {
    const allowed: (readonly string[])[] = [];
    const installation = { allowCommand: async (command: readonly string[]) => void allowed.push(command) };
    await callCli(['start', 'q', '--on-event', 'a b', '--max-turns', 'lots'], { installation });
    await callCli(['start', 'q', '--on-event', 'https://example.org'], { installation });
    expect(allowed).toEqual([]);
    await callCli(['start', 'q', '--on-event', 'a b'], { installation });
    expect(allowed).toEqual([['a', 'b']]);
  });

  test.each([
    ['https://user:secret@example.org', 'without user, password'],
    ['https://example.org/?key=1', 'without user, password'],
    ['notify "a', 'quotes are closed'],
    ['', 'wanted an address of http or https, or a command'],
    [`'' a`, 'wanted an address of http or https, or a command'],
  ])('refuses %j, and starts nothing', async (value, wanted) => {
    const { exitCode, stderr, research } = await callCli(['start', 'q', `--on-event=${value}`]);
    expect(exitCode).toBe(2);
    expect(stderr.lines[0]).toContain('--on-event: wanted');
    expect(stderr.lines[0]).toContain(wanted);
    expect(research.runs).toHaveLength(0);
  });
});
