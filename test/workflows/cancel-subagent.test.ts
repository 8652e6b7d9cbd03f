import { expect, test } from '@jest/globals';
import { Gate } from '../support/gate.ts';
import { closeOf } from '../support/read-history.ts';
import { answers, endsOf, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('cancel subagent');

test('B29 · one subagent is cancelled alone: the run goes on without it, and its answer is a gap', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(3) }, { model });
  await gate.hold(3);
  await world().client.workflow.getHandle(`${run.runId}/s2`).cancel();
  await gate.hold(2);
  gate.open();
  const result = await run.result();
  expect(result.status).toBe('partial');
  expect(endsOf(result)).toEqual(['s1 done', 's2 cancelled (operator)', 's3 done']);
  expect(result.gaps).toEqual([{ subagentId: 's2', goal: 'goal 2', status: 'cancelled', reason: 'operator' }]);
  expect(model.requests.filter(({ aborted }) => aborted).map(({ place }) => place)).toEqual(['s2 turn 1']);
  const ends = [...(await run.histories())].map(([id, history]) => `${id.slice(run.runId.length)} ${closeOf(history)}`);
  expect(ends.sort()).toEqual([' completed', '/s1 completed', '/s2 cancelled', '/s3 completed']);
});
