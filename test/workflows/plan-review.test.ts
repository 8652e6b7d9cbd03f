import { expect, test } from '@jest/globals';
import { ResearchClient } from '../../src/client/research-client.ts';
import type { RunHandle } from '../../src/client/research-api.ts';
import { answers, endsOf, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('plan review');
const client = () => new ResearchClient({ client: world().client, taskQueue: world().taskQueue, identity: 'me@here' });
const planned = (...goals: string[]) => ({
  plan: { text: JSON.stringify({ subtasks: goals }) },
  subagents: { '*': answers('found') },
});

async function untilStatus(handle: RunHandle, status: string): Promise<void> {
  for await (const event of handle.watch()) {
    if (event.type === 'snapshot' && event.run.status === status) return;
    if (event.type === 'run-status' && event.status === status) return;
  }
}

test('the plan waits: nothing is spent on subagents until a person approves it, with edits', async () => {
  const model = scriptedModel(planned('one', 'two', 'three'));
  const run = await start({ question: 'Q', plan: 'review' }, { model });
  const handle = client().getHandle(run.runId);
  await untilStatus(handle, 'awaiting-plan');
  expect((await handle.describe()).tree.map(({ id, goal }) => `${id} ${goal}`)).toEqual([
    's1 one',
    's2 two',
    's3 three',
  ]);
  expect(model.requests.map(({ place }) => place)).toEqual(['plan']);
  await expect(handle.approvePlan({ edits: [{ op: 'remove', id: 's9' }] })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
  await handle.approvePlan({
    edits: [
      { op: 'remove', id: 's2' },
      { op: 'edit', id: 's1', goal: 'one, better' },
      { op: 'add', goal: 'four', after: 's1' },
    ],
  });
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done', 's4 done', 's3 done']);
  expect(result.subagents.map(({ goal }) => goal)).toEqual(['one, better', 'four', 'three']);
  expect((await handle.describe()).tree.map(({ id }) => id)).toEqual(['s1', 's4', 's3']);
  await expect(handle.approvePlan()).rejects.toMatchObject({ code: 'RUN_ENDED' });
});

test('a plan that is sent back is written again, and the planner is told why', async () => {
  const model = scriptedModel(planned('one'));
  const run = await start({ question: 'Q', plan: 'review' }, { model });
  const handle = client().getHandle(run.runId);
  await untilStatus(handle, 'awaiting-plan');
  await handle.revisePlan('two are wanted', { requestId: 'r1' });
  await handle.revisePlan('two are wanted', { requestId: 'r1' });
  for (;;) {
    if (model.requests.length === 2 && (await handle.describe()).status === 'awaiting-plan') break;
    await untilStatus(handle, 'awaiting-plan');
  }
  expect(JSON.stringify(model.requests[1]!.request.messages)).toContain('two are wanted');
  await handle.approvePlan();
  expect((await run.result()).status).toBe('completed');
});

test('subtasks of the caller are reviewed too; nobody answers, and the run ends as expired', async () => {
  const model = scriptedModel(planned());
  const run = await start({ question: 'Q', subtasks: subtasks(2), plan: 'review', personTimeout: '1s' }, { model });
  const result = await run.result();
  expect(result.failure).toMatchObject({ code: 'PLAN_EXPIRED' });
  expect(model.requests).toEqual([]);
});

test('a run that waits for its plan is cancelled like any other, and one without a review refuses an approval', async () => {
  const model = scriptedModel(planned('one'));
  const run = await start({ question: 'Q', plan: 'review' }, { model });
  const handle = client().getHandle(run.runId);
  await untilStatus(handle, 'awaiting-plan');
  await handle.cancel({ wait: true });
  expect((await handle.describe()).status).toBe('cancelled');
});
