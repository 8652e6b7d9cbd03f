import { expect, test } from '@jest/globals';
import { TributaryError } from '../../src/contract/failure.ts';
import { createClient } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { activitiesOf, closeOf, eventsOf } from '../support/read-history.ts';
import { answers, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { withWorker } from '../support/temporal.ts';

const cancelled = { cause: { name: 'CancelledFailure' } };

test('B33 · after a cancel each subagent says once what it used, nothing stays reserved, and then the run closes', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate, ['s2 turn 1', 's3 turn 1']));
  await withWorker('clean up', { model }, async (world) => {
    const run = await world.start({ question: 'Q', subtasks: subtasks(3) });
    await gate.hold(2);
    await run.handle.cancel();
    await expect(run.handle.result()).rejects.toMatchObject(cancelled);
    const events = eventsOf(await run.history());
    expect(events.filter((event) => event.workflowExecutionSignaledEventAttributes)).toHaveLength(2);
    const result = await createClient(world).getHandle(run.runId).result();
    expect(result.status).toBe('cancelled');
    expect(result.subagents.map(({ id, status }) => `${id} ${status}`)).toEqual([
      's1 done',
      's2 cancelled',
      's3 cancelled',
    ]);
    const { spent, reserved, remaining, limit } = result.budget.tokens;
    expect(reserved).toBe(0);
    expect(spent + remaining).toBe(limit);
    expect(spent).toBe(result.subagents.reduce((sum, { usage }) => sum + usage.tokens, 0));
    // What the list shows is written after the cancel too, once.
    expect((await run.handle.describe()).memo).toMatchObject({ status: 'cancelled', spentTokens: spent });
  });
});

test('B33 · a clean-up that keeps failing is given up, and the run is cancelled all the same', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  let asked = 0;
  const readStoppedUsage = async () => {
    asked += 1;
    throw new TributaryError('STORE_UNAVAILABLE', 'the history cannot be read');
  };
  await withWorker('broken clean up', { model, dependencies: { readStoppedUsage } }, async ({ start, client }) => {
    const run = await start({ question: 'Q', subtasks: subtasks(2) });
    await gate.hold(2);
    await client.workflow.getHandle(`${run.runId}/s2`).terminate();
    await run.handle.cancel();
    await expect(run.handle.result()).rejects.toMatchObject(cancelled);
    const history = await run.history();
    expect(closeOf(history)).toBe('cancelled');
    expect(activitiesOf(history, 'settleStoppedActivity').map(({ end }) => end)).toEqual(['failed']);
    expect(asked).toBe(5);
    // What nobody can look up is charged as all that it was given.
    expect((await run.handle.describe()).memo).toMatchObject({ status: 'cancelled', estimated: true });
    await gate.hold(0);
  });
});
