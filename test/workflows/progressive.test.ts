import { expect, test } from '@jest/globals';
import { ResearchClient } from '../../src/client/research-client.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import { Gate, waitUntil } from '../support/gate.ts';
import { answers, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('progressive');
const client = () => new ResearchClient({ client: world().client, taskQueue: world().taskQueue, identity: 'me@here' });
const join = { kind: 'partial' as const, progressive: true };

test('each answer is worth a numbered draft that names whose answers it rests on; the last one is the report', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(3), join }, { model });
  const handle = client().getHandle(run.runId);
  await gate.hold(3);
  for (const [index, id] of ['s2', 's3'].entries()) {
    gate.open(`${id} turn 1`);
    await waitUntil(async () => (await handle.describe()).drafts.length === index + 1);
  }
  gate.open();
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(result.drafts!.map(({ number, subagents }) => `${number}: ${subagents.join(' ')}`)).toEqual([
    '1: s2',
    '2: s2 s3',
  ]);
  expect(model.requests.filter(({ place }) => place === 'synthesize')).toHaveLength(3);
  const { budget } = await handle.describe();
  expect(budget.tokens).toEqual(result.budget.tokens);
});

test('drafts are bounded in number, however many answers arrive', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
  const run = await start({ question: 'Q', subtasks: subtasks(6), join }, { model });
  const handle = client().getHandle(run.runId);
  await gate.hold(6);
  for (const [index, id] of ['s1', 's2', 's3'].entries()) {
    gate.open(`${id} turn 1`);
    await waitUntil(async () => (await handle.describe()).drafts.length === index + 1);
  }
  gate.open('s4 turn 1');
  await waitUntil(async () => (await handle.describe()).tree[3]!.status === 'done');
  gate.open();
  const result = await run.result();
  expect(result.drafts).toHaveLength(3);
});

test('the last draft is what a cancelled run, and a failed one, has to show', async () => {
  for (const end of ['cancel', 'fail'] as const) {
    const gate = new Gate();
    const model = scriptedModel({ subagents: { '*': answers('found') } }, async (place, signal) => {
      await holdTurns(gate, ['s2 turn 1'])(place, signal);
      if (place === 's2 turn 1') throw new TributaryError('MODEL_AUTH', 'no key');
    });
    const request = {
      question: 'Q',
      subtasks: subtasks(2),
      join: { ...join, kind: end === 'fail' ? ('all' as const) : join.kind },
    };
    const run = await start(request, { model });
    const handle = client().getHandle(run.runId);
    await waitUntil(async () => (await handle.describe()).drafts.length === 1);
    if (end === 'cancel') await handle.cancel({ wait: true });
    else gate.open();
    const result = await handle.result().catch(async (error: unknown) => error);
    // This client has no store: that it looks for the draft there is what is to be seen.
    const described = await handle.describe();
    expect(described.status).toBe(end === 'cancel' ? 'cancelled' : 'failed');
    expect(described.drafts).toHaveLength(1);
    expect(result).toMatchObject(end === 'cancel' ? { code: 'STORE_UNAVAILABLE' } : {});
  }
});

test('a share that does not pay for a draft costs the run nothing, and the report is written all the same', async () => {
  const model = scriptedModel({ subagents: { '*': answers('found') } });
  const run = await start(
    { question: 'Q', subtasks: subtasks(3), join, budget: { tokens: 6_000 }, maxConcurrency: 1 },
    { model },
  );
  const result = await run.result();
  expect(result.drafts).toBeUndefined();
  expect(result.documentRef).not.toBeNull();
});
