import { describe, expect, test } from '@jest/globals';
import { fromWireName, toWireName } from '../../src/domain/wire-name.ts';

const long = 'x'.repeat(90);
const names = [
  'calendar.list',
  'a/b',
  'a.b',
  'a_b',
  'a-b',
  'A.b',
  '9lives',
  '9.lives',
  long,
  `${long}y`,
  'multi_tool_use.parallel',
  '',
  ' ',
  'поиск',
  'найти',
  '检索',
  '🙂',
  '🙃',
  '\ud83d',
  '.',
  '..',
  '-x',
];

describe('the name of a tool on the wire', () => {
  test('is accepted by every vendor, readable where it can be, and distinct', () => {
    const wire = names.map(toWireName);
    for (const name of wire) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(new Set(wire).size).toBe(names.length);
    expect(toWireName('calendar.list')).toMatch(/^calendar_list_[0-9a-z]{1,13}$/);
    expect(toWireName('9lives')).toMatch(/^tool_9lives_/);
  });

  test('stays as it is where every vendor accepts it', () => {
    for (const name of ['search', 'a_b', 'A-b_9', '_', 'y'.repeat(64)]) expect(toWireName(name)).toBe(name);
    expect(toWireName('y'.repeat(65))).not.toBe('y'.repeat(65));
  });

  test('is the same for ever, since transcripts hold it', () => {
    expect(toWireName('a.b')).toBe('a_b_16t4h87obwv08');
    expect(toWireName(toWireName('a.b'))).toBe(toWireName('a.b'));
  });

  test('leads back to the tool, and an unknown one to itself', () => {
    for (const name of names) expect(fromWireName(toWireName(name), names)).toBe(name);
    expect(fromWireName('multi_tool_use.parallel', ['search'])).toBe('multi_tool_use.parallel');
    expect(fromWireName('a.b', ['a.b'])).toBe('a.b');
  });
});
