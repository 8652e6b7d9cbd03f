import { expect, test } from '@jest/globals';
import { activitiesOf, childrenOf, eventsOf } from '../support/read-history.ts';
import { useWorld } from '../support/temporal.ts';

const { world } = useWorld('invalid request');
let started = 0;

/** Starts by hand, as Temporal's own command line would, and yields why it failed. */
async function failureOf(
  input: unknown,
  workflowType = 'researchWorkflow',
): Promise<{ type: string; message: string }> {
  const { client, taskQueue, history } = world();
  const workflowId = `${taskQueue}-by-hand-${++started}`;
  const named =
    typeof input === 'object' && input !== null && !('runId' in input) ? { ...input, runId: workflowId } : input;
  const handle = await client.workflow.start(workflowType, { workflowId, taskQueue, args: [named] });
  const error = await handle.result().then(
    () => null,
    (thrown: unknown) => (thrown as { cause: { type: string; message: string } }).cause,
  );
  const events = await history(workflowId);
  expect(activitiesOf(events)).toEqual([]);
  expect(childrenOf(events)).toEqual([]);
  expect(eventsOf(events).filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
  return { type: error!.type, message: error!.message };
}

test('a run that is started by hand with bad input fails with the field, what was wanted and what came, and starts nothing', async () => {
  const question = 'Q';
  const cases: [input: unknown, message: RegExp][] = [
    [{}, /question: wanted a string, came nothing/],
    [{ question: '  ' }, /question: wanted a text that is not empty/],
    [{ question, budget: { tokens: 'lots' } }, /budget\.tokens: .*came "lots"/],
    [{ question, budget: { tokens: -5 } }, /budget\.tokens: .*at least 1, came -5/],
    [{ question, budget: { tokens: 1.5 } }, /budget\.tokens: wanted a whole number, came 1\.5/],
    [{ question, maxTurns: 0 }, /maxTurns: .*at least 1, came 0/],
    [{ question, maxTurns: true }, /maxTurns: .*came true/],
    [{ question, maxTurns: null }, /maxTurns: .*came null/], // NaN in JSON
    [{ question, maxConcurrency: 2.9 }, /maxConcurrency: wanted a whole number, came 2\.9/],
    [{ question, tools: { maxConcurrency: 0 } }, /tools\.maxConcurrency: .*at least 1, came 0/],
    [{ question, tools: { policy: 'bounded' } }, /tools\.maxConcurrency: .*policy is "bounded"/],
    [{ question, join: { kind: 'sometimes' } }, /join\.kind: wanted one of all, partial, first, came "sometimes"/],
    [{ question, join: { deadline: 'soon' } }, /join\.deadline: wanted a duration/],
    [{ question, subagentTokens: 0 }, /subagentTokens/],
    [{ question, questoin: 'Q' }, /unknown "questoin"/],
    [{ question, runId: '../x' }, /runId: wanted a run id/],
    [{ question, runId: 'another' }, /runId: wanted the workflow id .*, came "another"/],
    [null, /wanted an object, came null/],
    ['Q', /wanted an object, came "Q"/],
  ];
  const failures = await Promise.all(cases.map(async ([input]) => failureOf(input)));
  for (const [index, { type, message }] of failures.entries()) {
    expect({ input: cases[index]![0], type }).toEqual({ input: cases[index]![0], type: 'INVALID_REQUEST' });
    expect(message).toMatch(cases[index]![1]);
  }
});

test('a subagent that is started by hand is checked in the same way', async () => {
  const { type, message } = await failureOf({ id: 'x1' }, 'subagentWorkflow');
  expect(type).toBe('INVALID_REQUEST');
  expect(message).toMatch(/subagent task: .*id: wanted a subagent id/);
});
