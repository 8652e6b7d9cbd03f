import { expect, test } from '@jest/globals';
import { ResearchClient } from '../../src/client/research-client.ts';
import { Gate } from '../support/gate.ts';
import { answers, endsOf, holdTurns, keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('finalize');
const look = keyTool('look', (key) => `seen ${key}`);
const client = () => new ResearchClient({ client: world().client, taskQueue: world().taskQueue, identity: 'me@here' });
const busy = {
  turns: [{ calls: [{ tool: 'look', arguments: { key: 'a' } }] }, ...answers('late')],
  handBack: { report: { summary: 'what I have' } },
};

test('finalize: what runs hands back, what has not started is skipped, and the report is partial', async () => {
  const gate = new Gate();
  const model = scriptedModel(
    { subagents: { s1: answers('found'), s2: busy, s3: answers('never') } },
    (place, signal, request) =>
      request.task.kind === 'research' && request.task.handBack
        ? undefined
        : holdTurns(gate, ['s2 turn 2'])(place, signal),
  );
  const run = await start({ question: 'Q', subtasks: subtasks(3), maxConcurrency: 1 }, { model, tools: [look] });
  await gate.hold(1);
  const handle = client().getHandle(run.runId);
  await handle.finalize({ reason: 'enough' });
  await handle.finalize({ reason: 'twice is once' });
  const result = await run.result();
  expect(result.status).toBe('partial');
  expect(endsOf(result)).toEqual(['s1 done', 's2 partial (operator)', 's3 skipped (operator)']);
  expect(result.notes).toContain('finalized by me@here: enough');
  expect(result.documentRef).not.toBeNull();
  expect((await handle.describe()).finalizeRequested).toMatchObject({ by: 'me@here', reason: 'enough' });
  await expect(handle.finalize()).rejects.toMatchObject({ code: 'RUN_ENDED' });
});

test('finalize: with nothing found there is no report, and the run fails', async () => {
  const gate = new Gate();
  const model = scriptedModel(
    { subagents: { s1: { turns: answers('late'), handBack: { text: '' } } } },
    (place, signal, request) =>
      request.task.kind === 'research' && request.task.handBack ? undefined : holdTurns(gate)(place, signal),
  );
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model });
  await gate.hold(1);
  await client().getHandle(run.runId).finalize();
  const result = await run.result();
  expect(result.status).toBe('failed');
  expect(result.failure).toMatchObject({ code: 'JOIN_UNMET' });
});

test('finalize under join all: what is there is reported, instead of failing for what was stopped', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { s1: answers('found'), s2: busy } }, (place, signal, request) =>
    request.task.kind === 'research' && request.task.handBack
      ? undefined
      : holdTurns(gate, ['s2 turn 2'])(place, signal),
  );
  const run = await start({ question: 'Q', subtasks: subtasks(2), join: { kind: 'all' } }, { model, tools: [look] });
  await gate.hold(1);
  await client().getHandle(run.runId).finalize();
  const result = await run.result();
  expect(result.status).toBe('partial');
  expect(endsOf(result)).toEqual(['s1 done', 's2 partial (operator)']);
});
