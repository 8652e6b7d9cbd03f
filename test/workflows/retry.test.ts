import { describe, expect, test } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Origin } from '../../src/contract/origin.ts';
import type { ResearchRequestInput } from '../../src/contract/request.ts';
import type { RecordedResult } from '../../src/contract/result.ts';
import { createFolderStore } from '../../src/store/folder-store.ts';
import { createClient } from '../support/client-world.ts';
import { Gate, waitUntil } from '../support/gate.ts';
import { activitiesOf, eventsOf } from '../support/read-history.ts';
import {
  answers,
  callsOf,
  endsOf,
  holdTurns,
  keyTool,
  resultsAt,
  scriptedModel,
  subtasks,
} from '../support/scripts.ts';
import { useWorld, withWorker, type TestRun } from '../support/temporal.ts';

const { start, world } = useWorld('retry');
const broken = [{ fail: { code: 'MODEL_AUTH', message: 'no such key' } }];
type Input = Omit<ResearchRequestInput, 'runId'>;

/** Starts a run that takes over `run`: with its model and its tools, so that the work is the same. */
function toTakeOver(run: TestRun, input: Input, origin: Partial<Origin> = {}): [Input] {
  const model = `scripted:${run.runId}`;
  const { firstExecutionRunId: firstRunId } = run.handle;
  return [
    {
      corpus: `/${run.runId}`,
      models: { planner: model, subagent: model, synthesis: model },
      ...input,
      origin: { kind: 'retry', runId: run.runId, firstRunId, ...origin },
    },
  ];
}
const takeOver = (...of: Parameters<typeof toTakeOver>) => start(...toTakeOver(...of));

const takenOf = ({ subagents }: RecordedResult) =>
  subagents.map(({ id, status, reusedFrom, again }) => `${id} ${status}: ${reusedFrom ?? again ?? 'new'}`);
const placesOf = (model: { requests: readonly { place: string }[] }) => model.requests.map(({ place }) => place);

/** Ends a run by force, and waits until its subagents have noticed. */
async function terminate(run: TestRun): Promise<void> {
  await run.handle.terminate('for the test');
}

describe('what has finished is reused, and what has not goes on', () => {
  test.each(['cancelled', 'terminated', 'timed out'] as const)('of a run that was %s', async (how) => {
    const gate = new Gate();
    const model = scriptedModel({ subagents: { s1: answers('one'), '*': answers('more') } }, async (place, signal) => {
      if (place === 's2 turn 1') await gate.pass(place, signal);
    });
    const input = { question: 'Q', subtasks: subtasks(3), maxConcurrency: 2 };
    const timeouts = how === 'timed out' ? { workflowExecutionTimeout: 3_000 } : {};
    const run = await start({ ...input, maxConcurrency: 1 }, { model }, timeouts);
    await gate.arrival('s2 turn 1');
    if (how === 'cancelled') await run.handle.cancel();
    if (how === 'terminated') await terminate(run);
    await expect(run.result()).rejects.toThrow();
    const child = world().client.workflow.getHandle(`${run.runId}/s2`);
    await waitUntil(async () => (await child.describe()).status.name === 'CANCELLED');
    gate.open();
    model.requests.length = 0;
    const again = await takeOver(run, input);
    const result = await again.result();
    expect(result.status).toBe('completed');
    expect(endsOf(result)).toEqual(['s1 reused', 's2 done', 's3 done']);
    expect(result.subagents[0]!.reusedFrom).toBe(run.runId);
    expect(result.subagents[1]!.again).toMatch(/cancelled|time was up/);
    expect(result.subagents[2]!.again).toContain('not been started');
    expect(placesOf(model).sort()).toEqual(['s2 turn 1', 's3 turn 1', 'synthesize']);
  });

  test('a subagent goes on amid its calls: those that have answers are not made again, those that were open are', async () => {
    const gate = new Gate();
    const made: string[] = [];
    const look = keyTool('look', async (key, { signal }) => {
      made.push(key);
      if (key === 'b') await gate.pass(key, signal);
      return `saw ${key}`;
    });
    const script = { subagents: { s1: [callsOf('look', ['a', 'b']), ...answers('both')] } };
    const model = scriptedModel(script);
    const input = { question: 'Q', subtasks: subtasks(1) };
    const run = await start(input, { model, tools: [look] });
    await gate.arrival('b');
    await waitUntil(async () =>
      activitiesOf(await world().client.workflow.getHandle(`${run.runId}/s1`).fetchHistory(), 'callToolActivity').some(
        ({ end }) => end === 'completed',
      ),
    );
    await run.handle.cancel();
    await expect(run.result()).rejects.toThrow();
    gate.open();
    const again = await takeOver(run, input);
    const result = await again.result();
    expect(takenOf(result)).toEqual(['s1 done: it was cancelled (operator)']);
    expect(made).toEqual(['a', 'b', 'b']);
    expect(placesOf(model)).toEqual(['s1 turn 1', 's1 turn 2', 'synthesize']);
    expect(resultsAt(model, 's1 turn 2').map(({ text }) => text)).toEqual(['saw a', 'saw b']);
  });

  test('a write whose end nobody knows is not made again: the model is told so', async () => {
    const gate = new Gate();
    const made: string[] = [];
    const write = keyTool(
      'write',
      async (key, { signal }) => {
        made.push(key);
        await gate.pass(key, signal);
        return 'written';
      },
      { effect: 'write' },
    );
    const model = scriptedModel({ subagents: { s1: [callsOf('write', ['x']), ...answers('both')] } });
    const input = { question: 'Q', subtasks: subtasks(1) };
    const run = await start(input, { model, tools: [write] });
    await gate.arrival('x');
    await run.handle.cancel();
    await expect(run.result()).rejects.toThrow();
    const again = await takeOver(run, input);
    expect((await again.result()).status).toBe('completed');
    expect(made).toEqual(['x']);
    expect(resultsAt(model, 's1 turn 2')).toEqual([
      expect.objectContaining({ isError: true, text: expect.stringContaining('outcome is unknown') }),
    ]);
  });

  test('a subagent that was cut short for want of budget goes on from before its hand-back', async () => {
    const script = {
      subagents: { s1: [callsOf('look', ['a']), callsOf('look', ['b']), callsOf('look', ['c']), ...answers('all')] },
    };
    const model = scriptedModel(script);
    const look = keyTool('look', (key) => `saw ${key} ${'x'.repeat(2_000)}`);
    const input = { question: 'Q', subtasks: subtasks(1), maxTurns: 3 };
    const run = await start(input, { model, tools: [look] });
    const first = await run.result();
    expect(endsOf(first)).toEqual(['s1 partial (max-turns)']);
    model.requests.length = 0;
    const again = await takeOver(run, input);
    const result = await again.result();
    expect(endsOf(result)).toEqual(['s1 done']);
    expect(placesOf(model)).not.toContain('s1 turn 1');
    expect(placesOf(model)).not.toContain('s1 turn 2');
    expect(result.usage.tokens).toBeGreaterThan(first.usage.tokens);
  });

  test('a retry of a retry names the run that did the work, and carries all that was spent', async () => {
    let failures = 2;
    const model = scriptedModel({ subagents: { '*': answers('found') } }, (place) => {
      if (place === 's2 turn 1' && failures-- > 0) throw new Error('not yet');
    });
    const input = { question: 'Q', subtasks: subtasks(2), join: { kind: 'all' as const }, modelAttempts: 1 };
    const first = await start(input, { model });
    const one = await first.result();
    const second = await takeOver(first, input);
    const two = await second.result();
    const third = await start({
      ...input,
      corpus: `/${first.runId}`,
      models: {
        planner: `scripted:${first.runId}`,
        subagent: `scripted:${first.runId}`,
        synthesis: `scripted:${first.runId}`,
      },
      origin: { kind: 'retry', runId: second.runId, firstRunId: second.handle.firstExecutionRunId },
    });
    const three = await third.result();
    expect([one.status, two.status, three.status]).toEqual(['failed', 'failed', 'completed']);
    expect(takenOf(three)[0]).toBe(`s1 reused: ${first.runId}`);
    expect(three.origin!.spent.tokens).toBe(two.usage.tokens);
    expect(two.origin!.spent.tokens).toBe(one.usage.tokens);
    expect(placesOf(model).filter((place) => place === 's1 turn 1')).toHaveLength(1);
    expect(three.budget.tokens.spent).toBe(three.usage.tokens);
  });

  test('the drafts of a progressive run stay, and the next one has the next number', async () => {
    const gate = new Gate();
    const subagents = { '*': answers('found') };
    const model = scriptedModel({ subagents }, holdTurns(gate, ['s2 turn 1', 's3 turn 1', 's4 turn 1']));
    const input = { question: 'Q', subtasks: subtasks(4), join: { kind: 'partial' as const, progressive: true } };
    const draftsOf = async ({ runId }: TestRun) => (await createClient(world()).getHandle(runId).describe()).drafts;
    const run = await start(input, { model });
    await waitUntil(async () => (await draftsOf(run)).length === 1);
    await run.handle.cancel();
    await expect(run.result()).rejects.toThrow();
    const again = await takeOver(run, input);
    await gate.hold(3);
    gate.open('s2 turn 1');
    await waitUntil(async () => (await draftsOf(again)).length === 2);
    await again.handle.cancel();
    await expect(again.result()).rejects.toThrow();
    const drafts = await draftsOf(again);
    expect(drafts.map(({ number, subagents: of }) => [number, of])).toEqual([
      [1, ['s1']],
      [2, ['s1', 's2']],
    ]);
  });

  test('a child that finishes after its run has ended is reused', async () => {
    const gate = new Gate();
    const inner = createFolderStore(await mkdtemp(join(tmpdir(), 'tributary-late-')));
    const store = {
      ...inner,
      /** Holds what a subagent hands back: its last step, which a cancel waits for. */
      async put(bytes: Uint8Array) {
        if (Buffer.from(bytes).toString().startsWith('{"report":')) await gate.pass('report');
        return inner.put(bytes);
      },
    };
    const model = scriptedModel({ subagents: { '*': answers('found') } });
    const input = { question: 'Q', subtasks: subtasks(1) };
    await withWorker('late child', { model, dependencies: { store } }, async (world) => {
      const run = await world.start(input);
      await gate.arrival('report');
      await terminate(run);
      await expect(run.result()).rejects.toThrow();
      const child = world.client.workflow.getHandle(`${run.runId}/s1`);
      await waitUntil(async () =>
        eventsOf(await child.fetchHistory()).some((event) => event.workflowExecutionCancelRequestedEventAttributes),
      );
      gate.open();
      const again = await world.start(...toTakeOver(run, input));
      expect(takenOf(await again.result())).toEqual([`s1 reused: ${run.runId}`]);
      expect(placesOf(model)).toEqual(['s1 turn 1', 'synthesize']);
      expect((await child.describe()).status.name).toBe('COMPLETED');
    });
  });
});

describe('what is done again', () => {
  const finished = async (count = 2) => {
    const model = scriptedModel({ subagents: { '*': answers('found') } });
    const input = { question: 'Q', subtasks: subtasks(count) };
    const run = await start(input, { model });
    await run.result();
    model.requests.length = 0;
    return { run, input, model };
  };

  test('everything whose specification has changed, and the row says what changed', async () => {
    const { run, input, model } = await finished();
    const result = await (await takeOver(run, { ...input, instructions: 'Be brief.' })).result();
    expect(takenOf(result)).toEqual(
      ['s1', 's2'].map((id) => `${id} done: the instructions changed from none to Be brief.`),
    );
    expect(placesOf(model)).toHaveLength(3);
  });

  test('what was not to be reused', async () => {
    const { run, input } = await finished(3);
    const some = await (await takeOver(run, input, { reuse: ['s1', 's3'] })).result();
    expect(endsOf(some)).toEqual(['s1 reused', 's2 done', 's3 reused']);
    expect(some.subagents[1]!.again).toBe('it is not among those to be reused');
    const none = await (await takeOver(run, input, { reuse: 'none' })).result();
    expect(endsOf(none)).toEqual(['s1 done', 's2 done', 's3 done']);
  });

  test('in a rerun from a subagent: that one, with what was edited, and the report', async () => {
    const { run, input, model } = await finished();
    const origin = {
      kind: 'rerun' as const,
      from: 's2',
      edits: { s2: { goal: 'another goal', instructions: 'Hurry.' } },
    };
    const result = await (await takeOver(run, input, origin)).result();
    expect(takenOf(result)).toEqual([`s1 reused: ${run.runId}`, 's2 done: the rerun begins with it']);
    expect(result.subagents[1]!.goal).toBe('another goal');
    expect(placesOf(model).sort()).toEqual(['s2 turn 1', 'synthesize']);
    const { task, messages } = model.requests[0]!.request;
    expect(task).toMatchObject({ goal: 'another goal' });
    expect(JSON.stringify(messages)).toContain('Hurry.');
  });

  test('in a rerun from the synthesis: the report alone, whatever became of the subagents', async () => {
    const model = scriptedModel({ subagents: { s2: broken, '*': answers('found') } });
    const input = { question: 'Q', subtasks: subtasks(2) };
    const run = await start(input, { model });
    await run.result();
    model.requests.length = 0;
    const result = await (await takeOver(run, input, { kind: 'rerun', from: 'synthesis' })).result();
    expect(endsOf(result)).toEqual(['s1 reused', 's2 failed (provider)']);
    expect(result.status).toBe('partial');
    expect(placesOf(model)).toEqual(['synthesize']);
  });

  test('in a rerun from the plan: everything, and what was spent counts', async () => {
    const model = scriptedModel({ plan: ['one', 'two'], subagents: { '*': answers('found') } });
    const run = await start({ question: 'Q' }, { model });
    const before = await run.result();
    model.requests.length = 0;
    const result = await (await takeOver(run, { question: 'Q' }, { kind: 'rerun', from: 'plan' })).result();
    expect(takenOf(result)).toEqual(['s1 done: new', 's2 done: new']);
    expect(placesOf(model).sort()).toEqual(['plan', 's1 turn 1', 's2 turn 1', 'synthesize']);
    expect(result.usage.tokens).toBe(before.usage.tokens * 2);
  });

  test('in a rerun from the plan with subtasks of its own: those, after their approval where that is asked for', async () => {
    const { run, input, model } = await finished();
    const again = await takeOver(run, { ...input, plan: 'review' }, { kind: 'rerun', from: 'plan' });
    const client = createClient(world());
    await waitUntil(async () => (await client.getHandle(again.runId).describe()).status === 'awaiting-plan');
    expect((await client.getHandle(again.runId).describe()).tree.map(({ goal }) => goal)).toEqual(['goal 1', 'goal 2']);
    await client.getHandle(again.runId).approvePlan();
    expect(endsOf(await again.result())).toEqual(['s1 done', 's2 done']);
    expect(placesOf(model).sort()).toEqual(['s1 turn 1', 's2 turn 1', 'synthesize']);
  });

  test('nothing, where what is reused satisfies the join already', async () => {
    const { run, input, model } = await finished(3);
    const join = { kind: 'first' as const, minSuccess: 1 };
    const result = await (await takeOver(run, { ...input, join }, { reuse: ['s1'] })).result();
    expect(endsOf(result)).toEqual(['s1 reused', 's2 skipped (join)', 's3 skipped (join)']);
    expect(placesOf(model)).toEqual(['synthesize']);
  });
});

describe('a plan', () => {
  test('is taken over, and not asked for or approved again', async () => {
    const model = scriptedModel({ plan: ['one', 'two'], subagents: { s2: broken, '*': answers('found') } });
    const run = await start({ question: 'Q' }, { model });
    await run.result();
    model.requests.length = 0;
    const result = await (await takeOver(run, { question: 'Q', plan: 'review' })).result();
    expect(takenOf(result)).toEqual([`s1 reused: ${run.runId}`, 's2 failed: it failed (provider)']);
    expect(placesOf(model)).not.toContain('plan');
  });

  test('is made where there was none', async () => {
    let isBroken = true;
    const model = scriptedModel({ plan: ['one'], subagents: { '*': answers('found') } }, (place) => {
      if (place === 'plan' && isBroken) throw new Error('not yet');
    });
    const run = await start({ question: 'Q', modelAttempts: 1 }, { model });
    expect((await run.result()).status).toBe('failed');
    isBroken = false;
    expect((await (await takeOver(run, { question: 'Q' })).result()).status).toBe('completed');
  });
});

describe('a run that cannot be taken over', () => {
  test.each([
    ['RUN_OPEN', 'still going on'],
    ['RUN_NOT_FOUND', 'there is no run'],
  ])('fails the new one with %s, and nothing is spent', async (code, text) => {
    const gate = new Gate();
    const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate));
    const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model });
    await gate.hold(1);
    const origin = code === 'RUN_OPEN' ? {} : { runId: 'run_nobody' };
    const again = await takeOver(run, { question: 'Q', subtasks: subtasks(1) }, origin);
    const result = await again.result();
    expect(result).toMatchObject({ status: 'failed', failure: { code }, usage: { tokens: 0 } });
    expect(result.failure!.message).toContain(text);
    gate.open();
    await run.result();
  });
});
