import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fromHitsText } from '../../../src/domain/corpus-reading.ts';
import type { SearchService } from '../../../src/tools/web/create-web-tools.ts';
import { findClosedPort, openTools, startSite, type Site } from './web-world.ts';

const key = 'sk-search-SECRET';
let site: Site;
let answer: (request: IncomingMessage, body: string, response: ServerResponse) => void;
beforeAll(async () => {
  site = await startSite((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => answer(request, body, response));
  });
});
afterAll(() => site.close());

const kinds = ['tavily', 'brave', 'searxng'] as const;
const hits = [
  { url: 'https://a.example.org/1', title: 'One <b>bold</b>', text: 'First   words' },
  { url: 'https://b.example.com/2', title: 'Two', text: 'Second words' },
  { url: 'ftp://c.example.org/3', title: 'Three', text: 'No page' },
];

const shapes: Record<SearchService['kind'], () => unknown> = {
  tavily: () => ({ results: hits.map(({ url, title, text }) => ({ url, title, content: text })) }),
  searxng: () => ({ results: hits.map(({ url, title, text }) => ({ url, title, content: text })) }),
  brave: () => ({
    type: 'search',
    web: { results: hits.map(({ url, title, text }) => ({ url, title, description: text })) },
  }),
};

/** What each service wants; anything else is refused as the real one would. */
const isAsked: Record<SearchService['kind'], (request: IncomingMessage, body: string) => boolean> = {
  tavily: (request, body) =>
    request.method === 'POST' &&
    request.url === '/search' &&
    request.headers.authorization === `Bearer ${key}` &&
    typeof (JSON.parse(body) as { query?: unknown }).query === 'string',
  brave: (request) =>
    request.method === 'GET' &&
    request.url!.startsWith('/res/v1/web/search?q=') &&
    request.headers['x-subscription-token'] === key,
  searxng: (request) => request.method === 'GET' && /^\/search\?q=.*&format=json$/.test(request.url!),
};

const toolFor = (kind: SearchService['kind'], policy = { sites: [] as string[], blockedSites: [] as string[] }) =>
  openTools({ search: { kind, url: site.url, ...(kind !== 'searxng' && { key }) } }, policy)('web_search');

describe.each(kinds)('%s', (kind) => {
  test('is asked in its own way, and its hits are those of a search', async () => {
    answer = (request, body, response) => {
      if (!isAsked[kind](request, body)) return response.writeHead(400).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shapes[kind]()));
    };
    const { text, sources } = await toolFor(kind)({ query: 'river & sea' });
    expect(fromHitsText(text)).toEqual([
      { url: 'https://a.example.org/1', title: 'One bold', snippet: 'First words' },
      { url: 'https://b.example.com/2', title: 'Two', snippet: 'Second words' },
    ]);
    // A hit is no source: nothing of the page was read.
    expect(sources).toBeUndefined();
  });

  test('leaves out what the run may not reach, and asks for its sites', async () => {
    let asked = '';
    answer = (request, body, response) => {
      asked = decodeURIComponent(`${request.url} ${body}`);
      response.end(JSON.stringify(shapes[kind]()));
    };
    const { text } = await toolFor(kind, { sites: ['example.com', 'example.org'], blockedSites: ['a.example.org'] })({
      query: 'river',
      limit: 5,
    });
    expect(fromHitsText(text).map(({ url }) => url)).toEqual(['https://b.example.com/2']);
    expect(asked).toContain('example.com');
  });

  test.each([401, 403, 302, 200])('%i that quotes the key is an error in words without it', async (status) => {
    answer = (_, __, response) => response.writeHead(status, { location: '/elsewhere' }).end(`{"error": "${key}"}`);
    const error = (await toolFor(kind)({ query: 'river' }).catch((reason: unknown) => reason)) as Error;
    expect(error.message).toMatch(/search service/);
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain('SECRET');
    expect(error).not.toMatchObject({ code: 'TOOL_FAILED' });
  });

  test.each([429, 500])('%i may be tried again', async (status) => {
    answer = (_, __, response) => response.writeHead(status).end();
    await expect(toolFor(kind)({ query: 'river' })).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  });

  test('a broken connection may be tried again, and a cancel is one', async () => {
    answer = (request) => request.socket.resetAndDestroy();
    await expect(toolFor(kind)({ query: 'river' })).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(toolFor(kind)({ query: 'river' }, signal)).rejects.toThrow('cancelled');
  });
});

describe('what a service is asked', () => {
  const ask = async (
    kind: SearchService['kind'],
    query: string,
    policy: { sites: string[]; blockedSites: string[] },
  ) => {
    let asked = new URL('http://none');
    let sent = '';
    answer = (request, body, response) => {
      asked = new URL(request.url!, site.url);
      sent = body;
      response.end(JSON.stringify(shapes[kind]()));
    };
    await toolFor(kind, policy)({ query, limit: 3 });
    return { query: asked.searchParams.get('q') ?? '', count: asked.searchParams.get('count'), body: sent };
  };
  const policy = { sites: ['example.org', 'example.com'], blockedSites: ['a.example.org'] };

  test.each(['brave', 'searxng'] as const)('%s hears of the sites in the query', async (kind) => {
    const { query } = await ask(kind, 'river', policy);
    expect(query).toBe('river site:example.org OR site:example.com -site:a.example.org');
  });

  test('Tavily hears of them in fields of their own, and of the number of hits', async () => {
    expect(JSON.parse((await ask('tavily', 'river', policy)).body)).toEqual({
      query: 'river',
      max_results: 3,
      include_domains: policy.sites,
      exclude_domains: policy.blockedSites,
    });
  });

  test('Brave is never asked more than it takes: 400 characters and 50 words', async () => {
    const many = Array.from({ length: 100 }, (_, at) => `site-${at}.example.org`);
    const { query, count } = await ask('brave', 'river and sea', { sites: many, blockedSites: ['example.net'] });
    expect(query).toMatch(/^river and sea site:site-0\.example\.org OR site:site-1\.example\.org/);
    expect(query.length).toBeLessThanOrEqual(400);
    expect(count).toBe('3');
    const words = await ask('brave', 'a '.repeat(200), { sites: ['example.org'], blockedSites: [] });
    expect(words.query.split(' ')).toHaveLength(50);
  });
});

test('a service under a path of a server is asked there', async () => {
  let asked = '';
  answer = (request, _, response) => {
    asked = request.url!;
    response.end('{"results": []}');
  };
  const search = { kind: 'searxng', url: `${site.url}/searx/` } as const;
  expect((await openTools({ search })('web_search')({ query: 'river' })).text).toBe('[]');
  expect(asked).toBe('/searx/search?q=river&format=json');
});

test('a service that is not there is said, and may be tried again', async () => {
  const search = { kind: 'tavily', url: `http://127.0.0.1:${await findClosedPort()}`, key } as const;
  const error = (await openTools({ search })('web_search')({ query: 'river' }).catch(
    (reason: unknown) => reason,
  )) as Error;
  expect(error).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringMatching(/search service Tavily failed/) });
  expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain('SECRET');
});

test('a key that no header can carry is not shown', async () => {
  const search = { kind: 'brave', url: site.url, key: `${key}\n` } as const;
  const broken = { ...search, key: `a\n${key}` };
  for (const each of [search, broken]) {
    answer = (_, __, response) => response.writeHead(401).end();
    const error = (await openTools({ search: each })('web_search')({ query: 'river' }).catch(
      (reason: unknown) => reason,
    )) as Error;
    expect(error.message).toMatch(/search service Brave/);
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain('SECRET');
  }
});

test('a cancel closes the connection to a service that does not answer', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const closed = new Promise<void>((resolve) => {
    answer = (_, __, response) => {
      response.on('close', resolve);
      controller.abort(reason);
    };
  });
  await expect(toolFor('searxng')({ query: 'river' }, controller.signal)).rejects.toBe(reason);
  await closed;
});

test('without a service there is no such tool', () => {
  expect(() => openTools()('web_search')).toThrow('not offered');
});
