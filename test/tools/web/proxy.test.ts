/** Pages and searches through a proxy: what it is asked for, and what its refusals become. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { openTools, page } from './web-world.ts';

const password = 'proxy-SECRET';
let server: Server;
let address: string;
let asked: string[];
let credentials: (string | undefined)[];
let tunnels: Socket[];
/** How the proxy answers: a status, nothing at all, or nothing behind an open tunnel. */
let answer: number | 'hang' | 'silent';

beforeEach(async () => {
  asked = [];
  credentials = [];
  tunnels = [];
  answer = 200;
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    credentials.push(request.headers['proxy-authorization']);
    if (typeof answer === 'string') tunnels.push(request.socket);
    else response.writeHead(answer, { 'content-type': 'text/html' }).end(page('The river is long.', 'River'));
  });
  server.on('connect', (request, socket: Socket) => {
    asked.push(`${request.method} ${request.url}`);
    credentials.push(request.headers['proxy-authorization']);
    tunnels.push(socket);
    socket.on('error', () => undefined);
    if (answer === 'silent') socket.write('HTTP/1.1 200 OK\r\n\r\n');
    else if (answer === 200) socket.end('HTTP/1.1 200 OK\r\n\r\n');
    else if (answer !== 'hang') socket.end(`HTTP/1.1 ${answer} No\r\ncontent-length: 0\r\n\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://user:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  for (const socket of tunnels) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const unresolvable = () => Promise.reject(new Error('no names here'));
const publicly = async () => [{ address: '93.184.216.34', family: 4 }];
const fetchPage = (url: string, resolve = publicly as typeof unresolvable, signal?: AbortSignal) =>
  openTools({ resolve, proxyFor: () => address })('web_fetch')({ url }, signal);
const search = { kind: 'tavily', url: 'https://search.example.org', key: 'sk-search-SECRET' } as const;
const errorOf = async (running: Promise<unknown>) =>
  (await running.then(
    () => null,
    (error: unknown) => error,
  )) as Error & { code?: string };

test.each([
  ['resolves here', publicly],
  ['is known to the proxy alone', unresolvable],
])('a page by http whose name %s is asked of the proxy itself', async (_, resolve) => {
  const { text } = await fetchPage('http://outside.example.org/page?a=1', resolve as typeof unresolvable);
  expect(text).toContain('The river is long.');
  expect(asked).toEqual(['GET http://outside.example.org/page?a=1']);
  expect(credentials).toEqual([`Basic ${Buffer.from(`user:${password}`).toString('base64')}`]);
});

test('a page by https is asked for through a tunnel', async () => {
  expect(await errorOf(fetchPage('https://outside.example.org/page'))).toMatchObject({ code: 'TOOL_FAILED' });
  expect(asked).toEqual(['CONNECT outside.example.org:443']);
});

test('the service of a search is asked through it too', async () => {
  await errorOf(openTools({ search, proxyFor: () => address })('web_search')({ query: 'river' }));
  expect(asked).toEqual(['CONNECT search.example.org:443']);
});

test.each(['http://10.0.0.1/', 'https://[::1]/', 'http://169.254.169.254/latest', 'http://localhost/'])(
  '%s is refused without a word to the proxy',
  async (url) => {
    expect((await errorOf(fetchPage(url))).message).toMatch(/no public address/);
    expect(asked).toEqual([]);
  },
);

describe('a refusal of the proxy', () => {
  test.each([
    ['https', 403, undefined],
    ['https', 407, undefined],
    ['http', 407, undefined],
    ['https', 502, 'TOOL_FAILED'],
    ['https', 429, 'TOOL_FAILED'],
  ])('by %s with %i is said, without its password', async (scheme, status, code) => {
    answer = status;
    const error = await errorOf(fetchPage(`${scheme}://outside.example.org/`));
    expect(error.message).toMatch(new RegExp(`proxy.*outside\\.example\\.org.*${status}`));
    expect(error.code).toBe(code);
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toMatch(/SECRET|Basic|127\.0\.0\.1/);
  });

  test('and a proxy that is no address is said without it', async () => {
    address = `socks9://user:${password}@nowhere`;
    const error = await errorOf(fetchPage('http://outside.example.org/'));
    expect(error.message).toMatch(/^outside\.example\.org could not be read/);
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain('SECRET');
  });
});

test.each([
  ['http', 'an answer', 'hang'],
  ['https', 'a tunnel', 'hang'],
  ['https', 'a handshake inside the tunnel', 'silent'],
] as const)('a cancel closes the connection to a proxy: %s, waiting for %s', async (scheme, _, how) => {
  answer = how;
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const fetching = errorOf(fetchPage(`${scheme}://outside.example.org/`, undefined, controller.signal));
  while (tunnels.length === 0) await nextTurn();
  const greeted = new Promise((resolve) => tunnels[0]!.once('data', resolve));
  if (how === 'silent') await greeted;
  const closed = new Promise((resolve) => tunnels[0]!.once('close', resolve).once('end', resolve).resume());
  controller.abort(reason);
  expect(await fetching).toBe(reason);
  await closed;
});

test('a cancel does not wait for a name that does not resolve', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const never = () => new Promise<never>(() => undefined);
  const fetching = errorOf(fetchPage('http://outside.example.org/', never, controller.signal));
  controller.abort(reason);
  expect(await fetching).toBe(reason);
});
