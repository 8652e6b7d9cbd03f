import { describe, expect, test } from '@jest/globals';
import { createClient } from '../support/client-world.ts';
import { Gate, waitUntil } from '../support/gate.ts';
import { callsOf, endsOf, keyTool, resultsAt, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld, type TestRun } from '../support/temporal.ts';

/** So few that a subagent of some turns goes through several histories. */
const maxHistoryEvents = 100;
const { start, world } = useWorld('long history', { dependencies: { maxHistoryEvents } });
const look = keyTool('look', (key) => ({
  text: `saw ${key}`,
  sources: [{ id: `d${key}`, url: `file:${key}`, title: `Document ${key}` }],
}));

/** `count` turns of one call each, and then the report, which rests on the first and on the last of them. */
function longScript(count: number) {
  const turns = Array.from({ length: count }, (_, index) => callsOf('look', [index + 1]));
  const claims = [1, count].map((key) => ({ text: `It says ${key}.`, sourceId: `d${key}`, quote: `saw ${key}` }));
  return [...turns, { report: { summary: 'All of it.', claims } }];
}

/** Ids of the executions of `s1`, first to last. */
async function executionsOf(run: TestRun, id = 's1'): Promise<string[]> {
  const { client } = world();
  const found: { runId: string; at: number }[] = [];
  for await (const { runId, startTime } of client.workflow.list({ query: `WorkflowId = "${run.runId}/${id}"` }))
    found.push({ runId, at: startTime.getTime() });
  return found.sort((a, b) => a.at - b.at).map(({ runId }) => runId);
}

describe('B54 · a subagent whose history grows long goes on in a new one', () => {
  test('with every turn once, its transcript whole, its budget and its caps as they were', async () => {
    const count = 40;
    const model = scriptedModel({ subagents: { s1: longScript(count) } });
    const input = { question: 'Q', subtasks: subtasks(1), maxTurns: 60, budget: { toolCalls: 100 } };
    const run = await start(input, { model, tools: [look] });
    const result = await run.result();
    expect(endsOf(result)).toEqual(['s1 done']);
    expect(result.subagents[0]).toMatchObject({ turns: count + 1, toolCalls: count, usage: { toolCalls: count } });
    const places = model.requests.map(({ place }) => place).filter((place) => place !== 'synthesize');
    expect(places).toEqual(Array.from({ length: count + 1 }, (_, index) => `s1 turn ${index + 1}`));
    // Each request has all before it: two messages to begin with, then a reply and its answers for each turn.
    for (const [index, { request }] of model.requests.slice(0, count + 1).entries())
      expect(request.messages).toHaveLength(2 + 2 * index);
    expect(resultsAt(model, `s1 turn ${count + 1}`).map(({ text }) => text)).toEqual([`saw ${count}`]);
    const verified = result.document!.citations.map(({ quote, verified: isVerified }) => [quote, isVerified]);
    expect(verified).toEqual([
      ['saw 1', true],
      [`saw ${count}`, true],
    ]);
    await waitUntil(async () => (await executionsOf(run)).length >= 3);
    const view = await createClient(world()).getHandle(run.runId).describe();
    expect(view.tree[0]).toMatchObject({ status: 'done', turns: count + 1, toolCalls: count });
    expect(view.usage.tokens).toBe(result.usage.tokens);
  });

  test('and its cap on turns counts over all of them', async () => {
    const model = scriptedModel({ subagents: { s1: longScript(60) } });
    const run = await start({ question: 'Q', subtasks: subtasks(1), maxTurns: 30 }, { model, tools: [look] });
    const result = await run.result();
    expect(endsOf(result)).toEqual(['s1 partial (max-turns)']);
    expect(result.subagents[0]!.turns).toBe(30);
  });

  test('and three equal batches in a row are a loop across the switch', async () => {
    const same = Array.from({ length: 30 }, () => callsOf('look', ['same']));
    const other = Array.from({ length: 14 }, (_, index) => callsOf('look', [index]));
    for (const ahead of [12, 13, 14]) {
      const model = scriptedModel({ subagents: { s1: [...other.slice(0, ahead), ...same] } });
      const run = await start({ question: 'Q', subtasks: subtasks(1), maxTurns: 60 }, { model, tools: [look] });
      const result = await run.result();
      expect(endsOf(result)).toEqual(['s1 partial (loop)']);
      expect(result.subagents[0]!.turns).toBe(ahead + 4);
    }
  });

  test('and a cancel reaches it in its later histories, with all that it used told', async () => {
    const gate = new Gate();
    const model = scriptedModel({ subagents: { s1: longScript(60) } }, async (place, signal) => {
      if (place === 's1 turn 35') await gate.pass(place, signal);
    });
    const run = await start({ question: 'Q', subtasks: subtasks(1), maxTurns: 80 }, { model, tools: [look] });
    await gate.arrival('s1 turn 35');
    await createClient(world()).getHandle(run.runId).cancel({ wait: true });
    await expect(run.result()).rejects.toThrow();
    const view = await createClient(world()).getHandle(run.runId).describe();
    expect(view.tree[0]).toMatchObject({ status: 'cancelled', turns: 34, toolCalls: 34 });
    expect(view.tree[0]!.usage.toolCalls).toBe(34);
  });

  test('and one that is cancelled at any moment around the switch is cancelled, and nothing of it goes on', async () => {
    for (let turn = 10; turn < 18; turn += 1) {
      const handles: Promise<unknown>[] = [];
      const model = scriptedModel({ subagents: { s1: longScript(60) } }, (place) => {
        if (place !== `s1 turn ${turn}`) return;
        // By the run alone, as Temporal's own page does it, and by the client, which reaches the subagents itself.
        handles.push(turn % 2 === 0 ? run.handle.cancel() : createClient(world()).getHandle(run.runId).cancel());
      });
      const run = await start({ question: 'Q', subtasks: subtasks(1), maxTurns: 80 }, { model, tools: [look] });
      await expect(run.result()).rejects.toThrow();
      await Promise.all(handles);
      const status = (await world().client.workflow.getHandle(`${run.runId}/s1`).describe()).status.name;
      expect({ turn, status }).toEqual({ turn, status: 'CANCELLED' });
    }
  });

  test('and stops when its run is terminated', async () => {
    const gate = new Gate();
    const model = scriptedModel({ subagents: { s1: longScript(40) } }, async (place, signal) => {
      if (place === 's1 turn 33') await gate.pass(place, signal);
    });
    const run = await start({ question: 'Q', subtasks: subtasks(1), maxTurns: 60 }, { model, tools: [look] });
    await gate.arrival('s1 turn 33');
    await run.handle.terminate('for the test');
    const child = world().client.workflow.getHandle(`${run.runId}/s1`);
    await waitUntil(async () => (await child.describe()).status.name === 'CANCELLED');
  });

  test('and is taken over from its last turn, whichever history that is in', async () => {
    const gate = new Gate();
    const model = scriptedModel({ subagents: { s1: longScript(40) } }, async (place, signal) => {
      if (place === 's1 turn 33') await gate.pass(place, signal);
    });
    const input = { question: 'Q', subtasks: subtasks(1), maxTurns: 60 };
    const run = await start(input, { model, tools: [look] });
    await gate.arrival('s1 turn 33');
    await run.handle.cancel();
    await expect(run.result()).rejects.toThrow();
    gate.open();
    model.requests.length = 0;
    const name = `scripted:${run.runId}`;
    const again = await start({
      ...input,
      corpus: `/${run.runId}`,
      models: { planner: name, subagent: name, synthesis: name },
      origin: { kind: 'retry', runId: run.runId, firstRunId: run.handle.firstExecutionRunId },
    });
    const result = await again.result();
    expect(endsOf(result)).toEqual(['s1 done']);
    expect(model.requests.map(({ place }) => place)[0]).toBe('s1 turn 33');
    expect(result.document!.citations.every(({ verified }) => verified)).toBe(true);
  });
});
