import { expect, test } from '@jest/globals';
import { Gate, waitUntil } from '../support/gate.ts';
import { activitiesOf, cancelRequestedAt, childrenOf, closeOf, eventsOf } from '../support/read-history.ts';
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

test('B32 (a) · during model calls of its subagents: the requests are aborted, and paid for', async () => {
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

test('B32 (b) · during a tool batch: what runs is aborted, what waits is dropped, and the model is not asked again', async () => {
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

test('B32 (d) · during the wait between two attempts: at once, and without another attempt', async () => {
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

test.each(['plan', 'synthesize'])('B32 (a) · during its own model call (%s)', async (place) => {
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

test('B32 (c) · while it waits for its children: what ended is kept, what works stops, what waits never starts', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(4), maxConcurrency: 2 }, { model });
  await gate.hold(2);
  gate.open('s1 turn 1');
  await gate.arrival('s3 turn 1'); // the run has seen the end of s1
  await run.handle.cancel();
  await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  const ends = [...(await run.histories())].map(([id, history]) => `${id.slice(run.runId.length)} ${closeOf(history)}`);
  expect(ends.sort()).toEqual([' cancelled', '/s1 completed', '/s2 cancelled', '/s3 cancelled']);
  expect((await run.handle.describe()).memo).toMatchObject({ status: 'cancelled', settled: { done: 1, cancelled: 3 } });
  expect(model.requests).toHaveLength(3);
  expect(gate.waiting()).toEqual([]);
});

test('B32 (e) · while all its calls wait for the rate limit of a provider: at once, and none is made after all', async () => {
  const limited = { fail: { code: 'MODEL_RATE_LIMIT', retryAfter: '10m' } };
  const model = scriptedModel({ subagents: { '*': [limited] } });
  const run = await start({ question: 'Q', subtasks: subtasks(3) }, { model });
  const isWaiting = async (id: string) => {
    const described = await world().client.workflow.getHandle(`${run.runId}/${id}`).describe();
    return (described.raw.pendingActivities ?? []).some(({ attempt }) => attempt === 2);
  };
  await waitUntil(async () => model.requests.length === 3);
  await waitUntil(async () => (await Promise.all(['s1', 's2', 's3'].map(isWaiting))).every(Boolean));
  await cancelAndCheck(run, model);
  expect(model.requests).toHaveLength(3);
});

test('B34 · a model call and a tool that say nothing while they work learn of the cancel all the same', async () => {
  const gate = new Gate();
  const call = { ...callsOf('look', [1]), usage: { inputTokens: 700, outputTokens: 34 } };
  const model = scriptedModel({ subagents: { s1: answers('found'), s2: [call] } }, holdTurns(gate, ['s1 turn 1']));
  const aborted: string[] = [];
  const look = keyTool('look', async (key, { signal }) => {
    await gate.pass(`look ${key}`, signal).finally(() => signal.aborted && aborted.push(key));
    return 'seen';
  });
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, { model, tools: [look] });
  await gate.hold(2);
  await cancelAndCheck(run, model);
  expect(aborted).toEqual(['1']);
  expect(model.requests.filter(({ aborted: was }) => was).map(({ place }) => place)).toEqual(['s1 turn 1']);
  // A cancel travels in the answer to a heartbeat: work without a short time-out would learn of it too late, or never.
  const scheduled = [...(await run.histories()).values()]
    .flatMap(eventsOf)
    .flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  expect(scheduled.length).toBeGreaterThan(3);
  for (const { activityType, heartbeatTimeout } of scheduled)
    expect(`${activityType!.name} ${Number(heartbeatTimeout?.seconds)}`).toBe(`${activityType!.name} 5`);
});

test('B37 (a) · five busy subagents: each has closed as cancelled, and is paid for, before the run does', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(5) }, { model });
  await gate.hold(5);
  const { spentTokens } = await cancelAndCheck(run, model);
  expect(spentTokens).toBeGreaterThan(5 * 4_096); // all that each request might have answered
  const history = await run.history();
  const ends = eventsOf(history).filter((event) => event.childWorkflowExecutionCanceledEventAttributes);
  expect(ends).toHaveLength(5);
  const close = eventsOf(history).at(-1)!;
  for (const { eventId } of ends) expect(Number(eventId)).toBeLessThan(Number(close.eventId));
});

test('B32 (e) · while others wait for their turn or for funds: those are never started', async () => {
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

test('B32 (f) · before its first workflow task: nothing is started', async () => {
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
