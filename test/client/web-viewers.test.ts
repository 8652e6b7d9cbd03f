import { describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../src/http/create-http-client.ts';
import type { ResearchClient } from '../../src/client/research-client.ts';
import type { RunEvent } from '../../src/contract/run-view.ts';
import { createWebApp } from '../../src/web/create-web-app.ts';
import { collect, createClient, createReader, readTool } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { useWorld } from '../support/temporal.ts';

const world = useWorld('web viewers', { tools: [readTool] });

/** An API of its own over a client of its own, as after a restart of its process. */
function openApi(closing?: AbortSignal) {
  const client: ResearchClient = createClient(world.world());
  return createWebApp({
    apiFor: () => client,
    namespace: 'tributary',
    taskQueue: 'tributary',
    version: '1.2.3',
    corpora: {},
    defaultModel: 'extractive',
    tokens: [],
    readOnly: false,
    allowedHosts: ['localhost'],
    accept: [],
    temporalUrl: null,
    page: null,
    ...(closing && { closing }),
  });
}

type Api = ReturnType<typeof openApi>;
const viewerOf = (api: () => Api, runId: string) =>
  createHttpClient({
    baseUrl: 'http://localhost',
    fetch: (url, init) => api().fetch(new Request(url, init)),
  }).getHandle(runId);

async function startHeld() {
  const gate = new Gate();
  const model = createReader({ gate });
  const run = await world.start({ question: 'Why?', corpus: '/docs' }, { model, tools: [readTool] });
  return { gate, run };
}

/** Budgets follow from the order in which histories arrived; everything else is the same in every order. */
const tally = (events: readonly RunEvent[]) =>
  events
    .filter(({ type }) => type !== 'budget-updated' && type !== 'subagent-live' && type !== 'snapshot')
    .map((event) => JSON.stringify({ ...event, cursor: '' }))
    .sort();

describe('viewers over HTTP', () => {
  test('two get every event once; one leaves and resumes, and the other outlives a restart of the API', async () => {
    const { gate, run } = await startHeld();
    await gate.hold(3);
    const closing = new AbortController();
    let api = openApi(closing.signal);
    const first: RunEvent[] = [];
    const second: RunEvent[] = [];
    const connections: string[] = [];
    const staying = (async () => {
      const onConnection = (state: string) => void connections.push(state);
      for await (const event of viewerOf(() => api, run.runId).watch({ onConnection })) {
        first.push(event);
        if (event.type === 'tool-call-finished' && !closing.signal.aborted) {
          // The API goes down amid the run; another one stands in its place.
          api = openApi();
          closing.abort();
        }
      }
    })();
    const leaving = (async () => {
      for await (const event of viewerOf(() => api, run.runId).watch()) {
        second.push(event);
        if (event.type === 'tool-call-started') break;
        if (event.type === 'snapshot') gate.open();
      }
    })();
    await leaving;
    const after = second.at(-1)!.cursor;
    second.push(...(await collect(viewerOf(() => api, run.runId).watch({ after }))));
    await staying;
    expect(connections).toEqual(['reconnecting', 'live']);
    expect(first.at(-1)).toMatchObject({ type: 'result', status: 'completed' });
    expect(tally(second)).toEqual(tally(first));
    expect(new Set(tally(first)).size).toBe(tally(first).length);
    expect(first.filter(({ type }) => type === 'tool-call-finished')).toHaveLength(3);
    expect([...first, ...second].filter(({ type }) => type === 'resync')).toEqual([]);
  });

  test('one that comes after the end gets snapshot and result, and nothing at the end cursor', async () => {
    const { gate, run } = await startHeld();
    gate.open();
    await run.result();
    const before = [...(await run.histories()).values()].map((history) => history.events?.length);
    const api = openApi();
    const seen = await collect(viewerOf(() => api, run.runId).watch());
    expect(seen.map(({ type }) => type)).toEqual(['snapshot', 'result']);
    const at = (after: string) =>
      api.fetch(new Request(`http://localhost/api/runs/${run.runId}/events?after=${encodeURIComponent(after)}`));
    expect((await at(seen.at(-1)!.cursor)).status).toBe(204);
    for (const garbage of ['garbage', '-1', '9'.repeat(500), 'x\ndata: {"type":"result"}', '']) {
      const text = await (await at(garbage)).text();
      const types = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => (JSON.parse(data!) as RunEvent).type);
      expect(types).toEqual(['resync', 'snapshot', 'result']);
    }
    const after = [...(await run.histories()).values()].map((history) => history.events?.length);
    expect(after).toEqual(before);
  });
});

test('a run is read once, however many watch it, and no longer than they do', async () => {
  const { gate, run } = await startHeld();
  await gate.hold(3);
  const client = createClient(world.world());
  const { feeds } = (client as unknown as { context: { feeds: { size(): number } } }).context;
  const leave = new AbortController();
  const streams = Array.from({ length: 20 }, () =>
    client.as('somebody').getHandle(run.runId).watch({ signal: leave.signal })[Symbol.asyncIterator](),
  );
  for (const stream of streams) expect((await stream.next()).value).toMatchObject({ type: 'snapshot' });
  expect(feeds.size()).toBe(1);
  for (const stream of streams) await stream.return?.();
  expect(feeds.size()).toBe(0);
  gate.open();
  await run.result();
});
