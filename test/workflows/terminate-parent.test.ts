import { expect, test } from '@jest/globals';
import { Gate, waitUntil } from '../support/gate.ts';
import { childrenOf, closeOf } from '../support/read-history.ts';
import { answers, endsOf, holdTurns, type RecordedModel, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world, history } = useWorld('terminate parent');
const busy = ['s1', 's2', 's3', 's4', 's5'];
const request = { question: 'Q', subtasks: subtasks(busy.length) };
const held = () => {
  const gate = new Gate();
  return { gate, model: scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate)) };
};

/** Each of the five closes as cancelled with its request aborted, and the server knows of nothing below the run that runs. */
async function expectNobodyRunsOn(runId: string, gate: Gate, model: RecordedModel): Promise<void> {
  const { client } = world();
  for (const id of busy) {
    const child = `${runId}/${id}`;
    await expect(client.workflow.getHandle(child).result()).rejects.toMatchObject({
      cause: { name: 'CancelledFailure' },
    });
    expect(closeOf(await history(child))).toBe('cancelled');
  }
  await gate.hold(0);
  expect(model.requests).toHaveLength(busy.length);
  expect(model.requests.every(({ aborted }) => aborted)).toBe(true);
  const running = `WorkflowId STARTS_WITH "${runId}/" AND ExecutionStatus = "Running"`;
  await waitUntil(async () => (await client.workflow.count(running)).count === 0);
}

test('B37 (b) · a run that is terminated stops its subagents: their requests are aborted, and none runs on', async () => {
  const { gate, model } = held();
  const run = await start(request, { model });
  await gate.hold(5);
  await run.handle.terminate('enough');
  await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'TerminatedFailure' } });
  await expectNobodyRunsOn(run.runId, gate, model);
});

test('B37 (c) · a run that fails while five are busy stops them, and closes after them', async () => {
  const gate = new Gate();
  const subagents = { s6: [{ fail: { code: 'MODEL_AUTH', message: 'no such key' } }], '*': answers('found') };
  const model = scriptedModel({ subagents }, holdTurns(gate));
  const join = { kind: 'all' as const };
  const run = await start({ ...request, subtasks: subtasks(6), join }, { model });
  await gate.hold(6);
  gate.open('s6 turn 1');
  const result = await run.result();
  expect(result.status).toBe('failed');
  expect(endsOf(result)).toEqual([...busy.map((id) => `${id} cancelled (join)`), 's6 failed (provider)']);
  expect(childrenOf(await run.history()).map(({ end }) => end)).not.toContain('open');
  const others = model.requests.filter(({ place }) => place !== 's6 turn 1');
  await expectNobodyRunsOn(run.runId, gate, { ...model, requests: others });
});

test('B37 (d) · a run that the server times out stops its subagents', async () => {
  const { gate, model } = held();
  const run = await start(request, { model }, { workflowExecutionTimeout: 4_000 });
  await gate.hold(5);
  await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'TimeoutFailure' } });
  expect(closeOf(await run.history())).toBe('timed-out');
  await expectNobodyRunsOn(run.runId, gate, model);
});
