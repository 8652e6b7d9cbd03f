import { expect, test } from '@jest/globals';
import { toDescriptionOfRecord } from '../../src/domain/projection/describe-record.ts';
import { runRecord } from '../support/run-record.ts';
import { usage } from '../support/fake-research-api.ts';

test('the description of a kept run says what its result says, and that it is kept', () => {
  const record = runRecord('run_1');
  const { result } = record;
  expect(toDescriptionOfRecord(record, 'c')).toMatchObject({
    ...{ isKept: true, runId: 'run_1', status: 'completed', title: 'Why?', tags: ['sky'], cursor: 'c' },
    ...{ spentTokens: 100, subagents: { done: 1 }, usage: result.usage, budget: result.budget, notes: ['a note'] },
    tree: [{ id: 's1', goal: 'first', status: 'done', turns: 2, findings: 1 }],
    temporal: { workflowId: 'run_1', firstRunId: 'first of run_1' },
  });
});

test('a subtask that the run did not come to stands in its tree too', () => {
  const record = runRecord('run_1');
  const outcome = { ...record.subagents[0]!.outcome, id: 's2', status: 'skipped', usage: usage(0) } as const;
  const skipped = { id: 's2', goal: 'second', outcome, resume: null };
  const { tree, subagents } = toDescriptionOfRecord({ ...record, subagents: [...record.subagents, skipped] }, 'c');
  expect(tree.map(({ id, goal, status }) => `${id} ${goal} ${status}`)).toEqual(['s1 first done', 's2 second skipped']);
  expect(subagents).toEqual({ done: 1, skipped: 1 });
});
