/** Model calls that wait for their turn at the server: a wait is no request, and a cancel ends it at once. */
import { expect, test } from '@jest/globals';
import { createMemoryBuckets } from '../../src/store/buckets/memory-buckets.ts';
import { waitUntil } from '../support/gate.ts';
import { answers, endsOf, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const buckets = createMemoryBuckets();
const { start, world } = useWorld('rate limit', { dependencies: { buckets } });
const limitedTo = (rpm: number, key: string) => {
  const model = scriptedModel({ subagents: { '*': answers('found') } });
  return { ...model, rate: { key, limit: { rpm }, limitName: 'openai/m' } };
};

test('four calls at one every 3 s are four requests with one attempt allowed to each, however often they were put off', async () => {
  const model = limitedTo(20, 'put off');
  const run = await start({ question: 'Q', subtasks: subtasks(4), modelAttempts: 1 }, { model });
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 done', 's3 done', 's4 done']);
  expect(model.requests.filter(({ place }) => /^s\d/.test(place))).toHaveLength(4);
  expect(result.usage.estimated).toBe(false);
});

test('a run that is cancelled while its calls wait ends without a request, and their turn is not waited for', async () => {
  const model = limitedTo(1, 'cancelled');
  await buckets.take('cancelled', 0, { rpm: 1 });
  const run = await start({ question: 'Q', subtasks: subtasks(3) }, { model });
  const isPutOff = async (id: string) => {
    const described = await world().client.workflow.getHandle(`${run.runId}/${id}`).describe();
    return (
      described.raw.pendingActivities?.some(({ lastFailure }) => lastFailure?.message?.includes('its turn')) ?? false
    );
  };
  for (const id of ['s1', 's2', 's3']) await waitUntil(() => isPutOff(id).catch(() => false));
  await run.handle.cancel();
  await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(model.requests.filter(({ place }) => /^s\d/.test(place))).toEqual([]);
});
