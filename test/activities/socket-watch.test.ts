import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import { runCancellable, type ActivityFrame } from '../../src/activities/cancellable.ts';
import { cancelProofSchema, type CancelProof } from '../../src/contract/cancel-proof.ts';
import { openEnvironment } from './activity-world.ts';

/** Answers `/ok`, begins an answer to `/begin`, is silent otherwise; knows when each socket really closed. */
let server: Server;
let url: string;
const sockets = new Set<Socket>();
const arrived = new Map<string, () => void>();
/** The time of the last close that the server saw; the latest one of all sockets. */
let closedAt = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/ok') response.end('ok');
    else if (request.url!.startsWith('/begin')) response.write('some of it');
    arrived.get(request.url!)?.();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      closedAt = Date.now();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const arrival = (path: string) => new Promise<void>((resolve) => arrived.set(path, resolve));

/** Cancels the body once the server has what `paths` name. */
async function cancelAt(paths: readonly string[], body: (frame: ActivityFrame) => Promise<unknown>) {
  const waiting = Promise.all(paths.map(arrival));
  const environment = openEnvironment();
  const ending = environment.run(() => runCancellable(body)).catch((error: unknown) => error);
  await waiting;
  const cancelledAt = Date.now();
  environment.cancel();
  const error = await ending;
  expect(error).toBeInstanceOf(CancelledFailure);
  const proof = (error as CancelledFailure).details[1] as CancelProof;
  expect(cancelProofSchema.parse(JSON.parse(JSON.stringify(proof)))).toEqual(proof);
  return { proof, cancelledAt };
}

const timesOf = ({ abortedAt, lastSocketClosedAt }: CancelProof) => [
  Date.parse(abortedAt),
  Date.parse(lastSocketClosedAt!),
];

describe('an activity that is cancelled ends when its sockets are closed', () => {
  test.each([
    ['before the headers', 'undici', '/hang-1', undiciFetch],
    ['in the body', 'undici', '/begin-1', undiciFetch],
    ['before the headers', 'the built-in fetch', '/hang-2', fetch],
    ['in the body', 'the built-in fetch', '/begin-2', fetch],
  ] as const)('%s, by %s', async (_, __, path, ask) => {
    const { proof, cancelledAt } = await cancelAt([path], async ({ signal }) => {
      const response = await ask(url + path, { signal });
      return response.text();
    });
    expect(proof).toMatchObject({ socketsClosed: 1, socketsOpen: 0 });
    const [abortedAt, lastAt] = timesOf(proof) as [number, number];
    expect(abortedAt).toBeGreaterThanOrEqual(cancelledAt);
    expect(lastAt).toBeGreaterThanOrEqual(abortedAt);
    while (closedAt < cancelledAt) await new Promise(setImmediate);
    expect(Math.abs(lastAt - closedAt)).toBeLessThan(250);
  });

  test('all of them, when it has several requests in flight', async () => {
    const paths = ['/many-1', '/many-2', '/many-3'];
    const { proof } = await cancelAt(paths, async ({ signal }) =>
      Promise.all(paths.map((path) => undiciFetch(url + path, { signal }))),
    );
    expect(proof).toMatchObject({ socketsClosed: 3, socketsOpen: 0 });
  });
});

describe('what does not count', () => {
  test('a socket that idles in the pool after its answer', async () => {
    const pool = new Agent();
    const { proof } = await cancelAt(['/hang-3'], async ({ signal }) => {
      await (await undiciFetch(`${url}/ok`, { dispatcher: pool })).text();
      await undiciFetch(`${url}/hang-3`, { signal });
    });
    expect(proof.socketsClosed).toBe(1);
    const idle = await cancelAt(['/ok'], async ({ signal }) => {
      await (await undiciFetch(`${url}/ok`, { dispatcher: pool })).text();
      if (!signal.aborted) await once(signal, 'abort');
      throw signal.reason;
    });
    expect(idle.proof).toMatchObject({ socketsClosed: 0, socketsOpen: 0, lastSocketClosedAt: null });
    await pool.destroy();
  });

  test('the requests of another activity at the same time', async () => {
    const other = openEnvironment();
    const inOther = arrival('/other');
    const running = other.run(() => runCancellable(({ signal }) => undiciFetch(`${url}/other`, { signal })));
    running.catch(() => undefined);
    await inOther;
    const { proof } = await cancelAt(['/mine'], ({ signal }) => undiciFetch(`${url}/mine`, { signal }));
    expect(proof).toMatchObject({ socketsClosed: 1, socketsOpen: 0 });
    other.cancel();
    const error = (await running.catch((caught: unknown) => caught)) as CancelledFailure;
    expect(error.details[1]).toMatchObject({ socketsClosed: 1, socketsOpen: 0 });
  });
});

test('a socket that is not given up is waited for no longer than a while, and is said to be open', async () => {
  const pool = new Agent();
  const { proof } = await cancelAt(['/deaf'], async ({ signal }) => {
    undiciFetch(`${url}/deaf`, { dispatcher: pool }).catch(() => undefined);
    await once(signal, 'abort');
    throw signal.reason;
  });
  expect(proof).toMatchObject({ socketsClosed: 0, socketsOpen: 1, lastSocketClosedAt: null });
  await pool.destroy();
});

test('many requests on one socket leave no listener of theirs on it', async () => {
  const pool = new Agent({ connections: 1 });
  const before = new Set(sockets);
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  await openEnvironment().run(() =>
    runCancellable(async () => {
      for (let round = 0; round < 20; round += 1) {
        await (await undiciFetch(`${url}/ok`, { dispatcher: pool })).text();
      }
    }),
  );
  process.off('warning', onWarning);
  expect([...sockets].filter((socket) => !before.has(socket))).toHaveLength(1);
  expect(warnings).toEqual([]);
  await pool.destroy();
});
