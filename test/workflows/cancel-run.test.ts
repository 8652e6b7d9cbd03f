import { expect, test } from '@jest/globals';
import { Gate, waitUntil } from '../support/gate.ts';
import { activitiesOf, cancelRequestedAt, childrenOf, closeOf } from '../support/read-history.ts';
import {
  answers,
  callsOf,
  holdTurns,
  keyTool,
  type RecordedModel,
  scriptedModel,
  subtasks,
} from '../support/scripts.ts';
import { type TestRun, useWorld, withWorker } from '../support/temporal.ts';

const { start, world } = useWorld('cancel run');

/** Cancels, and checks what holds wherever the cancel comes. That nothing is started after it is checked of every history. */
async function cancelAndCheck(run: TestRun, model: RecordedModel): Promise<{ spentTokens: number }> {
  await run.handle.cancel();
  await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  const requests = model.requests.length;
  const described = await run.handle.describe();
  expect(described.status.name).toBe('CANCELLED');
  expect(described.memo).toMatchObject({ status: 'cancelled' });
  const histories = await run.histories();
  for (const [workflowId, history] of histories) {
    const isCancelled = closeOf(history) === 'cancelled' && cancelRequestedAt(history) > 0;
    expect({ workflowId, isCancelled }).toEqual({ workflowId, isCancelled: true });
    expect(activitiesOf(history).filter(({ end }) => end === 'open')).toEqual([]);
  }
  // The run closes last: it has seen the end of each of them.
  for (const child of childrenOf(histories.get(run.runId)!)) expect(child.end).toBe('cancelled');
  expect(model.requests).toHaveLength(requests);
  return described.memo as { spentTokens: number };
}

test('during model calls of its subagents: the requests are aborted, and paid for', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, { model });
  await gate.hold(2);
  const { spentTokens } = await cancelAndCheck(run, model);
  expect(
    model.requests
      .filter(({ aborted }) => aborted)
      .map(({ place }) => place)
      .sort(),
  ).toEqual(['s1 turn 1', 's2 turn 1']);
  expect(gate.waiting()).toEqual([]);
  expect(spentTokens).toBeGreaterThan(2 * 4_096);
});

test('during a tool batch: what runs is aborted, what waits is dropped, and the model is not asked again', async () => {
  const gate = new Gate();
  const aborted: string[] = [];
  const model = scriptedModel({
    subagents: { s1: [{ ...callsOf('look', [1, 2, 3, 4]), usage: { inputTokens: 700, outputTokens: 34 } }] },
  });
  const look = keyTool('look', async (key, { signal }) => {
    await gate.pass(key, signal).finally(() => signal.aborted && aborted.push(key));
    return 'seen';
  });
  const tools = { policy: 'bounded' as const, maxConcurrency: 2 };
  const run = await start({ question: 'Q', subtasks: subtasks(1), tools }, { model, tools: [look] });
  await gate.hold(2);
  const { spentTokens } = await cancelAndCheck(run, model);
  expect(aborted.sort()).toEqual(['1', '2']);
  expect(spentTokens).toBe(734); // exactly what was stated: no call was in flight
});

test('during the wait between two attempts: at once, and without another attempt', async () => {
  const model = scriptedModel({ subagents: { s1: [{ fail: { code: 'MODEL_SERVER', retryAfter: '10m' } }] } });
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model });
  const isWaiting = async () => {
    if (model.requests.length === 0) return false;
    const described = await world().client.workflow.getHandle(`${run.runId}/s1`).describe();
    return (described.raw.pendingActivities ?? []).some(({ attempt }) => attempt === 2);
  };
  await waitUntil(isWaiting);
  await cancelAndCheck(run, model);
  expect(model.requests).toHaveLength(1);
});

test.each(['plan', 'synthesize'])('during its own model call (%s)', async (place) => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate, [place]));
  const run = await start({ question: 'Q', maxSubagents: 2 }, { model });
  await gate.hold(1);
  await cancelAndCheckOwn(run, model);
  expect(model.requests.at(-1)).toMatchObject({ place, aborted: true });
});

/** As above, for a run whose subagents have ended, or are not there yet. */
async function cancelAndCheckOwn(run: TestRun, model: RecordedModel): Promise<void> {
  await run.handle.cancel();
  await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  const described = await run.handle.describe();
  expect(described.memo).toMatchObject({ status: 'cancelled' });
  expect((described.memo as { spentTokens: number }).spentTokens).toBeGreaterThan(4_096);
  expect(model.requests.filter(({ aborted }) => aborted)).toHaveLength(1);
}

test('while others wait for their turn or for funds: those are never started', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const request = { question: 'Q', subtasks: subtasks(5), budget: { tokens: 12_000 }, subagentTokens: 4_000 };
  const runs = await Promise.all([
    start({ ...request, maxConcurrency: 5 }, { model }),
    start({ question: 'Q', subtasks: subtasks(5), maxConcurrency: 2 }, { model }),
  ]);
  await gate.hold(4);
  for (const run of runs) await run.handle.cancel();
  for (const run of runs) {
    await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(await run.family()).toHaveLength(3);
    expect((await run.handle.describe()).memo).toMatchObject({ settled: { cancelled: 5 } });
  }
});

test('twice is once', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, { model });
  await gate.hold(2);
  await Promise.all([run.handle.cancel(), run.handle.cancel()]);
  await cancelAndCheck(run, model);
});

test('before its first workflow task: nothing is started', async () => {
  const model = scriptedModel({ subagents: { '*': answers('found') } });
  await withWorker(
    'cancel before the first task',
    { model },
    async ({ start: startHere, stopFirstWorker, startWorker }) => {
      await stopFirstWorker();
      const run = await startHere({ question: 'Q', subtasks: subtasks(2) });
      await run.handle.cancel();
      await startWorker();
      await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
      const history = await run.history();
      expect(activitiesOf(history)).toEqual([]);
      expect(childrenOf(history)).toEqual([]);
      expect((await run.handle.describe()).memo).toMatchObject({ status: 'cancelled' });
    },
  );
  expect(model.requests).toEqual([]);
});
