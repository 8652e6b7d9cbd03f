import { expect, test } from '@jest/globals';
import { waitUntil } from '../support/gate.ts';
import { closeOf, eventsOf } from '../support/read-history.ts';
import { scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('cancel starting');

test('thirty subagents of which only some have started: none runs on after the cancel', async () => {
  const model = scriptedModel({ subagents: { '*': [{ hang: true }] } });
  const run = await start({ question: 'Q', subtasks: subtasks(30) }, { model });
  const childrenStarted = async () =>
    eventsOf(await run.history()).filter((event) => event.childWorkflowExecutionStartedEventAttributes).length;
  await waitUntil(async () => (await childrenStarted()) > 0);
  await run.handle.cancel();
  await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  const requests = model.requests.length;
  const histories = await run.histories();
  for (const [workflowId, history] of histories)
    expect(`${workflowId} ${closeOf(history)}`).toBe(`${workflowId} cancelled`);
  expect(model.requests).toHaveLength(requests);
  expect(model.requests.filter(({ aborted }) => !aborted)).toEqual([]);
});
