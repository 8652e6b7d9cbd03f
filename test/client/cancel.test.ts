import { describe, expect, test } from '@jest/globals';
import { collect, createClient, createReader, readTool, toInput } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { useWorld } from '../support/temporal.ts';

const world = useWorld('client cancel', { tools: [readTool] });
const question = 'Why is the sky blue?';
const client = () => createClient(world.world());

async function startHeld() {
  const gate = new Gate();
  const run = await world.start({ question, corpus: '/docs' }, { model: createReader({ gate }), tools: [readTool] });
  const handle = client().getHandle(run.runId);
  return { gate, run, handle };
}

describe('cancel', () => {
  test('reaches the run and every open subagent, with its reason and who asked', async () => {
    const { gate, run, handle } = await startHeld();
    await gate.hold(3);
    const receipt = await handle.cancel({ reason: 'wrong question' });
    expect(receipt).toEqual({ status: 'cancelling', affected: ['s1', 's2', 's3'] });
    const result = await handle.result();
    expect(result).toMatchObject({
      status: 'cancelled',
      exitCode: 6,
      report: null,
      failure: { message: 'cancelled by an operator: wrong question' },
    });
    expect(result.gaps).toMatchObject(
      ['s1', 's2', 's3'].map((subagentId) => ({ subagentId, status: 'cancelled', reason: 'operator' })),
    );
    for (const history of (await run.histories()).values()) {
      const request = history.events!.find((event) => event.workflowExecutionCancelRequestedEventAttributes);
      expect(request!.workflowExecutionCancelRequestedEventAttributes).toMatchObject({
        cause: 'wrong question',
        identity: 'tester',
      });
    }
    expect(await handle.describe()).toMatchObject({ status: 'cancelled', cancelReason: 'wrong question' });
  });

  test('twice is one cancel, before and after it has landed', async () => {
    const { gate, handle } = await startHeld();
    await gate.hold(3);
    const [first, second] = await Promise.all([handle.cancel(), handle.cancel()]);
    expect([first.status, second.status]).toEqual(['cancelling', 'cancelling']);
    expect(await handle.result()).toMatchObject({ status: 'cancelled' });
    expect(await handle.cancel()).toEqual({ status: 'cancelled', affected: [] });
  });

  test('can wait until everything has stopped', async () => {
    const { gate, handle } = await startHeld();
    await gate.hold(3);
    const { status, cancel } = await handle.cancel({ wait: true });
    expect({ status, waiting: gate.waiting() }).toEqual({ status: 'cancelled', waiting: [] });
    expect(cancel).toMatchObject({ subagents: 3, stopped: 3, mayStillRun: [], openSockets: 0 });
    // The models of this test answer from memory: no socket was open, and each subagent was asked and has answered.
    expect(cancel).toMatchObject({ lastSocketClosedAt: null, acknowledgedAt: expect.any(String) });
    const { tree, cancel: described } = await handle.describe();
    expect(described).toEqual(cancel);
    const paid = tree.reduce((sum, view) => sum + view.cancel!.tokensAfter, 0);
    expect(cancel).toMatchObject({ tokensAfter: paid, estimated: paid > 0 });
    expect((await handle.result()).cancel).toEqual(cancel);
  });

  test('of a run that has completed says so', async () => {
    const { gate, run, handle } = await startHeld();
    gate.open();
    await run.result();
    const late = handle.cancel();
    await expect(late).rejects.toMatchObject({ code: 'RUN_ENDED', message: expect.stringContaining('completed') });
    const lateToo = handle.cancelSubagent('s1');
    await expect(lateToo).rejects.toMatchObject({ code: 'RUN_ENDED', message: expect.stringContaining('completed') });
  });

  test('of an unknown run is RUN_NOT_FOUND', async () => {
    await expect(client().getHandle('nowhere').cancel()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('needs no worker', async () => {
    const idle = createClient(world.world(), { taskQueue: 'nobody-polls-here' });
    const run = await idle.start(toInput({ runId: `idle-${Date.now()}` }));
    expect(await run.describe()).toMatchObject({ status: 'queued' });
    expect(await run.cancel({ reason: 'never mind' })).toEqual({ status: 'cancelling', affected: [] });
    expect(await run.describe()).toMatchObject({ status: 'cancelling', cancelReason: 'never mind' });
    await world.world().client.workflow.getHandle(run.runId).terminate('the test has ended');
    const events = await collect(run.watch());
    expect(events.at(-1)).toMatchObject({ type: 'result', status: 'terminated', exitCode: 3 });
    expect(await run.result()).toMatchObject({ status: 'terminated', usage: { tokens: 0 } });
  });
});

describe('cancelSubagent', () => {
  test('stops that one, and the others go on', async () => {
    const { gate, handle, run } = await startHeld();
    await gate.hold(3);
    expect(await handle.cancelSubagent('s2', { wait: true })).toMatchObject({
      ...{ status: 'cancelled', affected: ['s2'] },
      cancel: { acknowledgedAt: expect.any(String), mayStillRun: [] },
    });
    const { tree, cancel } = await handle.describe();
    expect({ run: cancel, asked: tree.filter((view) => view.cancel).map(({ id }) => id) }).toEqual({ asked: ['s2'] });
    expect(await handle.cancelSubagent('s2')).toEqual({ status: 'cancelled', affected: [] });
    gate.open();
    expect(await handle.result()).toMatchObject({
      status: 'partial',
      exitCode: 5,
      gaps: [{ subagentId: 's2', status: 'cancelled', reason: 'operator' }],
    });
    await run.result();
  });

  test('of one that the run does not have names those that it has', async () => {
    const { gate, handle, run } = await startHeld();
    await gate.hold(3);
    const unknown = handle.cancelSubagent('s9');
    await expect(unknown).rejects.toMatchObject({
      code: 'SUBAGENT_NOT_FOUND',
      message: expect.stringContaining('s1, s2, s3'),
    });
    await expect(handle.cancelSubagent('../s1')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    gate.open();
    await run.result();
  });

  test('of one that has ended says how', async () => {
    const { gate, handle, run } = await startHeld();
    await gate.hold(3);
    gate.open('s1 turn 1');
    await gate.hold(3);
    gate.open('s1 turn 2');
    await collect(handle.watch(), (event) =>
      event.type === 'subagent-status'
        ? event.subagentId === 's1' && event.status === 'done'
        : event.type === 'snapshot' && event.run.tree[0]!.status === 'done',
    );
    const late = handle.cancelSubagent('s1');
    await expect(late).rejects.toMatchObject({ code: 'RUN_ENDED', message: expect.stringContaining('done') });
    gate.open();
    await run.result();
  });
});
