import { beforeAll, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readHistories } from '../../src/client/history/histories-file.ts';
import type { HistoryJson, RecordedWorkflow, ReplayedHistory } from '../../src/contract/replay.ts';
import { replayHistories } from '../../src/replay/replay-histories.ts';
import { installTestRuntime } from '../support/temporal.ts';

installTestRuntime();
const folder = join(import.meta.dirname, 'histories');
const code = { workflowBundle: { codePath: join(process.env.TRIBUTARY_TEST_FOLDER!, 'workflow-bundle.js') } };
const kinds = readdirSync(folder).map((file) => basename(file, '.json'));
let committed: ReplayedHistory[] = [];

function read(kind: string): RecordedWorkflow[] {
  const path = join(folder, `${kind}.json`);
  return readHistories(path, readFileSync(path, 'utf8'));
}
async function replay(
  workflows: readonly RecordedWorkflow[],
  options: Partial<Parameters<typeof replayHistories>[1]> = {},
) {
  const all: ReplayedHistory[] = [];
  for await (const each of replayHistories(workflows, { code, ...options })) all.push(each);
  return all;
}

// One replay for all of them: to set one up costs more than many histories.
beforeAll(async () => {
  const startedAt = Date.now();
  committed = await replay(kinds.flatMap(read));
  const ms = Date.now() - startedAt;
  if (process.env.DRILL_NUMBERS) process.stderr.write(`${committed.length} committed histories replayed in ${ms} ms\n`);
}, 300_000);

test.each(kinds)('today’s code replays the committed histories of a run: %s', (kind) => {
  const ids = read(kind).map(({ workflowId }) => workflowId);
  const all = committed.filter(({ workflowId }) => ids.includes(workflowId));
  expect(all.length).toBeGreaterThanOrEqual(ids.length);
  expect(all.filter(({ ok }) => !ok)).toEqual([]);
});

test('the committed histories are of many runs', () => expect(committed.length).toBeGreaterThan(100));

/** One workflow of the completed run, with its history changed as JSON text. */
function changed(id: string, change: (text: string) => string): RecordedWorkflow {
  const workflow = read('completed').find(({ workflowId }) => workflowId === id)!;
  const histories = workflow.histories.map((history) => JSON.parse(change(JSON.stringify(history))) as HistoryJson);
  return { ...workflow, histories };
}

test('a history that today’s code does not follow is named, with its event and what the code wanted; the others are replayed', async () => {
  const others = read('completed');
  const wrong = changed('recorded-completed/s1', (text) => text.replaceAll('callToolActivity', 'anotherActivity'));
  const all = await replay([wrong, ...others]);
  expect(all.map(({ ok }) => ok)).toEqual([false, ...others.map(() => true)]);
  expect(all[0]).toMatchObject({
    workflowId: 'recorded-completed/s1',
    events: wrong.histories[0]!.events.length,
    divergence: {
      eventId: 12,
      eventType: 'ActivityTaskScheduled',
      kind: 'wants-other',
      recorded: 'activity anotherActivity',
      wanted: 'activity callToolActivity',
    },
  });
});

test('of two calls in one workflow task the one that differs is found, though Temporal names no event', async () => {
  const second = 25; // 24 and 25 are the calls of one batch
  const wrong = changed('recorded-completed/s3', (text) => {
    const history = JSON.parse(text) as { events: Record<string, { activityType: { name: string } }>[] };
    history.events[second - 1]!.activityTaskScheduledEventAttributes!.activityType.name = 'anotherActivity';
    return JSON.stringify(history);
  });
  const [{ divergence } = { divergence: undefined }] = await replay([wrong]);
  expect(divergence).toMatchObject({ eventId: second, wanted: 'activity callToolActivity' });
});

test('a history with another child is refused by the child’s id', async () => {
  const wrong = changed('recorded-completed', (text) =>
    text.replaceAll('recorded-completed/s2', 'recorded-completed/s9'),
  );
  const [{ divergence } = { divergence: undefined }] = await replay([wrong]);
  expect(divergence).toMatchObject({
    eventId: 20,
    eventType: 'StartChildWorkflowExecutionInitiated',
    recorded: 'child workflow recorded-completed/s9',
    wanted: 'child workflow recorded-completed/s2',
  });
});

test('as far as a history is recorded is enough, from its first event on', async () => {
  const [run] = read('completed');
  const { events } = run!.histories[0]!;
  const lengths = [1, 2, 3, 4, 10, 21, events.length - 1];
  const histories = lengths.map((length) => ({ events: events.slice(0, length) }));
  const all = await replay([{ ...run!, histories }]);
  expect(all.map((each) => [each.events, each.ok])).toEqual(lengths.map((length) => [length, true]));
});

/** As a worker with a codec writes them: the bytes turned over, and an encoding that says so. */
const encoding = 'binary/turned';
const turn = (data: Uint8Array) => data.map((byte) => byte ^ 0xff);
const codec = {
  encode: async (payloads: { data?: Uint8Array | null }[]) =>
    payloads.map(({ data }) => ({
      metadata: { encoding: Buffer.from(encoding) },
      data: turn(data ?? new Uint8Array()),
    })),
  decode: async (payloads: { metadata?: Record<string, Uint8Array> | null; data?: Uint8Array | null }[]) =>
    payloads.map(({ metadata, data }) =>
      Buffer.from(metadata?.encoding ?? []).toString() === encoding
        ? { metadata: { encoding: Buffer.from('json/plain') }, data: turn(data ?? new Uint8Array()) }
        : { metadata, data },
    ),
};
const encoded = (id: string) =>
  changed(id, (text) =>
    JSON.stringify(
      JSON.parse(text, (key, value: { metadata?: { encoding?: string }; data?: string }) =>
        value?.metadata?.encoding === Buffer.from('json/plain').toString('base64')
          ? {
              metadata: { encoding: Buffer.from(encoding).toString('base64') },
              data: Buffer.from(turn(Buffer.from(value.data!, 'base64'))).toString('base64'),
            }
          : value,
      ),
    ),
  );

test('encoded payloads are decoded by the codec of the client', async () => {
  const workflows = read('completed').map(({ workflowId }) => encoded(workflowId));
  const all = await replay(workflows, { dataConverter: { payloadCodecs: [codec] } });
  expect(all.map(({ ok, divergence }) => [ok, divergence])).toEqual(workflows.map(() => [true, undefined]));
});

test('payloads that cannot be decoded are said to be that, and are no divergence of the code', async () => {
  const [{ divergence } = { divergence: undefined }] = await replay([encoded('recorded-completed')]);
  expect(divergence).toMatchObject({ kind: 'undecodable', wanted: null });
  expect(divergence!.message).toContain(encoding);
});
