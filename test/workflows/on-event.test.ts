import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { ResearchClient } from '../../src/client/research-client.ts';
import type { RunNotice } from '../../src/contract/run-notice.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { Gate, waitUntil } from '../support/gate.ts';
import { activitiesOf } from '../support/read-history.ts';
import { answers, holdTurns, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('on event');
const client = () => new ResearchClient({ client: world().client, taskQueue: world().taskQueue, identity: 'me@here' });
const model = () => scriptedModel({ subagents: { '*': answers('found') } });

/** A webhook that answers with `status`, or, with `null`, never; `notices` is what it was sent. */
async function withWebhook(
  status: number | null,
  body: (hook: { onEvent: { kind: 'webhook'; url: string }; notices: RunNotice[] }) => Promise<void>,
): Promise<void> {
  const notices: RunNotice[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      notices.push(JSON.parse(text) as RunNotice);
      if (status !== null) response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await body({
      onEvent: { kind: 'webhook', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` },
      notices,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
const told = (notices: readonly RunNotice[]) =>
  notices.map(({ ordinal, type, status }) => `${ordinal} ${type} ${status}`);
const noteOf = (notes: readonly string[]) => notes.filter((note) => note.includes('--on-event'));

test('a run tells that it waits for its plan, and then its end, in this order and once each', async () => {
  await withWebhook(204, async ({ onEvent, notices }) => {
    const run = await start(
      { question: 'A secret question', title: 'T', subtasks: subtasks(1), plan: 'review', onEvent },
      { model: model() },
    );
    await waitUntil(async () => notices.length === 1);
    await client().getHandle(run.runId).approvePlan();
    const result = await run.result();
    expect(result.status).toBe('completed');
    expect(noteOf(result.notes)).toEqual([]);
    expect(told(notices)).toEqual(['1 run-needs-person awaiting-plan', '2 run-ended completed']);
    expect(notices[0]).toMatchObject({ runId: run.runId, title: 'T', need: { kind: 'plan' } });
    expect(JSON.stringify(notices)).not.toMatch(/secret question|goal 1/);
  });
});

test('a plan that is sent back and waits again is a new need', async () => {
  await withWebhook(204, async ({ onEvent, notices }) => {
    const planner = scriptedModel({
      plan: { text: JSON.stringify({ subtasks: ['one'] }) },
      subagents: { '*': answers('found') },
    });
    const run = await start({ question: 'Q', plan: 'review', onEvent }, { model: planner });
    await waitUntil(async () => notices.length === 1);
    await client().getHandle(run.runId).revisePlan('shorter');
    await waitUntil(async () => notices.length === 2);
    await client().getHandle(run.runId).approvePlan();
    await run.result();
    expect(told(notices)).toEqual([
      '1 run-needs-person awaiting-plan',
      '2 run-needs-person awaiting-plan',
      '3 run-ended completed',
    ]);
  });
});

test('several subagents that wait for budget are one need', async () => {
  await withWebhook(204, async ({ onEvent, notices }) => {
    const run = await start(
      {
        ...{ question: 'Q', subtasks: subtasks(4), subagentTokens: 40_000, onEvent },
        budget: { tokens: 30_000, onExhausted: 'pause' },
      },
      { model: model() },
    );
    await waitUntil(async () => notices.length === 1);
    // Enough for one at a time: the others begin to wait again.
    await client().getHandle(run.runId).addBudget({ tokens: 20_000 });
    expect((await run.result()).status).toBe('completed');
    expect(told(notices)).toEqual(['1 run-needs-person paused-budget', '2 run-ended completed']);
  });
});

test('each call that must be approved is a need of its own', async () => {
  const note = defineTool({
    name: 'note',
    description: 'Writes a note.',
    effect: 'write',
    asksFirst: true,
    input: z.object({ text: z.string() }),
    run: async ({ text }) => ({ text }),
  });
  const calls = turnWith(['note', { text: 'private' }], ['note', { text: 'also private' }]);
  const asking = scriptedModel({ subagents: { s1: [calls, ...answers('done')] } });
  await withWebhook(204, async ({ onEvent, notices }) => {
    const run = await start({ question: 'Q', subtasks: subtasks(1), onEvent }, { model: asking, tools: [note] });
    await waitUntil(async () => notices.length === 2);
    const handle = client().getHandle(run.runId);
    await handle.approve('ap_1');
    await handle.deny('ap_2');
    await run.result();
    expect(told(notices)).toEqual([
      '1 run-needs-person awaiting-approval',
      '2 run-needs-person awaiting-approval',
      '3 run-ended completed',
    ]);
    expect(notices.slice(0, 2)).toMatchObject([
      { need: { kind: 'approval', approvalId: 'ap_1', subagentId: 's1' } },
      { need: { kind: 'approval', approvalId: 'ap_2', subagentId: 's1' } },
    ]);
    expect(JSON.stringify(notices)).not.toContain('private');
  });
});

test('a webhook that refuses leaves one note, and the run completes', async () => {
  await withWebhook(400, async ({ onEvent, notices }) => {
    const run = await start({ question: 'Q', subtasks: subtasks(1), plan: 'review', onEvent }, { model: model() });
    await waitUntil(async () => notices.length === 1);
    const handle = client().getHandle(run.runId);
    // While it goes on, too.
    await waitUntil(async () => noteOf((await handle.describe()).notes).length === 1);
    await handle.approvePlan();
    const result = await run.result();
    expect(result.status).toBe('completed');
    expect(noteOf(result.notes)).toEqual([expect.stringContaining('answered 400')]);
    expect(told(notices)).toEqual(['1 run-needs-person awaiting-plan', '2 run-ended completed']);
  });
});

test('a webhook that is away for a moment is told all the same', async () => {
  let refusals = 2;
  await withWebhook(null, async ({ onEvent }) => {
    const proxy = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(refusals-- > 0 ? 503 : 204).end());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`;
    const run = await start({ question: 'Q', subtasks: subtasks(1), onEvent: { ...onEvent, url } }, { model: model() });
    const result = await run.result();
    proxy.closeAllConnections();
    proxy.close();
    expect(noteOf(result.notes)).toEqual([]);
    expect(refusals).toBe(-1);
  });
});

test('a webhook that never answers does not hold up the run, and not its end for long', async () => {
  await withWebhook(null, async ({ onEvent, notices }) => {
    const run = await start({ question: 'Q', subtasks: subtasks(1), plan: 'review', onEvent }, { model: model() });
    await waitUntil(async () => notices.length === 1);
    await client().getHandle(run.runId).approvePlan();
    const result = await run.result();
    expect(result.status).toBe('completed');
    expect(noteOf(result.notes)).toHaveLength(1);
    expect(notices.map(({ type }) => type)).toContain('run-ended');
  });
});

test('a cancelled run tells its end, when everything has stopped', async () => {
  await withWebhook(204, async ({ onEvent, notices }) => {
    const gate = new Gate();
    const held = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
    const run = await start({ question: 'Q', subtasks: subtasks(2), onEvent }, { model: held });
    await gate.hold(2);
    await run.handle.cancel();
    await expect(run.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(told(notices)).toEqual(['1 run-ended cancelled']);
    expect(gate.waiting()).toEqual([]);
  });
});

test('a failed run tells its end', async () => {
  await withWebhook(204, async ({ onEvent, notices }) => {
    const failing = scriptedModel({ subagents: { '*': [{ fail: { code: 'MODEL_AUTH' } }] } });
    const run = await start({ question: 'Q', subtasks: subtasks(1), onEvent }, { model: failing });
    expect((await run.result()).status).toBe('failed');
    expect(told(notices)).toEqual(['1 run-ended failed']);
  });
});

test('a command that is not there leaves a note in a run that ends as it would have', async () => {
  const onEvent = { kind: 'command' as const, command: ['no-such-program-of-tributary'] };
  const run = await start({ question: 'Q', subtasks: subtasks(1), onEvent }, { model: model() });
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(noteOf(result.notes)).toEqual([expect.stringContaining('could not be started: ENOENT')]);
});

test('a run that has nobody to tell does nothing of the kind', async () => {
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model: model() });
  await run.result();
  expect(activitiesOf(await run.history(), 'notifyActivity')).toEqual([]);
});
