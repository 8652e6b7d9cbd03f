import { describe, expect, test } from '@jest/globals';
import type { Estimate } from '../../src/contract/estimate.ts';
import { createClient, createReader, readTool, toInput } from '../support/client-world.ts';
import { useWorld } from '../support/temporal.ts';

const world = useWorld('client estimate', { model: createReader(), tools: [readTool] });
const client = () => createClient(world.world());
const model = `scripted:estimate-${Date.now()}`;
const input = (question = 'Why is the sky blue?') =>
  toInput({ question, corpus: '/documents', models: { planner: model, subagent: model, synthesis: model } });

/** Visibility follows a moment later. */
async function estimateUntil(isRight: (estimate: Estimate) => boolean): Promise<Estimate> {
  for (;;) {
    const estimate = await client().estimate(input());
    if (isRight(estimate)) return estimate;
  }
}

describe('an estimate', () => {
  test('is made from bounds before there are runs, and from finished runs of the model once there are three', async () => {
    const before = await client().estimate(input());
    expect(before).toMatchObject({ subagents: { low: 1, high: 6 }, basis: { kind: 'bounds' } });
    // A run that has ended without coming to its end tells nothing.
    const stopped = await createClient(world.world(), { taskQueue: 'nobody-polls-here' }).start(input());
    await world.world().client.workflow.getHandle(stopped.runId).terminate();
    const results = await Promise.all([1, 2, 3].map((each) => client().execute(input(`Question ${each}?`))));
    const after = await estimateUntil(({ basis }) => basis.kind === 'past-runs');
    const tokens = results.map(({ usage }) => usage.tokens);
    expect(after).toMatchObject({
      basis: { kind: 'past-runs', runs: 3 },
      subagents: { low: 3, high: 3 },
      toolCalls: { low: 3, high: 3 },
      tokens: { low: Math.min(...tokens), high: Math.max(...tokens) },
    });
    expect(after.wallClockMs!.high).toBeGreaterThan(0);
    for (const each of tokens) expect(each).toBeLessThanOrEqual(before.tokens.high);
  });

  test('does not take the runs of another model for those of this one', async () => {
    const other = `${model}-other`;
    const estimate = await client().estimate(
      toInput({ models: { planner: model, subagent: other, synthesis: model } }),
    );
    expect(estimate.basis).toEqual({ kind: 'bounds' });
  });

  test('knows a price that the input gives, and others by what the client is given', async () => {
    const price = { input: 1, output: 10 };
    const fresh = `${model}-fresh`;
    const models = { planner: fresh, subagent: fresh, synthesis: fresh };
    expect((await client().estimate(toInput({ models }))).usd).toBeNull();
    const own = await client().estimate(toInput({ models, prices: { [fresh]: price } }));
    const listed = await createClient(world.world(), { ratesOf: () => price }).estimate(toInput({ models }));
    expect(own.usd!.high).toBeGreaterThan(0);
    expect(listed.usd).toEqual(own.usd);
  });

  test('refuses what a start refuses, and starts nothing', async () => {
    await expect(client().estimate(toInput({ question: '' }))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(client().estimate(input(), { requestId: '' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const runId = `run-estimated-${Date.now()}`;
    await client().estimate({ ...input(), runId });
    await expect(client().attach(runId)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
