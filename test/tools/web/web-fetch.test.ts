import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { fromReading } from '../../../src/domain/corpus-reading.ts';
import { findClosedPort, openTools, page, startSite, type Site } from './web-world.ts';

let site: Site;
const seen: IncomingMessage[] = [];
let onClosed: () => void = () => undefined;

const long = 'Words and words. '.repeat(2_000);
const bomb = gzipSync(Buffer.alloc(60_000_000));

beforeAll(async () => {
  site = await startSite((request, response) => {
    seen.push(request);
    const html = { 'content-type': 'text/html' };
    switch (request.url!.split('?')[0]) {
      case '/page':
        return response.writeHead(200, html).end(page('The river is long. It ends in the sea.', 'River'));
      case '/long':
        return response.writeHead(200, { 'content-type': 'text/plain' }).end(long);
      case '/latin1':
        return response
          .writeHead(200, { 'content-type': 'text/plain; charset=ISO-8859-1' })
          .end(Buffer.from('Stra\xdfe', 'latin1'));
      case '/meta':
        return response
          .writeHead(200, html)
          .end(Buffer.from('<meta charset="windows-1252"><body><p>Stra\xdfe und mehr</p>', 'latin1'));
      case '/json':
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{"a": 1}');
      case '/image':
        return response.writeHead(200, { 'content-type': 'image/png' }).end('png');
      case '/empty':
        return response.writeHead(200, html).end('<html><body><script>x()</script></body></html>');
      case '/moved':
        return response.writeHead(302, { location: '/page' }).end();
      case '/endless':
      case '/10GB': {
        const size = request.url === '/10GB' ? { 'content-length': String(10 * 1024 ** 3) } : {};
        response.writeHead(200, { 'content-type': 'text/plain', ...size });
        const pour = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', pour);
        response.on('close', () => onClosed());
        return pour();
      }
      case '/bomb':
        return response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb);
      case '/bomb-in-bomb':
        return response
          .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip, gzip' })
          .end(gzipSync(bomb));
      case '/broken-gzip':
        return response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('no gzip');
      case '/hang-before-headers':
        return void response.on('close', () => onClosed());
      case '/hang':
        response.on('close', () => onClosed());
        return void response.writeHead(200, { 'content-type': 'text/plain' }).write('begun');
      case '/500':
      case '/429':
      case '/404':
        return response
          .writeHead(Number(request.url!.slice(1, 4)), { 'retry-after': request.url!.split('=')[1] ?? '' })
          .end('no');
      case '/reset':
        return void request.socket.resetAndDestroy();
      default:
        return response.writeHead(404).end();
    }
  });
});
afterAll(() => site.close());

const get = (path: string, more: Record<string, unknown> = {}) =>
  openTools({ exemptForTests: [site.host] })('web_fetch')({ url: `${site.url}${path}`, ...more });

test('a page becomes text that can be quoted, and a source that can be cited', async () => {
  const { text, sources } = await get('/page');
  const reading = fromReading(text)!;
  expect(reading).toMatchObject({ title: 'River', url: `${site.url}/page` });
  expect(reading.body).toContain('The river is long. It ends in the sea.');
  expect(sources).toEqual([{ id: reading.sourceId, url: `${site.url}/page`, title: 'River' }]);
  expect((await get('/page')).sources).toEqual(sources);
});

test('the address after redirects is the source', async () => {
  expect((await get('/moved')).sources![0]!.url).toBe(`${site.url}/page`);
});

test('a long page comes in parts that add up to the whole, each within the bound of a tool answer', async () => {
  let whole = '';
  for (let offset: number | null = 0; offset !== null;) {
    const { text } = await get('/long', { offset });
    expect(text.length).toBeLessThanOrEqual(16_000);
    expect(fromReading(text)).toMatchObject({ isOpening: offset === 0 });
    whole += fromReading(text)!.body;
    offset = Number(/go on with offset (\d+)/.exec(text)?.[1] ?? Number.NaN) || null;
  }
  expect(whole).toBe(long.trim());
  await expect(get('/long', { offset: 10_000_000 })).rejects.toThrow(/behind the end/);
});

test('a long address leaves less room for the words', async () => {
  const { text } = await get(`/long?${'a'.repeat(4_000)}`);
  expect(text.length).toBeLessThanOrEqual(16_000);
  expect(text).toMatch(/go on with offset \d+/);
});

test.each([
  ['/latin1', 'Straße'],
  ['/meta', 'Straße'],
  ['/json', '{"a": 1}'],
])('%s is read in its own encoding and type', async (path, words) => {
  expect((await get(path)).text).toContain(words);
});

test.each([
  ['/image', /image\/png is no text/],
  ['/empty', /holds no text/],
  ['/404', /answered 404/],
  ['/endless', /larger than 5 MB/],
  ['/10GB', /larger than 5 MB/],
  ['/bomb', /larger than 5 MB/],
  ['/bomb-in-bomb', /larger than 5 MB/],
  ['/broken-gzip', /could not be read/],
])('%s is refused in words', async (path, words) => {
  const refused = get(path);
  await expect(refused).rejects.toThrow(words);
  await expect(refused).rejects.not.toMatchObject({ code: 'TOOL_FAILED' });
});

test('a wait that the server asks for is kept, within reason', async () => {
  await expect(get('/429?retry-after=3')).rejects.toMatchObject({ code: 'TOOL_FAILED', retryAfterMs: 3_000 });
  await expect(get('/429?retry-after=86400')).rejects.toMatchObject({ code: 'TOOL_FAILED', retryAfterMs: 10_000 });
});

test.each(['/500', '/429', '/reset'])('%s may be tried again', async (path) => {
  await expect(get(path)).rejects.toMatchObject({ code: 'TOOL_FAILED' });
});

test('a server that is not there may be tried again, and a name that does not exist is said', async () => {
  const host = `127.0.0.1:${await findClosedPort()}`;
  const tools = openTools({ exemptForTests: [host] });
  await expect(tools('web_fetch')({ url: `http://${host}/` })).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  const resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
  await expect(openTools({ resolve })('web_fetch')({ url: 'http://nowhere.example.org/' })).rejects.toThrow(
    /no address is known for nowhere\.example\.org/,
  );
});

test('a server that pours for ever is cut off, not only left unread', async () => {
  for (const path of ['/10GB', '/endless']) {
    const closed = new Promise<void>((resolve) => (onClosed = resolve));
    await expect(get(path)).rejects.toThrow(/larger/);
    await closed;
  }
});

test.each(['/hang', '/hang-before-headers'])(
  'a cancel at %s closes the socket, and its reason comes out',
  async (path) => {
    const closed = new Promise<void>((resolve) => (onClosed = resolve));
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const before = seen.length;
    const fetching = openTools({ exemptForTests: [site.host] })('web_fetch')(
      { url: `${site.url}${path}` },
      controller.signal,
    );
    fetching.catch(() => undefined);
    while (seen.length === before) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    await expect(fetching).rejects.toBe(reason);
    await closed;
  },
);

test('a cancel closes a socket whose handshake is never answered', async () => {
  let onEnded: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (onEnded = resolve));
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const silent = createServer((socket) => {
    socket.on('error', () => undefined).on('close', onEnded);
    socket.once('data', () => controller.abort(reason));
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const tool = openTools({ exemptForTests: [host] })('web_fetch');
  await expect(tool({ url: `https://${host}/` }, controller.signal)).rejects.toBe(reason);
  await ended;
  await new Promise((resolve) => silent.close(resolve));
});

test('nothing is sent that tells of the reader', async () => {
  await get('/page');
  const { headers } = seen.at(-1)!;
  expect(headers['user-agent']).toBe('Tributary (research agent)');
  expect(headers).not.toHaveProperty('cookie');
  expect(headers).not.toHaveProperty('referer');
  expect(headers).not.toHaveProperty('authorization');
});

describe('the sites of a run', () => {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const read = (host: string, policy: { sites: string[]; blockedSites: string[] }) => {
    const port = site.host.split(':')[1]!;
    return openTools({ resolve, exemptForTests: [`${host}:${port}`] }, policy)('web_fetch')({
      url: `http://${host}:${port}/page`,
    });
  };

  test.each([
    ['example.org', ['example.org'], [], true],
    ['www.example.org', ['example.org'], [], true],
    ['badexample.org', ['example.org'], [], false],
    ['www.example.org', [], ['example.org'], false],
    ['docs.example.org', ['example.org'], ['docs.example.org'], false],
    ['example.com', [], ['example.org'], true],
  ] as const)('%s with sites %j and blocked sites %j: %s', async (host, sites, blockedSites, isReached) => {
    const reading = read(host, { sites: [...sites], blockedSites: [...blockedSites] });
    if (isReached) expect((await reading).text).toContain('river');
    else await expect(reading).rejects.toThrow(/not among those/);
  });

  test('hold at each hop of a redirect', async () => {
    const port = site.host.split(':')[1]!;
    const away = await startSite((_, response) =>
      response.writeHead(302, { location: `http://b.example.com:${port}/page` }).end(),
    );
    const tools = openTools(
      { resolve, exemptForTests: [`a.example.org:${away.host.split(':')[1]}`, `b.example.com:${port}`] },
      { sites: ['example.org'], blockedSites: [] },
    );
    const reading = tools('web_fetch')({ url: `http://a.example.org:${away.host.split(':')[1]}/` });
    await expect(reading).rejects.toThrow(/b\.example\.com is not among those/);
    await away.close();
  });
});
