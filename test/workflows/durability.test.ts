import { expect, test } from '@jest/globals';
import { temporal } from '@temporalio/proto';
import { createClient } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { childrenOf, eventsOf } from '../support/read-history.ts';
import { answers, callsOf, endsOf, holdTurns, keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld, withWorker } from '../support/temporal.ts';

const { start } = useWorld('durability');
const wire = temporal.api.history.v1.HistoryEvent;

test('B52 · eight children in two waves, with batches, retries and one cancel: ids by the plan, and a worker that has seen nothing answers a query', async () => {
  const gate = new Gate();
  const flaky = [{ ...callsOf('look', ['a', 'b']), fail: { code: 'MODEL_SERVER', times: 1 } }, ...answers('found')];
  const model = scriptedModel({ subagents: { '*': flaky } }, holdTurns(gate, ['s3 turn 1']));
  await withWorker('two waves', { model, tools: [keyTool('look', (key) => `saw ${key}`)] }, async (world) => {
    const run = await world.start({ question: 'Q', subtasks: subtasks(8), maxConcurrency: 4, modelAttempts: 3 });
    await gate.arrival('s3 turn 1');
    await createClient(world).getHandle(run.runId).cancelSubagent('s3');
    const result = await run.result();
    expect(endsOf(result).filter((end) => !end.endsWith('done'))).toEqual(['s3 cancelled (operator)']);
    const ids = childrenOf(await run.history()).map(({ workflowId }) => workflowId);
    expect(ids.toSorted()).toEqual(Array.from({ length: 8 }, (_, index) => `${run.runId}/s${index + 1}`));
    // Another worker with nothing cached has to replay the run to answer; what it replays is checked after the test too.
    await world.stopFirstWorker();
    const fresh = await world.startWorker();
    const metadata = await world.client.workflow
      .getHandle(run.runId)
      .query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('7 done');
    await fresh.stop();
  });
});

test('B53 · results of 3 MB, a report of 3 MB and ten children with 300 kB each, in letters of three bytes: no payload comes near the limit', async () => {
  const big = (bytes: number) => '漢'.repeat(Math.floor(bytes / 3));
  const pages = keyTool('page', () => big(3_000_000));
  const script = {
    subagents: { '*': [callsOf('page', ['a']), { report: { summary: big(300_000), claims: [] } }] },
    synthesis: { text: big(3_000_000) },
  };
  const model = scriptedModel(script);
  const budget = { tokens: 50_000_000, toolCalls: 100 };
  const run = await start({ question: 'Q', subtasks: subtasks(10), budget }, { model, tools: [pages] });
  const result = await run.result();
  expect(result.status).toBe('completed');
  expect(result.document).toBeNull();
  expect(result.documentRef!.bytes).toBeGreaterThan(2_900_000);
  const sizes = [...(await run.histories()).values()]
    .flatMap(eventsOf)
    .map((event) => wire.encode(event).finish().byteLength);
  expect(Math.max(...sizes)).toBeLessThan(100_000);
});
