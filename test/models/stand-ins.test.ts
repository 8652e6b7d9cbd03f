/** What the stand-in servers do besides their vendors' rules: keys, records, faults, counts. (The rules: stand-ins-*.test.ts.) */
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  families,
  providerKey,
  startProvider,
  type Provider,
  type ProviderOptions,
  type Reply,
} from '../support/providers/start-provider.ts';
import { countPaths, legalHeaders, messageOf, paths, post, smallest } from './rule-suite.ts';

const opened: Provider[] = [];
afterEach(() => Promise.all(opened.splice(0).map((provider) => provider.close())));

describe.each(families)('%s', (family) => {
  const open = async (reply: Reply = { text: 'ok' }, options: ProviderOptions = {}) => {
    const provider = await startProvider(family, reply, options);
    opened.push(provider);
    return provider;
  };
  const ask = (provider: Provider, body: unknown = smallest[family]) =>
    post(provider, paths[family], body, legalHeaders[family]);

  test('refuses a wrong key in the vendor’s shape, and quotes it', async () => {
    const provider = await open();
    const wrong = Object.fromEntries(
      Object.entries(legalHeaders[family]).map(([name, value]) => [name, value.replace(providerKey, 'sk-other')]),
    );
    const posted = await post(provider, paths[family], smallest[family], wrong);
    expect(posted.status).toBe(401);
    expect(messageOf(posted)).toContain('sk-other');
    const shape = {
      openai: { type: 'invalid_request_error', code: 'invalid_api_key' },
      anthropic: { type: 'authentication_error' },
      google: { code: 401, status: 'UNAUTHENTICATED' },
    };
    const vendor = family === 'anthropic' || family === 'google' ? family : 'openai';
    expect(posted.body.error).toMatchObject(shape[vendor]);
    expect([provider.requests.length, provider.strays.length]).toEqual([0, 1]);
  });

  test('wants a key, unless it is a compatible server', async () => {
    const { status } = await post(await open(), paths[family], smallest[family], { 'anthropic-version': '2023-06-01' });
    expect(status).toBe(family === 'compatible' ? 200 : 401);
  });

  test('knows no other paths and methods, and keeps them apart', async () => {
    const provider = await open();
    expect((await post(provider, '/elsewhere', {}, legalHeaders[family])).status).toBe(404);
    const got = await fetch(provider.url(paths[family]), { headers: legalHeaders[family] });
    expect(got.status).toBe(405);
    expect(provider.strays.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(provider.requests).toEqual([]);
  });

  test('answers from a list in order, its last again and again, and records what was asked', async () => {
    const provider = await open([{ text: 'one' }, { text: 'two' }]);
    for (const word of ['one', 'two', 'two']) expect(JSON.stringify((await ask(provider)).body)).toContain(word);
    await provider.settled();
    const [first] = provider.requests;
    expect(provider.requests).toHaveLength(3);
    expect(first).toMatchObject({ method: 'POST', body: smallest[family], raw: JSON.stringify(smallest[family]) });
    expect(first!.asked).toMatchObject({ user: ['Hello'], turns: 0, results: [], tools: [], mayCall: true });
    expect(first!.answeredAt).toBeGreaterThanOrEqual(first!.at);
    expect(first!.abortedAt).toBeUndefined();
    expect(first!.path).toBe(new URL(provider.url(paths[family])).pathname);
  });

  test('answers by what was asked, and by its place', async () => {
    const provider = await open(async ({ asked }, index) => ({ text: `${asked.user[0]} ${index}` }));
    await ask(provider);
    expect(JSON.stringify((await ask(provider)).body)).toContain('Hello 1');
  });

  test('a script that throws is an error that is seen, and no hanging request', async () => {
    const provider = await open(() => {
      throw new Error('a slip');
    });
    expect((await ask(provider)).status).toBe(500);
    expect(provider.refusals).toEqual([expect.stringContaining('a slip')]);
  });

  test.each(['hang-before-headers', 'hang-in-body'] as const)(
    '%s: many requests hang together, and their end is seen',
    async (fault) => {
      const provider = await open({ fault });
      const controller = new AbortController();
      const asked = Array.from({ length: 5 }, () =>
        fetch(provider.url(paths[family]), {
          method: 'POST',
          headers: legalHeaders[family],
          body: JSON.stringify(smallest[family]),
          signal: controller.signal,
        }).then((response) => response.text()),
      );
      const over = Promise.allSettled(asked);
      await provider.requested(5);
      expect(provider.peak).toBe(5);
      controller.abort();
      await provider.aborted(5);
      await provider.settled();
      expect((await over).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
      for (const request of provider.requests) {
        expect(request.abortedAt).toBeGreaterThanOrEqual(request.at);
        expect(request.answeredAt).toBeUndefined();
      }
    },
  );

  test.each(['cut-body', 'reset'] as const)('%s: the connection breaks', async (fault) => {
    await expect(ask(await open({ fault }))).rejects.toThrow();
  });

  test('redirects to itself, where a client that follows is seen', async () => {
    const provider = await open({ fault: 'redirect' });
    const posted = await ask(provider);
    expect([posted.status, posted.headers.get('location')]).toEqual([307, provider.url('/redirected')]);
    await fetch(posted.headers.get('location')!, { method: 'POST', body: '{}' });
    expect(provider.strays).toHaveLength(1);
  });

  test('tells those who wait that it was closed', async () => {
    const provider = await open();
    const failed = expect(provider.requested(1)).rejects.toThrow('closed');
    await provider.close();
    await failed;
  });

  const countPath = countPaths[family];
  if (countPath === undefined) return;
  describe('counting', () => {
    const asked = { ...smallest[family] };
    for (const key of ['max_tokens', 'max_output_tokens', 'store', 'include']) delete asked[key];
    const body = family === 'google' ? { generateContentRequest: { model: 'models/gemini', ...asked } } : asked;
    const count = async (provider: Provider, given: unknown = body) => {
      const posted = await post(provider, countPath, given, legalHeaders[family]);
      return [posted.status, posted.body.input_tokens ?? posted.body.totalTokens];
    };

    test('says a number, or a quarter of the bytes, apart from other requests', async () => {
      expect(await count(await open(undefined, { countTokens: 1_234 }))).toEqual([200, 1_234]);
      const provider = await open();
      const long = JSON.parse(JSON.stringify(body).replace('Hello', '水'.repeat(100)));
      expect(await count(provider, long)).toEqual([200, Math.ceil(Buffer.byteLength(JSON.stringify(long)) / 4)]);
      await provider.counted(1);
      expect([provider.counts.length, provider.requests.length]).toEqual([1, 0]);
      expect(provider.counts[0]!.asked.user).toEqual(['水'.repeat(100)]);
    });

    test('fails where it is to fail', async () => {
      expect(await count(await open(undefined, { countTokens: 'missing' }))).toEqual([404, undefined]);
      expect(await count(await open(undefined, { countTokens: { error: { status: 503 } } }))).toEqual([503, undefined]);
    });

    test('is as strict as the request that it counts, and takes no limit of tokens beside it', async () => {
      const provider = await open();
      expect(await count(provider, JSON.stringify(body).replace('Hello', ''))).toEqual([400, undefined]);
      const limited = family === 'google' ? { ...body, generationConfig: {} } : { ...asked, max_output_tokens: 16 };
      expect(await count(provider, limited)).toEqual([400, undefined]);
      expect(provider.refusals.at(-1)).toMatch(/unknown parameter/);
    });
  });
});

test('a gateway takes fields that it does not know, and leaves out what it does not need', async () => {
  const provider = await startProvider('compatible', { text: 'ok', reasoning: 'Hm.' }, { gateway: true });
  opened.push(provider);
  const body = { ...smallest.compatible, reasoning_split: true };
  const posted = await post(provider, paths.compatible, body, legalHeaders.compatible);
  expect(posted).toMatchObject({ status: 200, body: { choices: [{ message: { reasoning_content: 'Hm.' } }] } });
  expect(Object.keys(posted.body)).toEqual(['choices', 'usage']);
  expect(posted.body.choices[0].message.content).toEqual([{ type: 'text', text: 'ok' }]);
  const strict = await startProvider('compatible', { text: 'ok' });
  opened.push(strict);
  expect((await post(strict, paths.compatible, body, legalHeaders.compatible)).status).toBe(400);
});
