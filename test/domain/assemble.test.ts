import { describe, expect, test } from '@jest/globals';
import type { SynthesisInput } from '../../src/contract/model.ts';
import { assembleBody } from '../../src/domain/assemble.ts';

const input = (parts: Partial<SynthesisInput> = {}): SynthesisInput => ({
  id: 's1',
  goal: 'one',
  status: 'done',
  report: { summary: '', claims: [], tried: [], failed: [] },
  claimIds: [],
  ...parts,
});
const claims = (...texts: string[]) => texts.map((text) => ({ text, sourceId: 'd-1', quote: 'q' }));

describe('a body without a model', () => {
  test('has a section for each subtask in the order of the plan, with a marker for each claim', () => {
    const body = assembleBody([
      input({
        report: { summary: 'What was found.', claims: claims('A', 'B'), tried: [], failed: [] },
        claimIds: ['s1.1', 's1.2'],
      }),
      input({
        id: 's2',
        goal: 'two',
        report: { summary: '', claims: claims('C'), tried: [], failed: [] },
        claimIds: ['s2.1'],
      }),
    ]);
    expect(body).toBe('## one\n\nWhat was found.\n\n- A [s1.1]\n- B [s1.2]\n\n## two\n\n- C [s2.1]');
  });

  test('says of a subtask without a report how it ended, and not that there is nothing to find', () => {
    expect(assembleBody([input({ status: 'failed', reason: 'provider', report: null })])).toBe(
      '## one\n\nNot answered: this subtask ended as failed (provider).',
    );
    expect(assembleBody([input({ status: 'skipped', report: null })])).toContain('ended as skipped.');
  });

  test('keeps a heading on one line, whatever line breaks the goal has', () => {
    expect(assembleBody([input({ goal: 'one\n# two\r\n\tthree' })])).toBe('## one # two three');
  });

  test('of no subtask is empty', () => {
    expect(assembleBody([])).toBe('');
  });
});
