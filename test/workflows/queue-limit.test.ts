import { expect, test } from '@jest/globals';
import { applyQueueLimit, readQueueLimit } from '../../src/client/queue-limits.ts';
import { waitUntil } from '../support/gate.ts';
import { activitiesOf, childrenOf } from '../support/read-history.ts';
import { answers, scriptedModel, subtasks } from '../support/scripts.ts';
import { withWorker, type TestRun, type TestWorld } from '../support/temporal.ts';

const perSecond = (rate: number) => Math.round(rate * 61);
const script = { subagents: { '*': { turns: answers('found') } } };

/** Resolves when that many model calls wait in the queue of the model, or run. */
async function queued(run: TestRun, world: TestWorld, count: number): Promise<void> {
  await waitUntil(async () => {
    const children = childrenOf(await run.history());
    const histories = await Promise.all(children.map(({ workflowId }) => world.history(workflowId)));
    return histories.filter((history) => activitiesOf(history, 'callModelActivity').length > 0).length === count;
  });
}

/** When the server gave out each model call, in milliseconds, in order. */
async function startsOf(run: TestRun): Promise<number[]> {
  return [...(await run.histories()).values()]
    .flatMap((history) => activitiesOf(history, 'callModelActivity').map(({ startedAtMs }) => startedAtMs!))
    .sort((a, b) => a - b);
}

test('thirty calls on a queue of 600 requests a minute are given out no faster than that', async () => {
  await withWorker('queue limit', { hasModelQueue: true }, async (world) => {
    const limit = { rpm: perSecond(10), tenantRpm: 61 * 1_000 };
    await applyQueueLimit(world.client, world.modelQueue, limit);
    expect(await readQueueLimit(world.client, world.modelQueue)).toEqual(limit);
    const run = await world.start({ question: 'Q', subtasks: subtasks(30) }, { model: scriptedModel(script) });
    expect((await run.result()).status).toBe('completed');
    const starts = await startsOf(run);
    expect(starts).toHaveLength(30);
    // The first second lets twice the rate through; of any 21 in a row the last is a second after the first.
    for (const [at, first] of starts.slice(0, -20).entries()) expect(starts[at + 20]! - first).toBeGreaterThan(950);
  });
});

test('tenants take turns: ten calls that come behind sixty of another tenant do not wait for those', async () => {
  await withWorker('tenants take turns', { hasModelQueue: true }, async (world) => {
    // Slow enough that all of them come to wait, however slow the machine is.
    await applyQueueLimit(world.client, world.modelQueue, { rpm: perSecond(0.5) });
    const started: string[] = [];
    const modelOf = (tenant: string) => scriptedModel(script, (place) => void started.push(`${tenant} ${place}`));
    const startFor = async (tenant: string, count: number) => {
      const run = await world.start({ question: 'Q', tenant, subtasks: subtasks(count) }, { model: modelOf(tenant) });
      await queued(run, world, count);
      return run;
    };
    await startFor('large', 60);
    const small = await startFor('small', 10);
    const before = started.length;
    await applyQueueLimit(world.client, world.modelQueue, { rpm: perSecond(5) });
    expect((await small.result()).status).toBe('completed');
    const since = started.slice(before);
    const countOf = (tenant: string) => since.filter((each) => each.startsWith(tenant)).length;
    // One each in turn is as many as those of the small one; first come, first served would be all that still waited.
    expect(countOf('small')).toBeGreaterThan(5);
    expect(countOf('large')).toBeLessThanOrEqual(2 * countOf('small'));
    expect(started.length).toBeLessThan(60);
  });
});

test('a limit that is left out is taken away', async () => {
  await withWorker('limit taken away', {}, async ({ client, modelQueue }) => {
    await applyQueueLimit(client, modelQueue, { rpm: 600, tenantRpm: 60 });
    await applyQueueLimit(client, modelQueue, { tpm: 1_000 });
    expect(await readQueueLimit(client, modelQueue)).toEqual({ rpm: null, tenantRpm: null });
  });
});

test('a limit of tenants holds for each of them alone, and for the runs that name none together', async () => {
  await withWorker('limit of tenants', { hasModelQueue: true }, async (world) => {
    await applyQueueLimit(world.client, world.modelQueue, { tenantRpm: perSecond(5) });
    const run = async (tenant: object) =>
      world.start({ question: 'Q', subtasks: subtasks(20), ...tenant }, { model: scriptedModel(script) });
    const runs = await Promise.all([run({ tenant: 'acme' }), run({})]);
    for (const each of runs) {
      expect((await each.result()).status).toBe('completed');
      const starts = await startsOf(each);
      expect(starts).toHaveLength(20);
      for (const [at, first] of starts.slice(0, -10).entries()) expect(starts[at + 10]! - first).toBeGreaterThan(950);
    }
  });
});
