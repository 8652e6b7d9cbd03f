import { expect, test } from '@jest/globals';
import { TributaryError } from '../../src/contract/failure.ts';
import { createClient } from '../support/client-world.ts';
import { Gate, waitUntil } from '../support/gate.ts';
import { activitiesOf, childrenOf } from '../support/read-history.ts';
import { answers, callsOf, endsOf, holdTurns, keyTool, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld, withWorker, type TestRun, type TestWorld } from '../support/temporal.ts';

const { start, world } = useWorld('retry subagent');
const client = () => createClient(world());
const look = keyTool('look', (key) => `seen ${key}`);
const delegates = (...goals: string[]) => turnWith(['delegate', { subtasks: goals.map((goal) => ({ goal })) }]);
const script = { subagents: { '*': [callsOf('look', ['a']), ...answers('found')] } };

/** Each subagent looks once and answers. `failing` = places that fail; those of `held` wait at the gate. */
function createBench(held: readonly string[] = ['s1 turn 2']) {
  const gate = new Gate();
  const failing = new Set<string>();
  const hold = holdTurns(gate, held);
  const model = scriptedModel(script, (place, signal) => {
    if (failing.has(place)) throw new TributaryError('MODEL_AUTH', 'no such key');
    return hold(place, signal);
  });
  const places = (id: string) => model.requests.map(({ place }) => place).filter((place) => place.startsWith(`${id} `));
  return { gate, failing, model, places, parts: { model, tools: [look] } };
}

const statusOf = async (run: TestRun, id: string, at: TestWorld = world()) =>
  (await createClient(at).getHandle(run.runId).describe()).tree.find((each) => each.id === id)!.status;
const untilEnded = (run: TestRun, id: string, status = 'failed', at: TestWorld = world()) =>
  waitUntil(async () => (await statusOf(run, id, at)) === status);

test('one that failed goes on where it stood while the others run; the run waits for it, and it costs what both attempts cost', async () => {
  const { gate, failing, places, parts } = createBench();
  failing.add('s2 turn 2');
  const run = await start({ question: 'Q', subtasks: subtasks(3) }, parts);
  await gate.arrival('s1 turn 2');
  await untilEnded(run, 's2');
  const handle = client().getHandle(run.runId);
  const before = (await handle.describe()).tree.find(({ id }) => id === 's2')!;
  failing.clear();
  await handle.retrySubagent('s2');
  await untilEnded(run, 's2', 'done');
  const during = (await handle.describe()).tree.find(({ id }) => id === 's2')!;
  expect(during).toMatchObject({ attempt: 2, turns: 2, toolCalls: 1 });
  expect(during.usage.tokens).toBeGreaterThan(before.usage.tokens);
  gate.open();
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(endsOf(result)).toEqual(['s1 done', 's2 done', 's3 done']);
  expect(places('s2')).toEqual(['s2 turn 1', 's2 turn 2', 's2 turn 2']);
  expect(places('s3')).toEqual(['s3 turn 1', 's3 turn 2']);
  expect(result.subagents[1]).toMatchObject({ turns: 2, toolCalls: 1, usage: { tokens: during.usage.tokens } });
  expect(result.notes).toContain('s2 was started again by tester: it had ended failed (provider)');
  const ofS2 = childrenOf(await run.history()).filter(({ workflowId }) => workflowId.endsWith('/s2'));
  expect(ofS2.map(({ end }) => end)).toEqual(['failed', 'completed']);
});

test('the run waits for one that was started again, also when all the others have ended', async () => {
  const { gate, failing, parts } = createBench(['s1 turn 2', 's2 turn 2']);
  failing.add('s2 turn 1');
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, parts);
  await gate.arrival('s1 turn 2');
  await untilEnded(run, 's2');
  failing.clear();
  await client().getHandle(run.runId).retrySubagent('s2');
  await gate.arrival('s2 turn 2');
  gate.open('s1 turn 2');
  await untilEnded(run, 's1', 'done');
  expect((await client().getHandle(run.runId).describe()).status).toBe('running');
  gate.open();
  expect(endsOf(await run.result())).toEqual(['s1 done', 's2 done']);
});

test('one may be started again more than once, and its last outcome counts', async () => {
  const { gate, failing, places, parts } = createBench();
  failing.add('s2 turn 1');
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, parts);
  await gate.arrival('s1 turn 2');
  const handle = client().getHandle(run.runId);
  const attemptOf = async () => (await handle.describe()).tree.find(({ id }) => id === 's2')!;
  for (const attempt of [2, 3]) {
    await untilEnded(run, 's2');
    if (attempt === 3) failing.clear();
    await handle.retrySubagent('s2');
    await waitUntil(async () => {
      const { attempt: now, status } = await attemptOf();
      return now === attempt && status !== 'queued' && status !== 'running';
    });
  }
  expect(await attemptOf()).toMatchObject({ attempt: 3, status: 'done', turns: 2 });
  gate.open();
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(places('s2')).toEqual(['s2 turn 1', 's2 turn 1', 's2 turn 1', 's2 turn 2']);
});

test('one that fails again is a gap, with what both attempts cost', async () => {
  const { gate, failing, parts } = createBench();
  failing.add('s2 turn 2');
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, parts);
  await gate.arrival('s1 turn 2');
  await untilEnded(run, 's2');
  const handle = client().getHandle(run.runId);
  await handle.retrySubagent('s2');
  await waitUntil(async () => (await handle.describe()).tree[1]!.attempt === 2);
  await untilEnded(run, 's2');
  gate.open();
  const result = await run.result();
  expect(result.status).toBe('partial');
  expect(result.gaps).toMatchObject([{ subagentId: 's2', status: 'failed', reason: 'provider' }]);
});

test('first: a failure that made enough impossible is made good by the attempt that follows it', async () => {
  const { gate, failing, parts } = createBench(['s1 turn 2', 's3 turn 2']);
  failing.add('s2 turn 1');
  const join = { kind: 'first', minSuccess: 2 } as const;
  const run = await start({ question: 'Q', subtasks: subtasks(3), join }, parts);
  await gate.hold(2);
  await untilEnded(run, 's2');
  failing.clear();
  await client().getHandle(run.runId).retrySubagent('s2');
  await untilEnded(run, 's2', 'done');
  gate.open('s1 turn 2');
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(endsOf(result)).toEqual(['s1 done', 's2 done', 's3 cancelled (join)']);
});

test('one that a person cancelled, and one that was terminated, are started again as well', async () => {
  const { gate, parts } = createBench(['s1 turn 2', 's2 turn 2', 's3 turn 2']);
  const run = await start({ question: 'Q', subtasks: subtasks(3) }, parts);
  await gate.hold(3);
  const handle = client().getHandle(run.runId);
  await handle.cancelSubagent('s2', { wait: true });
  await world().client.workflow.getHandle(`${run.runId}/s3`).terminate();
  await untilEnded(run, 's2', 'cancelled');
  await untilEnded(run, 's3', 'failed');
  await gate.hold(1);
  await handle.retrySubagent('s2');
  await handle.retrySubagent('s3');
  await gate.hold(3);
  gate.open();
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 done', 's3 done']);
  expect(result.status).toBe('completed');
});

test('what there is nothing to retry of is refused, and the refusal says why', async () => {
  const { gate, failing, parts } = createBench(['s1 turn 2', 'synthesize']);
  failing.add('s2 turn 1');
  const run = await start({ question: 'Q', subtasks: subtasks(3) }, parts);
  await gate.arrival('s1 turn 2');
  await untilEnded(run, 's2');
  await untilEnded(run, 's3', 'done');
  const handle = client().getHandle(run.runId);
  const refused = async (id: string, options = {}) =>
    handle.retrySubagent(id, options).then(
      () => 'accepted',
      ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
    );
  expect(await refused('s1')).toContain('ALREADY_DECIDED: s1');
  expect(await refused('s1')).toContain('it is running');
  expect(await refused('s3')).toContain('ALREADY_DECIDED: s3');
  expect(await refused('s3')).toContain(`tributary rerun ${run.runId} --from s3`);
  expect(await refused('s9')).toContain('SUBAGENT_NOT_FOUND');
  expect(await refused('s2.1')).toContain('the one of the run is s2');
  expect(await refused('nine')).toContain('INVALID_REQUEST');
  expect(await refused('s2', { budget: { tokens: 10 } })).toContain('INVALID_REQUEST');
  expect(await refused('s2', { budget: { tokens: 50_000_000 } })).toContain('BUDGET_EXHAUSTED');
  expect(await refused('s2', { budget: { tokens: 50_000_000 } })).toContain(
    `tributary budget add ${run.runId} --tokens`,
  );
  gate.open('s1 turn 2');
  await waitUntil(async () => (await handle.describe()).status === 'synthesizing');
  expect(await refused('s2')).toContain(`tributary retry ${run.runId}`);
  expect(await refused('s2')).toContain('RUN_ENDED');
  gate.open();
  expect((await run.result()).status).toBe('partial');
  expect(await refused('s2')).toContain('RUN_ENDED');
});

test('join all: nothing goes on beside a failure, so that there is nothing to retry before the end', async () => {
  const gate = new Gate();
  const slow = keyTool('look', async (_key, { signal }) => {
    await gate.pass('look').catch(() => undefined);
    return signal.aborted ? 'stopped' : 'seen';
  });
  const bench = createBench([]);
  bench.failing.add('s2 turn 1');
  const run = await start(
    { question: 'Q', subtasks: subtasks(2), join: { kind: 'all' } },
    { model: bench.model, tools: [slow] },
  );
  const handle = client().getHandle(run.runId);
  await gate.arrival('look');
  await untilEnded(run, 's2');
  const refusal = await handle.retrySubagent('s2').catch((error: TributaryError) => error);
  expect(refusal).toMatchObject({ code: 'RUN_ENDED' });
  gate.open();
  expect((await run.result()).status).toBe('failed');
});

test('the same request id twice starts it once', async () => {
  const { gate, failing, parts } = createBench(['s1 turn 2', 's2 turn 2']);
  failing.add('s2 turn 1');
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, parts);
  await gate.arrival('s1 turn 2');
  await untilEnded(run, 's2');
  failing.clear();
  const handle = client().getHandle(run.runId);
  await handle.retrySubagent('s2', { requestId: 'once' });
  await gate.arrival('s2 turn 2');
  await handle.retrySubagent('s2', { requestId: 'once' });
  gate.open();
  expect(endsOf(await run.result())).toEqual(['s1 done', 's2 done']);
  expect(childrenOf(await run.history())).toHaveLength(3);
});

test('the deadline of the join, and the cancel of the run, reach it like any other', async () => {
  for (const how of ['deadline', 'cancel'] as const) {
    const { gate, failing, parts } = createBench(['s1 turn 2', 's2 turn 2']);
    failing.add('s2 turn 1');
    const join = { kind: 'partial', ...(how === 'deadline' && { deadline: '8s' }) } as const;
    const run = await start({ question: 'Q', subtasks: subtasks(3), join }, parts);
    await gate.arrival('s1 turn 2');
    await untilEnded(run, 's2');
    failing.clear();
    const handle = client().getHandle(run.runId);
    await handle.retrySubagent('s2');
    await gate.hold(2);
    if (how === 'cancel') {
      const { affected } = await handle.cancel({ wait: true });
      expect(affected).toEqual(['s1', 's2']);
      await expect(run.result()).rejects.toThrow();
      const result = await handle.result();
      expect(endsOf(result)).toEqual(['s1 cancelled (operator)', 's2 cancelled (operator)', 's3 done']);
      // What was paid for is what the model was asked for, both attempts of it.
      expect(result.usage.tokens).toBe(result.budget.tokens.spent);
    } else {
      expect(endsOf(await run.result())).toEqual(['s1 timed-out (join)', 's2 timed-out (join)', 's3 done']);
    }
  }
});

test('"finalize" has it hand back, and one that is cancelled alone leaves the others', async () => {
  const gate = new Gate();
  const busy = {
    turns: [callsOf('look', ['a']), ...answers('late')],
    handBack: { report: { summary: 'what I have' } },
  };
  const failing = new Set(['s2 turn 1']);
  const model = scriptedModel({ subagents: { '*': busy } }, (place, signal, request) => {
    if (failing.has(place)) throw new TributaryError('MODEL_AUTH', 'no such key');
    if (request.task.kind === 'research' && request.task.handBack) return;
    return holdTurns(gate, ['s1 turn 2', 's2 turn 2', 's3 turn 2'])(place, signal);
  });
  const run = await start({ question: 'Q', subtasks: subtasks(3) }, { model, tools: [look] });
  await gate.hold(2);
  await untilEnded(run, 's2');
  failing.clear();
  const handle = client().getHandle(run.runId);
  await handle.retrySubagent('s2');
  await gate.hold(3);
  await handle.cancelSubagent('s3', { wait: true });
  await handle.finalize();
  expect(endsOf(await run.result())).toEqual([
    's1 partial (operator)',
    's2 partial (operator)',
    's3 cancelled (operator)',
  ]);
});

test('with a window of one it waits for its turn, and gets what the budget has left', async () => {
  const { gate, failing, places, parts } = createBench(['s2 turn 2']);
  failing.add('s1 turn 1');
  const run = await start({ question: 'Q', subtasks: subtasks(3), maxConcurrency: 1 }, parts);
  await gate.arrival('s2 turn 2');
  failing.clear();
  const handle = client().getHandle(run.runId);
  await handle.retrySubagent('s1', { budget: { tokens: 30_000 } });
  expect(await statusOf(run, 's1')).toBe('queued');
  gate.open();
  const result = await run.result();
  expect(endsOf(result)).toEqual(['s1 done', 's2 done', 's3 done']);
  expect(places('s1')).toEqual(['s1 turn 1', 's1 turn 1', 's1 turn 2']);
  const started = activitiesOf(await world().history(`${run.runId}/s1`), 'callModelActivity');
  expect(started).toHaveLength(2);
});

test('one that hands work on goes on with the numbers of its subtasks, and those below it are paid for once', async () => {
  const gate = new Gate();
  const failing = new Set(['s1 turn 2']);
  const model = scriptedModel(
    { subagents: { s1: [delegates('part one'), delegates('part two'), ...answers('both')], '*': answers('found') } },
    (place, signal) => {
      if (failing.has(place)) throw new TributaryError('MODEL_AUTH', 'no such key');
      return holdTurns(gate, ['s2 turn 1'])(place, signal);
    },
  );
  const run = await start({ question: 'Q', subtasks: subtasks(2), maxDepth: 2 }, { model, tools: [look] });
  await gate.arrival('s2 turn 1');
  await untilEnded(run, 's1');
  failing.clear();
  const handle = client().getHandle(run.runId);
  await handle.retrySubagent('s1');
  await untilEnded(run, 's1', 'done');
  const { tree, usage } = await handle.describe();
  expect(tree.map(({ id, status }) => `${id} ${status}`)).toEqual(['s1 done', 's1.1 done', 's1.2 done', 's2 running']);
  gate.open();
  const result = await run.result();
  expect(result.subagents[0]!.usage.tokens).toBe(usage.tokens);
  expect(model.requests.filter(({ place }) => place.startsWith('s1.')).map(({ place }) => place)).toEqual([
    's1.1 turn 1',
    's1.2 turn 1',
  ]);
});

test('a write that it makes anew has another idempotency key than the one before', async () => {
  const keys: string[] = [];
  const write = keyTool(
    'write',
    (_key, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return 'written';
    },
    { effect: 'write' },
  );
  const gate = new Gate();
  let isBroken = true;
  const model = scriptedModel(
    { subagents: { s1: answers('held'), s2: [callsOf('write', ['a']), ...answers('found')] } },
    async (place, signal) => {
      if (place === 's1 turn 1') await gate.pass(place, signal);
      if (place === 's2 turn 2' && isBroken) throw new TributaryError('MODEL_CONTEXT', 'too long');
    },
  );
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, { model, tools: [write] });
  await untilEnded(run, 's2');
  isBroken = false;
  await client().getHandle(run.runId).retrySubagent('s2');
  await untilEnded(run, 's2', 'done');
  gate.open();
  expect((await run.result()).status).toBe('completed');
  expect(keys).toEqual([`${run.runId}/s2/t1c1`, `${run.runId}/s2#2/t1c1`]);
});

test('a worker that is started again goes on with it', async () => {
  const { gate, failing, model } = createBench(['s1 turn 2', 's2 turn 2']);
  failing.add('s2 turn 1');
  await withWorker('retry over workers', { model, tools: [look] }, async (own) => {
    const run = await own.start({ question: 'Q', subtasks: subtasks(2) });
    await gate.arrival('s1 turn 2');
    await untilEnded(run, 's2', 'failed', own);
    failing.clear();
    await createClient(own).getHandle(run.runId).retrySubagent('s2');
    await gate.hold(2);
    await own.stopFirstWorker();
    gate.open();
    await own.startWorker();
    const result = await run.result();
    expect(endsOf(result)).toEqual(['s1 done', 's2 done']);
  });
});
