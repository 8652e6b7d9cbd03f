import { expect, test } from '@jest/globals';
import { Gate } from '../support/gate.ts';
import { closeOf } from '../support/read-history.ts';
import { answers, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world, history } = useWorld('terminate parent');

test('a run that is terminated stops its subagents: their requests are aborted, and none runs on', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(3) }, { model });
  await gate.hold(3);
  await run.handle.terminate('enough');
  await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'TerminatedFailure' } });
  for (const id of ['s1', 's2', 's3']) {
    const child = `${run.runId}/${id}`;
    await expect(world().client.workflow.getHandle(child).result()).rejects.toMatchObject({
      cause: { name: 'CancelledFailure' },
    });
    expect(closeOf(await history(child))).toBe('cancelled');
  }
  expect(gate.waiting()).toEqual([]);
  expect(model.requests).toHaveLength(3);
  expect(model.requests.every(({ aborted }) => aborted)).toBe(true);
});
