import { expect, test } from '@jest/globals';
import { Gate } from '../support/gate.ts';
import { activitiesOf } from '../support/read-history.ts';
import { answers, callsOf, holdTurns, keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld, withWorker } from '../support/temporal.ts';

const { start, world } = useWorld('model queue', { hasModelQueue: true });

const modelActivities = ['planActivity', 'callModelActivity', 'synthesizeActivity'];
const script = {
  plan: ['look it up'],
  subagents: { '*': { turns: [callsOf('read', ['a']), ...answers('found')] } },
};
const tools = [keyTool('read', () => 'text')];

test('calls of models are on the queue of their key, for their tenant; everything else is on the queue of the run', async () => {
  const run = await start({ question: 'Q', tenant: 'acme' }, { model: scriptedModel(script), tools });
  expect((await run.result()).status).toBe('completed');
  const all = [...(await run.histories()).values()].flatMap((history) => activitiesOf(history));
  const { taskQueue, modelQueue } = world();
  const placed = all.map((each) => [each.type, each.taskQueue, each.fairnessKey]);
  expect(new Set(all.map(({ type }) => type))).toEqual(
    new Set([...modelActivities, 'openRunActivity', 'callToolActivity', 'storeReportActivity']),
  );
  expect(placed).toEqual(
    all.map(({ type }) => (modelActivities.includes(type) ? [type, modelQueue, 'acme'] : [type, taskQueue, null])),
  );
});

test('a report that is assembled without its model does not wait for the queue of the key', async () => {
  const model = scriptedModel({ ...script, synthesis: { fail: { code: 'MODEL_CONTEXT' } } });
  const run = await start({ question: 'Q' }, { model, tools });
  await run.result();
  const reports = activitiesOf(await run.history(), 'synthesizeActivity');
  const { taskQueue, modelQueue } = world();
  expect(reports.map((each) => each.taskQueue)).toEqual([modelQueue, taskQueue]);
});

test.each([
  [{}, 3, ['at most 3 subagents at once']],
  [{ maxConcurrency: 5 }, 5, []],
])(
  'requests a minute that are known say how many subagents work at once, unless the request does: %j',
  async (request, peak, notes) => {
    // 1.25 × 20 × 0.7 / 60 × 10 s = 2.9
    const trafficOf = () => ({ taskQueue: null, limit: { rpm: 20 } });
    await withWorker(`bound ${peak}`, { dependencies: { trafficOf } }, async ({ start: begin }) => {
      const gate = new Gate();
      const model = scriptedModel({ subagents: { '*': { turns: answers('found') } } }, holdTurns(gate));
      const run = await begin({ question: 'Q', subtasks: subtasks(6), ...request }, { model });
      // One leaves, and another one takes its place, until all have been there.
      const seen = new Set<string>();
      while (seen.size < 6) {
        const waiting = await gate.hold(Math.min(peak, 6 - seen.size));
        seen.add(waiting[0]!);
        gate.open(waiting[0]);
      }
      const result = await run.result();
      expect(gate.peak).toBe(peak);
      expect(result.notes.filter((note) => note.includes('at once'))).toEqual(
        notes.map((note) => expect.stringContaining(note)),
      );
    });
  },
);
