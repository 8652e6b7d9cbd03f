import { describe, expect, test } from '@jest/globals';
import type { RunEvent } from '../../src/contract/run-view.ts';
import { collect, createClient, createReader, readTool } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { useWorld } from '../support/temporal.ts';

const world = useWorld('client watch', { tools: [readTool] });
const question = 'Why is the sky blue?';
const client = () => createClient(world.world());

async function startHeld() {
  const gate = new Gate();
  const run = await world.start({ question, corpus: '/docs' }, { model: createReader({ gate }), tools: [readTool] });
  return { gate, run, handle: client().getHandle(run.runId) };
}

/** Budgets follow from the order in which histories arrived; everything else is the same in every order. */
const tally = (events: readonly RunEvent[]) =>
  events
    .filter((event) => event.type !== 'budget-updated' && event.type !== 'subagent-live' && event.type !== 'snapshot')
    .map((event) => JSON.stringify({ ...event, cursor: '' }))
    .sort();

describe('watching a run', () => {
  test('tells a snapshot, then each change once, then the result', async () => {
    const { gate, handle } = await startHeld();
    await gate.hold(3);
    const seen: RunEvent[] = [];
    for await (const event of handle.watch()) {
      seen.push(event);
      if (event.type === 'snapshot') gate.open();
    }
    expect(seen[0]).toMatchObject({
      type: 'snapshot',
      run: { status: 'running', subagents: { running: 3 }, limitTokens: 1_000_000 },
    });
    expect(seen.at(-1)).toMatchObject({ type: 'result', status: 'completed', exitCode: 0 });
    const of = (type: RunEvent['type']) => seen.filter((event) => event.type === type);
    expect(of('result')).toHaveLength(1);
    expect(of('tool-call-started')).toHaveLength(3);
    expect(of('tool-call-finished')).toHaveLength(3);
    expect(
      of('finding-added')
        .map((event) => event.subagentId)
        .sort(),
    ).toEqual(['s1', 's2', 's3']);
    expect(of('run-status')).toMatchObject([{ status: 'synthesizing' }, { status: 'completed' }]);
  });

  test('adds no event to any history', async () => {
    const { gate, run, handle } = await startHeld();
    await gate.hold(3);
    const before = await run.histories();
    await collect(handle.watch(), (event) => event.type === 'snapshot');
    await handle.describe();
    for (const [id, history] of await run.histories())
      expect(history.events?.length).toBe(before.get(id)!.events?.length);
    gate.open();
    await run.result();
  });

  test('of a finished run is a snapshot and the result, and from its last cursor nothing at all', async () => {
    const { gate, run, handle } = await startHeld();
    gate.open();
    await run.result();
    const seen = await collect(handle.watch());
    expect(seen.map((event) => event.type)).toEqual(['snapshot', 'result']);
    expect(await collect(handle.watch({ after: seen.at(-1)!.cursor }))).toEqual([]);
    expect((await collect(handle.watch({ after: seen[0]!.cursor }))).map((event) => event.type)).toEqual(['result']);
  });

  test('goes on from any cursor, with each event exactly once', async () => {
    const { gate, run, handle } = await startHeld();
    await gate.hold(3);
    const whole: RunEvent[] = [];
    for await (const event of handle.watch()) {
      whole.push(event);
      if (event.type === 'snapshot') gate.open();
    }
    await run.result();
    for (let place = 0; place < whole.length; place += 1) {
      const rest = await collect(handle.watch({ after: whole[place]!.cursor }));
      expect(tally([...whole.slice(0, place + 1), ...rest])).toEqual(tally(whole));
    }
  });

  test('that drops again and again while the run goes on misses and repeats nothing', async () => {
    const { gate, run, handle } = await startHeld();
    await gate.hold(3);
    const [snapshot] = await collect(handle.watch(), () => true);
    const whole = collect(handle.watch({ after: snapshot!.cursor }));
    const pieces: RunEvent[] = [];
    let after = snapshot!.cursor;
    gate.open();
    for (;;) {
      let left = 3;
      const piece = await collect(handle.watch({ after }), () => --left === 0);
      pieces.push(...piece);
      after = piece.at(-1)?.cursor ?? after;
      if (piece.at(-1)?.type === 'result') break;
    }
    await run.result();
    expect(tally(pieces)).toEqual(tally(await whole));
  });

  test.each(['garbage', '', '-1', Buffer.from('{"v":1}').toString('base64url')])(
    'from the cursor %j starts again with a resync and a snapshot',
    async (after) => {
      const { gate, run, handle } = await startHeld();
      gate.open();
      await run.result();
      const seen = await collect(handle.watch({ after }));
      expect(seen.map((event) => event.type)).toEqual(['resync', 'snapshot', 'result']);
    },
  );

  test('from a cursor of another run, or one that is ahead, starts again too', async () => {
    const [one, other] = [await startHeld(), await startHeld()];
    one.gate.open();
    other.gate.open();
    await Promise.all([one.run.result(), other.run.result()]);
    const [snapshot] = await collect(one.handle.watch());
    const seen = await collect(other.handle.watch({ after: snapshot!.cursor }));
    expect(seen[0]).toMatchObject({ type: 'resync', reason: expect.stringContaining('another run') });
    const wire = JSON.parse(Buffer.from(snapshot!.cursor, 'base64url').toString()) as { p: number[] };
    const ahead = Buffer.from(JSON.stringify({ ...wire, p: [0, 99_999] })).toString('base64url');
    expect((await collect(one.handle.watch({ after: ahead })))[0]).toMatchObject({
      type: 'resync',
      reason: expect.stringContaining('ahead'),
    });
  });

  test('shows what a describe call knows of a call that is tried again, and takes it back', async () => {
    let failures = 0;
    const reader = createReader();
    const failing = {
      ...reader,
      call: async (...input: Parameters<typeof reader.call>) => {
        const { task } = input[0];
        if (task.kind === 'research' && task.subagentId === 's2' && task.turn === 1 && failures < 2) {
          failures += 1;
          throw Object.assign(new Error('overloaded'), { code: 'MODEL_OVERLOADED' });
        }
        return reader.call(...input);
      },
    };
    const run = await world.start({ question, corpus: '/docs' }, { model: failing, tools: [readTool] });
    const seen = await collect(client().getHandle(run.runId).watch());
    const live = seen.filter((event) => event.type === 'subagent-live');
    expect(live[0]).toMatchObject({ subagentId: 's2', live: expect.stringMatching(/^retry [23].*\(overloaded\)$/) });
    expect(live.at(-1)).toMatchObject({ subagentId: 's2', live: null });
    await run.result();
  });

  test('ends with the reason of its signal', async () => {
    const { gate, run, handle } = await startHeld();
    await gate.hold(3);
    const controller = new AbortController();
    const watching = collect(handle.watch({ signal: controller.signal }), () => {
      controller.abort(new Error('enough'));
      return false;
    });
    await expect(watching).rejects.toThrow('enough');
    gate.open();
    await run.result();
  });

  test('of an unknown run is RUN_NOT_FOUND', async () => {
    await expect(collect(client().getHandle('nowhere').watch())).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});
