import { describe, expect, test } from '@jest/globals';
import { TributaryError } from '../../src/contract/failure.ts';
import type { RunEvent } from '../../src/contract/run-view.ts';
import type { Model } from '../../src/models/model.ts';
import { collect, createClient, createReader, readTool } from '../support/client-world.ts';
import { Gate, waitUntil } from '../support/gate.ts';
import { useWorld, withWorker, type TestWorld } from '../support/temporal.ts';

const world = useWorld('client retry subagent', { tools: [readTool] });
const question = 'Why is the sky blue?';

/** A run of three of which s2 fails on its second turn until it is mended; s1 is held on its own. */
async function startFailing(at: TestWorld = world.world()) {
  const gate = new Gate();
  const broken = new Set(['s2 turn 2']);
  const reader = createReader({ gate });
  const model: Model = {
    ...reader,
    async call(request, options) {
      const { task } = request;
      const place = task.kind === 'research' ? `${task.subagentId} turn ${task.turn}` : task.kind;
      if (broken.has(place)) {
        options.onRequest();
        throw new TributaryError('MODEL_AUTH', 'no such key');
      }
      return reader.call(request, options);
    },
  };
  const run = await at.start({ question, corpus: '/docs' }, { model, tools: [readTool] });
  const handle = createClient(at).getHandle(run.runId);
  const statusOf = async (id: string) => (await handle.describe()).tree.find((view) => view.id === id)?.status;
  return { gate, run, handle, statusOf, mend: () => broken.clear() };
}

const tally = (events: readonly RunEvent[]) =>
  events
    .filter((event) => event.type !== 'budget-updated' && event.type !== 'subagent-live' && event.type !== 'snapshot')
    .map((event) => JSON.stringify({ ...event, cursor: '' }))
    .sort();

describe('a subagent that is started again', () => {
  test('is told of with each attempt, and from any cursor each event comes exactly once', async () => {
    const { gate, run, handle, mend } = await startFailing();
    await gate.hold(3);
    const whole: RunEvent[] = [];
    let asked: Promise<void> | undefined;
    for await (const event of handle.watch()) {
      whole.push(event);
      if (event.type === 'snapshot') {
        gate.open('s2 turn 1');
        gate.open('s3 turn 1');
      }
      if (event.type !== 'subagent-status' || event.subagentId !== 's2') continue;
      if (event.status === 'failed') {
        mend();
        asked = handle.retrySubagent('s2');
      }
      if (event.attempt === 2 && event.status === 'running') gate.open();
    }
    await asked;
    expect((await run.result()).status).toBe('completed');
    const ofS2 = whole.flatMap((event) =>
      event.type === 'subagent-status' && event.subagentId === 's2' ? [`${event.status} ${event.attempt}`] : [],
    );
    expect(ofS2).toEqual(['failed 1', 'queued 2', 'running 2', 'done 2']);
    for (let place = 0; place < whole.length; place += 1) {
      const rest = await collect(handle.watch({ after: whole[place]!.cursor }));
      expect(tally([...whole.slice(0, place + 1), ...rest])).toEqual(tally(whole));
    }
    const view = (await handle.describe()).tree.find(({ id }) => id === 's2')!;
    const { subagents } = await handle.result();
    expect(view).toMatchObject({ status: 'done', attempt: 2, usage: { tokens: subagents[1]!.usage.tokens } });
  });

  test('is started as soon as its end is seen, though its run hears of that a moment later', async () => {
    const { gate, run, handle, mend } = await startFailing();
    await gate.hold(3);
    gate.open('s2 turn 1');
    for await (const event of handle.watch()) {
      if (event.type === 'subagent-status' && event.subagentId === 's2' && event.status === 'failed') break;
    }
    mend();
    await handle.retrySubagent('s2');
    gate.open();
    expect((await run.result()).status).toBe('completed');
  });

  test('is cancelled alone like any other', async () => {
    const { gate, run, handle, statusOf, mend } = await startFailing();
    await gate.hold(3);
    gate.open('s2 turn 1');
    await waitUntil(async () => (await statusOf('s2')) === 'failed');
    mend();
    await handle.retrySubagent('s2');
    await gate.arrival('s2 turn 2');
    await expect(handle.cancelSubagent('s2', { wait: true })).resolves.toMatchObject({ status: 'cancelled' });
    gate.open();
    expect((await run.result()).subagents[1]).toMatchObject({ status: 'cancelled', reason: 'operator' });
  });

  test('and fails again is taken over by a retry of its run, with what both attempts cost', async () => {
    const { gate, run, handle, statusOf, mend } = await startFailing();
    await gate.hold(3);
    gate.open('s2 turn 1');
    await waitUntil(async () => (await statusOf('s2')) === 'failed');
    await handle.retrySubagent('s2');
    await waitUntil(async () => (await handle.describe()).tree.find(({ id }) => id === 's2')?.attempt === 2);
    await handle.cancel({ wait: true });
    await run.result().catch(() => null);
    const before = await handle.result();
    expect(before.subagents[1]!.usage.tokens).toBeGreaterThan(0);
    expect(before.usage.tokens).toBe(before.budget.tokens.spent);
    mend();
    gate.open();
    const after = await (await handle.retry()).result();
    expect(after.subagents.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    expect(after.origin!.spent.tokens).toBe(before.usage.tokens);
  });

  test('with no worker there is no answer within five seconds, and the same request id has one effect later', async () => {
    await withWorker('retry without a worker', { tools: [readTool] }, async (own) => {
      const { gate, run, handle, statusOf, mend } = await startFailing(own);
      await gate.hold(3);
      gate.open('s2 turn 1');
      await waitUntil(async () => (await statusOf('s2')) === 'failed');
      await waitUntil(async () =>
        (await run.history()).events!.some((event) => event.childWorkflowExecutionFailedEventAttributes),
      );
      mend();
      await own.stopFirstWorker();
      await expect(handle.retrySubagent('s2', { requestId: 'once' })).rejects.toMatchObject({
        code: 'NO_WORKER',
        message: expect.stringContaining('--request-id once'),
      });
      await own.startWorker();
      await handle.retrySubagent('s2', { requestId: 'once' });
      gate.open();
      expect((await run.result()).status).toBe('completed');
      expect((await handle.describe()).tree.find(({ id }) => id === 's2')).toMatchObject({ attempt: 2 });
    });
  });
});
