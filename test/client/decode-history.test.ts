import { describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { HistoryFact } from '../../src/contract/history-fact.ts';
import type { HistoryEvent } from '../../src/client/history/event-parts.ts';
import { createFactDecoder } from '../../src/client/history/to-history-fact.ts';
import { openWorkflowHistory } from '../../src/client/history/workflow-history.ts';
import { readStoppedUsage } from '../../src/client/read-stopped-usage.ts';
import { createClient, createReader, readTool } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { useWorld } from '../support/temporal.ts';

const world = useWorld('client decode history', { tools: [readTool] });
const question = 'Why is the sky blue?';

async function readFacts(workflowId: string, subagentId: string | null, runId: string): Promise<HistoryFact[]> {
  const { client } = world.world();
  const { runId: firstRunId } = await client.workflow.getHandle(workflowId).describe();
  const history = openWorkflowHistory(client, { runId, subagentId, workflowId, firstRunId });
  const located = await history.readAvailable();
  expect(history.notes()).toEqual([]);
  return located.map(({ fact }) => fact);
}

describe('the facts of a real history', () => {
  test('of a run carry the inputs and results of its activities and children', async () => {
    const run = await world.start({ question, corpus: '/docs' }, { model: createReader(), tools: [readTool] });
    const recorded = await run.result();
    const facts = await readFacts(run.runId, null, run.runId);
    expect(facts[0]).toMatchObject({ kind: 'workflow-started', input: { question }, firstRunId: expect.any(String) });
    expect(facts.at(-1)).toMatchObject({ kind: 'workflow-completed', result: recorded });
    const started = facts.filter((fact) => fact.kind === 'child-started');
    expect(started.map(({ childId }) => childId).sort()).toEqual(['s1', 's2', 's3']);
    expect(started[0]).toMatchObject({ input: { id: started[0]!.childId, allotment: { tokens: expect.any(Number) } } });
    const plan = facts.find((fact) => fact.kind === 'activity-scheduled' && fact.activityType === 'planActivity')!;
    const planned = facts.find((fact) => fact.kind === 'activity-completed' && fact.scheduledEventId === plan.eventId);
    expect(planned).toMatchObject({ attempt: 1, result: { kind: 'plan' } });
    expect(facts.some((fact) => fact.kind === 'memo')).toBe(true);
  });

  test('of a cancelled subagent carry who asked, and the usage in the details of its open call', async () => {
    const gate = new Gate();
    const run = await world.start({ question, corpus: '/docs' }, { model: createReader({ gate }), tools: [readTool] });
    await gate.hold(3);
    await createClient(world.world()).getHandle(run.runId).cancelSubagent('s1', { reason: 'enough', wait: true });
    const facts = await readFacts(`${run.runId}/s1`, 's1', run.runId);
    expect(facts.find((fact) => fact.kind === 'workflow-cancel-requested')).toMatchObject({
      reason: 'enough',
      byRun: false,
    });
    expect(facts.find((fact) => fact.kind === 'activity-failed')).toMatchObject({
      how: 'cancelled',
      details: [expect.objectContaining({ requests: 1, lost: 1 }), expect.objectContaining({ socketsOpen: 0 })],
    });
    expect(facts.at(-1)).toMatchObject({ kind: 'workflow-cancelled' });
    gate.open();
    await run.result();
  });

  test('say what a terminated subagent used, its open call at the reservation', async () => {
    const gate = new Gate();
    const run = await world.start({ question, corpus: '/docs' }, { model: createReader({ gate }), tools: [readTool] });
    await gate.hold(3);
    const { client } = world.world();
    await client.workflow.getHandle(`${run.runId}/s1`).terminate('for the test');
    const facts = await readFacts(`${run.runId}/s1`, 's1', run.runId);
    const call = facts.find((fact) => fact.kind === 'activity-scheduled');
    const { maxSpendTokens } = call!.input as { maxSpendTokens: number };
    // As the worker does it: over its own kind of connection.
    const native = await NativeConnection.connect({ address: process.env.TRIBUTARY_TEST_ADDRESS! });
    const { namespace } = client.options;
    const stopped = await readStoppedUsage(new Client({ connection: native, namespace }), run.runId, 's1');
    await native.close();
    expect(stopped).toMatchObject({ id: 's1', turns: 0, usage: { tokens: maxSpendTokens, estimated: true } });
    gate.open();
    const recorded = await run.result();
    expect(recorded.subagents[0]).toMatchObject({
      status: 'failed',
      reason: 'terminated',
      usage: { tokens: maxSpendTokens },
    });
  });

  test('are none for a subagent that never was', async () => {
    expect(await readStoppedUsage(world.world().client, 'nowhere', 's1')).toMatchObject({ usage: { tokens: 0 } });
  });
});

test('a payload that cannot be read is null and a note, never an error', async () => {
  const { client } = world.world();
  const decoder = createFactDecoder({ converter: client.options.loadedDataConverter, runId: 'r', subagentId: 's1' });
  const payload = { metadata: { encoding: new TextEncoder().encode('binary/secret') }, data: new Uint8Array([1]) };
  const event = {
    eventId: 7,
    activityTaskScheduledEventAttributes: {
      activityType: { name: 'callToolActivity' },
      input: { payloads: [payload] },
    },
  } as unknown as HistoryEvent;
  expect(await decoder.decode(event)).toMatchObject({ kind: 'activity-scheduled', input: null, eventId: 7 });
  expect(decoder.notes).toEqual([expect.stringMatching(/^event 7 of r\/s1 could not be read: .*binary\/secret/)]);
});

test('a history goes on where the workflow continued as new', async () => {
  const { client, taskQueue } = world.world();
  const event = (eventId: number, attributes: object) => ({ eventId, ...attributes });
  const pages: Record<string, object[]> = {
    first: [
      event(1, { workflowExecutionStartedEventAttributes: { firstExecutionRunId: 'first' } }),
      event(2, { workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: 'second' } }),
    ],
    second: [
      event(1, { workflowExecutionStartedEventAttributes: { firstExecutionRunId: 'first' } }),
      event(2, { workflowExecutionCompletedEventAttributes: {} }),
    ],
  };
  expect(taskQueue).not.toBe('');
  const service = {
    getWorkflowExecutionHistory: async ({ execution }: { execution: { runId: string } }) => ({
      history: { events: pages[execution.runId] },
    }),
  };
  const standIn = {
    options: client.options,
    workflowService: service,
    withDeadline: async (_: unknown, call: () => unknown) => call(),
    withAbortSignal: async (_: unknown, call: () => unknown) => call(),
  } as unknown as Client;
  const history = openWorkflowHistory(standIn, { runId: 'r', subagentId: null, workflowId: 'r', firstRunId: 'first' });
  const located = await history.readAvailable();
  expect(located.map(({ fact, position }) => [fact.kind, ...position])).toEqual([
    ['workflow-started', 0, 1],
    ['workflow-continued', 0, 2],
    ['workflow-started', 1, 1],
    ['workflow-completed', 1, 2],
  ]);
  expect(history.isDrained()).toBe(true);
});
