import { expect, test } from '@jest/globals';
import { Gate } from '../support/gate.ts';
import { activitiesOf, eventsOf } from '../support/read-history.ts';
import { answers, endsOf, holdTurns, keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('signal usage');

test('a cancelled subagent tells its run what it used before it closes; a terminated one is read from its history', async () => {
  const gate = new Gate();
  const paid = { calls: [{ tool: 'look' }], usage: { inputTokens: 1_200, outputTokens: 34 } };
  const model = scriptedModel(
    { subagents: { s3: answers('found'), '*': [paid, { text: 'never asked' }] } },
    holdTurns(gate, ['s3 turn 1']),
  );
  const look = keyTool('look', async (_, { signal }) => {
    await gate.pass('look', signal);
    return 'seen';
  });
  const run = await start({ question: 'Q', subtasks: subtasks(3) }, { model, tools: [look] });
  await gate.hold(3);
  const { workflow } = world().client;
  await workflow.getHandle(`${run.runId}/s1`).cancel();
  await workflow.getHandle(`${run.runId}/s2`).terminate();
  await gate.hold(1 + 1); // the tool of the terminated one learns of it with its next heartbeat
  gate.open();
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 cancelled (operator)', 's2 failed (terminated)', 's3 done']);
  for (const { usage, turns, toolCalls } of result.subagents.slice(0, 2)) {
    expect(usage).toMatchObject({
      inputTokens: 1_200,
      outputTokens: 34,
      tokens: 1_234,
      estimated: false,
      toolCalls: 1,
    });
    expect({ turns, toolCalls }).toEqual({ turns: 1, toolCalls: 1 });
  }
  const history = await run.history();
  const signals = eventsOf(history).filter((event) => event.workflowExecutionSignaledEventAttributes);
  expect(signals.map((event) => event.workflowExecutionSignaledEventAttributes!.signalName)).toEqual([
    'subagentStopped',
  ]);
  expect(activitiesOf(history, 'settleStoppedActivity').map(({ input }) => input)).toEqual([
    { runId: run.runId, subagentIds: ['s2'] },
  ]);
});
