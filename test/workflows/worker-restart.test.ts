import { expect, test } from '@jest/globals';
import { Gate } from '../support/gate.ts';
import { activitiesOf } from '../support/read-history.ts';
import { endsOf, holdTurns, keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { withWorker } from '../support/temporal.ts';

const reads = (key: string) => [
  { calls: [{ tool: 'read', arguments: { key } }] },
  { calls: [{ tool: 'read', arguments: { key: `${key} again` } }] },
  { report: { summary: `About ${key}.`, claims: [{ text: `It is ${key}.`, sourceId: 'd1', quote: key }] } },
];
const script = { subagents: { s1: reads('one'), s2: reads('two'), s3: reads('three') } };
const read = keyTool('read', (key) => ({ text: key, sources: [{ id: 'd1', url: 'd1.md', title: 'D1' }] }));
const request = { question: 'Q', subtasks: subtasks(3) };

test('a worker that stops in the middle, in model calls: another completes the run, and no finished call is made again', async () => {
  const undisturbed = scriptedModel(script);
  let whole: string | undefined;
  await withWorker('undisturbed', { model: undisturbed, tools: [read] }, async ({ start }) => {
    whole = (await (await start(request)).result()).document!.report;
  });

  const gate = new Gate();
  const held = ['s1 turn 2', 's2 turn 3', 's3 turn 1'];
  const model = scriptedModel(script, holdTurns(gate, held));
  await withWorker('restarted', { model, tools: [read] }, async ({ start, history, stopFirstWorker, startWorker }) => {
    const run = await start(request);
    await gate.hold(3);
    await stopFirstWorker();
    gate.open();
    await startWorker();
    const result = await run.result();
    expect(result.status).toBe('completed');
    expect(endsOf(result)).toEqual(['s1 done', 's2 done', 's3 done']);
    expect(result.document!.report).toBe(whole);
    // What was in flight was paid perhaps, so it is charged as an estimate; it is asked again, whole.
    for (const { usage } of result.subagents) expect(usage.estimated).toBe(true);
    const finishes = activitiesOf(await history(`${run.runId}/s1`), 'callModelActivity').map(({ end }) => end);
    expect(finishes.filter((end) => end === 'completed')).toHaveLength(3);
  });
  const counts = new Map<string, number>();
  for (const { place } of model.requests) counts.set(place, (counts.get(place) ?? 0) + 1);
  for (const [place, count] of counts) expect(`${place} ${count}`).toBe(`${place} ${held.includes(place) ? 2 : 1}`);
  for (const place of held) {
    const [before, after] = model.requests.filter((each) => each.place === place);
    expect(after!.request).toEqual(before!.request); // nothing was cut for want of a reservation
  }
});

test('a worker that stops while the plan or the report is written: the same', async () => {
  const gate = new Gate();
  const model = scriptedModel({ plan: ['a', 'b'], ...script }, holdTurns(gate, ['plan', 'synthesize']));
  await withWorker('restarted twice', { model, tools: [read] }, async ({ start, stopFirstWorker, startWorker }) => {
    const run = await start({ question: 'Q' });
    await gate.hold(1);
    await stopFirstWorker();
    const second = await startWorker();
    await gate.hold(1);
    gate.open('plan');
    await gate.arrival('synthesize');
    await second.stop();
    gate.open();
    await startWorker();
    const result = await run.result();
    expect(result.status).toBe('completed');
    expect(result.notes).toEqual([]); // a model wrote it
    expect(result.usage.estimated).toBe(true);
  });
  expect(model.requests.filter(({ place }) => place === 'plan')).toHaveLength(2);
  expect(model.requests.filter(({ place }) => place === 'synthesize')).toHaveLength(2);
});

test('a lost request counts as one of the attempts', async () => {
  const gate = new Gate();
  const model = scriptedModel({ subagents: { s1: [{ text: 'never said' }] } }, holdTurns(gate));
  await withWorker('lost attempts', { model }, async ({ start, stopFirstWorker, startWorker }) => {
    const run = await start({ question: 'Q', subtasks: subtasks(1), modelAttempts: 1 });
    await gate.hold(1);
    await stopFirstWorker();
    await startWorker();
    const result = await run.result();
    expect(endsOf(result)).toEqual(['s1 failed (provider)']);
    expect(result.subagents[0]!.message).toContain('1 request was made and none was answered');
  });
  expect(model.requests).toHaveLength(1);
});
