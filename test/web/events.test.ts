import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createHttpClient } from '../../src/http/create-http-client.ts';
import { serveWebApp, type WebServer } from '../../src/web/serve-web-app.ts';
import type { RunEvent } from '../../src/contract/run-view.ts';
import { collect } from '../support/client-world.ts';
import { until } from '../support/cli-harness.ts';
import { openWeb } from './web-world.ts';

let web: ReturnType<typeof openWeb>;
let server: WebServer;
let closing: AbortController;
let reading = 0;
let port = 17_450;

beforeEach(async () => {
  closing = new AbortController();
  web = openWeb({ keepAliveMs: 20, closing: closing.signal });
  reading = 0;
  // Counts the readers that are open.
  const handle = web.research.api.getHandle('run_1');
  const watch = handle.watch.bind(handle);
  handle.watch = async function* (options) {
    reading += 1;
    try {
      yield* watch(options);
    } finally {
      reading -= 1;
    }
  };
  server = await serveWebApp(web.app, {
    host: '127.0.0.1',
    // Each test its own: a pool of connections does not outlive a server.
    port: (port += 1),
    mayMove: true,
    onClosing: () => closing.abort(),
  });
});
afterEach(() => server.close());

const status = (word: 'running' | 'planning') => ({ type: 'run-status', status: word }) as const;

test('a viewer gets the snapshot, each event once, and the result; then the stream closes', async () => {
  const client = createHttpClient({ baseUrl: server.url });
  const seen: string[] = [];
  for await (const event of client.getHandle('run_1').watch()) {
    seen.push(event.type);
    if (event.type === 'snapshot') web.run.emit(status('planning'));
    if (event.type === 'run-status') web.run.end('completed');
  }
  expect(seen).toEqual(['snapshot', 'run-status', 'result']);
  expect(reading).toBe(0);
});

test('an idle stream gives signs of life', async () => {
  const leave = new AbortController();
  const answer = await fetch(`${server.url}api/runs/run_1/events`, { signal: leave.signal });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  expect(answer.headers.get('x-accel-buffering')).toBe('no');
  let text = '';
  for await (const chunk of answer.body!) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (text.endsWith(': \n\n: \n\n')) break;
  }
  expect(text).toMatch(/^id: c0\ndata: \{/);
  leave.abort();
  await until(() => reading === 0);
});

test('a viewer that leaves frees its reader, and the run is not touched', async () => {
  const leave = new AbortController();
  const watching = (async () => {
    await collect(createHttpClient({ baseUrl: server.url }).getHandle('run_1').watch({ signal: leave.signal }));
  })();
  watching.catch(() => undefined);
  await until(() => reading === 1);
  leave.abort();
  await expect(watching).rejects.toThrow();
  await until(() => reading === 0);
  expect(web.run.cancels).toEqual([]);
  expect(web.run.steers).toEqual([]);
});

test('a viewer that takes nothing is let go', async () => {
  const answer = await web.ask('GET', '/api/runs/run_1/events');
  expect(answer.status).toBe(200);
  await until(() => reading === 0);
  const reader = answer.body!.getReader();
  await expect(
    (async () => {
      while (!(await reader.read()).done);
    })(),
  ).rejects.toThrow('takes nothing');
});

test('a server that goes ends its streams in good order', async () => {
  const seen: RunEvent[] = [];
  const states: string[] = [];
  const leave = new AbortController();
  const watching = (async () => {
    const onConnection = (state: string) => void states.push(state);
    const events = createHttpClient({ baseUrl: server.url })
      .getHandle('run_1')
      .watch({ signal: leave.signal, onConnection });
    for await (const event of events) seen.push(event);
  })();
  watching.catch(() => undefined);
  await until(() => seen.length === 1);
  closing.abort();
  await until(() => reading === 0 && states.includes('reconnecting'));
  leave.abort();
  await expect(watching).rejects.toThrow();
});

test('lines of JSON where they are asked for', async () => {
  web.run.end('completed');
  const headers = { accept: 'application/x-ndjson' };
  const text = await (await fetch(`${server.url}api/runs/run_1/events`, { headers })).text();
  expect(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as RunEvent).type),
  ).toEqual(['snapshot', 'result']);
});

test('refusals come back as the errors that they are', async () => {
  const client = createHttpClient({ baseUrl: server.url });
  await expect(client.attach('run_404')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  await expect(client.start({ question: '' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  await expect(createHttpClient({ baseUrl: 'http://127.0.0.1:1' }).config()).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
  });
  expect(await client.count()).toMatchObject({ total: 1 });
  expect(await client.health()).toMatchObject({ server: 'ok', hasWorker: true });
});
