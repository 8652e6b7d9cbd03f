import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { readHistories, toHistoriesDocument } from '../../src/client/history/histories-file.ts';
import type { RecordedWorkflow, ReplayedHistory } from '../../src/contract/replay.ts';
import { replayHistories } from '../../src/replay/replay-histories.ts';
import { createClient } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { answers, callsOf, keyTool, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('histories', { dependencies: { maxHistoryEvents: 100 } });
const look = keyTool('look', (key) => `saw ${key}`);
const code = { workflowBundle: { codePath: join(process.env.TRIBUTARY_TEST_FOLDER!, 'workflow-bundle.js') } };

async function fetch(runId: string): Promise<RecordedWorkflow[]> {
  const all: RecordedWorkflow[] = [];
  for await (const workflow of createClient(world()).getHandle(runId).histories()) all.push(workflow);
  return all;
}
async function replay(workflows: RecordedWorkflow[]): Promise<ReplayedHistory[]> {
  const all: ReplayedHistory[] = [];
  for await (const each of replayHistories(workflows, { code })) all.push(each);
  return all;
}

test('the histories of a run are its own, every one that a subagent went on in, and those of the subagents below', async () => {
  const long = Array.from({ length: 25 }, (_, index) => callsOf('look', [index]));
  const model = scriptedModel({
    subagents: {
      s1: [turnWith(['delegate', { subtasks: [{ goal: 'below' }] }]), { report: { summary: 'both' } }],
      's1.1': answers('below'),
      s2: [...long, { report: { summary: 'long' } }],
    },
  });
  const input = { question: 'Q', subtasks: subtasks(2), maxDepth: 2, maxTurns: 60 };
  const run = await start(input, { model, tools: [look] });
  await run.result();
  const workflows = await fetch(run.runId);
  const ids = ['', '/s1', '/s2', '/s1.1'].map((end) => `${run.runId}${end}`);
  expect(workflows.map(({ workflowId }) => workflowId)).toEqual(ids);
  const chain = workflows[2]!.histories;
  expect(chain.length).toBeGreaterThanOrEqual(2);
  expect(workflows.map(({ histories }) => histories.length)).toEqual([1, 1, chain.length, 1]);
  // As a file, too: nothing is lost on the way, and each of them replays.
  const read = readHistories('a.json', JSON.stringify(toHistoriesDocument(workflows)));
  expect(read).toEqual(workflows);
  const replayed = await replay(read);
  expect(replayed.filter(({ ok }) => !ok)).toEqual([]);
  expect(new Set(replayed.map(({ runId }) => runId)).size).toBe(3 + chain.length);
});

test('a run that goes on is replayed as far as it is recorded', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, (place, signal) =>
    place === 's1 turn 1' ? gate.pass(place, signal) : undefined,
  );
  const run = await start({ question: 'Q', subtasks: subtasks(2) }, { model, tools: [look] });
  await gate.hold(1);
  const replayed = await replay(await fetch(run.runId));
  expect(replayed.length).toBeGreaterThanOrEqual(2);
  expect(replayed.filter(({ ok }) => !ok)).toEqual([]);
  gate.open();
  await run.result();
});

test('an unknown run has no histories', async () => {
  await expect(fetch('nobody')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});
