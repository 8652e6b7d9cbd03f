import { expect, test } from '@jest/globals';
import { Gate, waitUntil } from '../support/gate.ts';
import { childrenOf, eventsOf, type History } from '../support/read-history.ts';
import { answers, endsOf, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { withWorker } from '../support/temporal.ts';

const idOf = (workflowId: string | null | undefined) => workflowId?.split('/')[1];
const startedIn = (history: History) =>
  eventsOf(history).flatMap(
    (event) => idOf(event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId) ?? [],
  );
const answeredIn = (history: History) =>
  eventsOf(history).flatMap(
    (event) => idOf(event.childWorkflowExecutionCompletedEventAttributes?.workflowExecution?.workflowId) ?? [],
  );

test('B28 · a race whose worker is replaced between two answers: each subagent starts once, and the answers count in the order in which they came', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  await withWorker('race', { model }, async ({ start, stopFirstWorker, startWorker }) => {
    const join = { kind: 'first' as const, minSuccess: 3 };
    const run = await start({ question: 'Q', subtasks: subtasks(6), join });
    await gate.hold(6);
    for (const [already, id] of ['s4', 's2'].entries()) {
      gate.open(`${id} turn 1`);
      await waitUntil(async () => answeredIn(await run.history()).length === already + 1);
    }
    await stopFirstWorker();
    await startWorker();
    await gate.hold(4); // asked again by the new worker
    gate.open('s6 turn 1');
    const result = await run.result();
    expect(result.status).toBe('completed');
    const loser = (id: string) => `${id} cancelled (join)`;
    expect(endsOf(result)).toEqual([loser('s1'), 's2 done', loser('s3'), 's4 done', loser('s5'), 's6 done']);
    for (const { id, usage } of result.subagents) expect({ id, paid: usage.tokens > 0 }).toEqual({ id, paid: true });
    const history = await run.history();
    expect(startedIn(history)).toEqual(['s1', 's2', 's3', 's4', 's5', 's6']);
    expect(answeredIn(history)).toEqual(['s4', 's2', 's6']);
    expect(childrenOf(history).filter(({ end }) => end === 'cancelled')).toHaveLength(3);
    expect(gate.waiting()).toEqual([]);
  });
});
