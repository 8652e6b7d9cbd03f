import { expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { Gate } from '../support/gate.ts';
import { activitiesOf } from '../support/read-history.ts';
import { keyTool, oneBatch, resultsAt, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { createClient } from '../support/client-world.ts';
import { useWorld } from '../support/temporal.ts';

const { start, history, world } = useWorld('tool ignores abort');

test('a tool that ignores its signal is let go after its grace, and is recorded as perhaps still running', async () => {
  const gate = new Gate();
  const deaf = keyTool('deaf', async (key) => {
    await gate.pass(key); // no signal: it never learns of the cancel
    return 'too late';
  });
  const broken = keyTool('broken', async () => {
    await gate.hold(2);
    throw new Error('broken');
  });
  const cancelled = scriptedModel(oneBatch(turnWith(['deaf', { key: 'run' }])));
  const siblings = scriptedModel(oneBatch(turnWith(['deaf', { key: 'sibling' }], ['broken'])));
  const one = { question: 'Q', subtasks: subtasks(1) };
  const [run, other] = await Promise.all([
    start(one, { model: cancelled, tools: [deaf] }),
    start({ ...one, tools: { onFailure: 'cancel-siblings' } }, { model: siblings, tools: [deaf, broken] }),
  ]);
  await gate.arrival('run');
  await run.handle.cancel();
  await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(gate.waiting()).toContain('run'); // it still runs, but nobody waits for it
  const [call] = activitiesOf(await history(`${run.runId}/s1`), 'callToolActivity');
  expect(call).toMatchObject({ end: 'cancelled', details: { mayStillRun: true } });
  const { cancel } = await createClient(world()).getHandle(run.runId).describe();
  const { callId } = call!.input as { callId: string };
  expect(cancel).toMatchObject({ stopped: 1, mayStillRun: [{ subagentId: 's1', callId, tool: 'deaf' }] });

  expect((await other.result()).status).toBe('completed');
  expect(resultsAt(siblings, 's1 turn 2')).toMatchObject([
    { name: 'deaf', isError: true, text: toolErrorText.mayStillRun() },
    { name: 'broken', isError: true, text: 'broken' },
  ]);
  gate.open();
});
