import { describe, expect, test } from '@jest/globals';
import type { RunFilter } from '../../src/client/research-api.ts';
import type { RunSummary } from '../../src/contract/run-view.ts';
import { createClient, createReader, readTool, toInput } from '../support/client-world.ts';
import { useWorld } from '../support/temporal.ts';

const world = useWorld('client list', { model: createReader(), tools: [readTool] });
const client = () => createClient(world.world());
const idle = () => createClient(world.world(), { taskQueue: 'nobody-polls-here' });

async function list(filter: RunFilter): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for await (const run of client().list(filter)) runs.push(run);
  return runs;
}

/** Visibility follows a moment later: asks until the list is long enough and `isRight`. */
async function listUntil(filter: RunFilter, isRight: (runs: RunSummary[]) => boolean): Promise<RunSummary[]> {
  for (;;) {
    const runs = await list(filter);
    if (isRight(runs)) return runs;
  }
}

describe('a list of runs', () => {
  test('has the newest start on top, open or closed, and no more than was asked for', async () => {
    const tag = `order-${Date.now()}`;
    const first = await client().start(toInput({ tags: [tag] }));
    const second = await idle().start(toInput({ tags: [tag] }));
    const third = await client().start(toInput({ tags: [tag] }));
    await Promise.all([first.result(), third.result()]);
    const all = await listUntil(
      { text: tag },
      (runs) => runs.filter(({ closedAt }) => closedAt).length === 2 && runs.length === 3,
    );
    expect(all.map(({ runId }) => runId)).toEqual([third.runId, second.runId, first.runId]);
    expect((await list({ text: tag, limit: 2 })).map(({ runId }) => runId)).toEqual([third.runId, second.runId]);
    expect((await list({ text: tag, status: ['queued'] })).map(({ runId }) => runId)).toEqual([second.runId]);
    await world.world().client.workflow.getHandle(second.runId).terminate();
  });

  test('says how a run ended even where the run could not', async () => {
    const title = `ended-${Date.now()}`;
    const run = await idle().start(toInput({ title }));
    await world.world().client.workflow.getHandle(run.runId).terminate('for the test');
    const [listed] = await listUntil({ text: title }, ([one]) => one?.closedAt !== undefined);
    expect(listed).toMatchObject({ runId: run.runId, status: 'terminated' });
  });

  test('can begin at a time', async () => {
    const title = `time-${Date.now()}`;
    const run = await client().start(toInput({ title }));
    await run.result();
    const since = new Date(Date.now() - 60_000).toISOString();
    await listUntil({ text: title, startedAfter: since }, (runs) => runs.length === 1);
    expect(await list({ text: title, startedAfter: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
  });

  test.each([{ limit: 0 }, { limit: 1.5 }, { startedAfter: 'yesterday" OR ""="' }])('refuses %j', async (filter) => {
    await expect(list(filter)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
