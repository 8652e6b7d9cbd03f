import { expect, test } from '@jest/globals';
import { Gate, waitUntil } from '../support/gate.ts';
import { childrenOf, closeOf } from '../support/read-history.ts';
import { answers, endsOf, holdTurns, scriptedModel, subtasks } from '../support/scripts.ts';
import { withWorker } from '../support/temporal.ts';

test('B29 · a subagent whose work no worker takes up ends by its own time-out, and the run ends with it', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { '*': answers('found') } }, holdTurns(gate, ['s2 turn 1']));
  await withWorker('no worker', { model }, async ({ client, start, history, stopFirstWorker, startWorker }) => {
    const run = await start({ question: 'Q', subtasks: subtasks(2), budget: { wallClock: '4s' } });
    await gate.hold(1);
    await waitUntil(async () => childrenOf(await run.history()).some(({ end }) => end === 'completed'));
    await stopFirstWorker();
    const s2 = `${run.runId}/s2`;
    await expect(client.workflow.getHandle(s2).result()).rejects.toThrow();
    expect(closeOf(await history(s2))).toBe('timed-out');
    await startWorker();
    const result = await run.result();
    expect(result.status).toBe('partial');
    expect(endsOf(result)).toEqual(['s1 done', 's2 timed-out (no-worker)']);
    expect(result.gaps).toMatchObject([{ subagentId: 's2', status: 'timed-out', reason: 'no-worker' }]);
    expect(result.subagents[1]!.usage).toMatchObject({ estimated: true }); // its request was out
  });
  expect(model.requests.filter(({ place }) => place === 's2 turn 1')).toHaveLength(1);
}, 120_000);
