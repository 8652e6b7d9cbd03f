/** Counting by the vendors' endpoints: the same body, no request of the call, and no trouble when it fails. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { vendors } from '../../../src/models/vendor/vendor.ts';
import { call, hello, modelAt, plainUsage, startServer, toAnswer, toRequest, type Server } from './vendor-world.ts';

let server: Server | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const counting = ['openai', 'anthropic', 'google'] as const;
const options = () => ({ signal: new AbortController().signal });
const paths = {
  openai: '/v1/responses/input_tokens',
  anthropic: '/v1/messages/count_tokens',
  google: '/v1beta/models/gemini-3-pro-preview:countTokens',
};

describe.each(counting)('%s', (vendor) => {
  test('counts the very body that a call sends', async () => {
    server = await startServer(
      { json: { input_tokens: 1_234, totalTokens: 1_234 } },
      { json: toAnswer(vendor, { text: 'x', usage: plainUsage(vendor) }) },
    );
    const model = modelAt(vendor, server.url);
    const request = toRequest(hello, { parallelToolCalls: false });
    expect(await model.countTokens(request, options())).toBe(1_234);
    await call(model, request);
    const [counted, sent] = server.requests;
    expect(counted!.path).toBe(paths[vendor]);
    const body = vendor === 'google' ? counted!.body.generateContentRequest : counted!.body;
    const { model: named, ...rest } = body;
    expect(sent!.body).toMatchObject(rest);
    expect(named).toContain(vendor === 'google' ? 'models/gemini-3' : sent!.body.model);
    expect(JSON.stringify(body)).toContain('search');
    expect(JSON.stringify(body)).not.toMatch(/max_tokens|max_output_tokens|store/);
    for (const header of ['authorization', 'x-api-key', 'x-goog-api-key'])
      expect(counted!.headers[header]).toBe(sent!.headers[header]);
  });

  test('an endpoint that is missing, fails or says nothing usable gives no number', async () => {
    for (const answer of [
      { status: 404, json: {} },
      { status: 500, text: '' },
      { text: '<html>' },
      { json: {} },
      { json: { input_tokens: 0, totalTokens: -1 } },
      { json: { input_tokens: '5', totalTokens: '5' } },
      { status: 307, headers: { location: '/' }, json: {} },
    ]) {
      server = await startServer(answer);
      expect(await modelAt(vendor, server.url).countTokens(toRequest(hello), options())).toBe(null);
      await server.close();
    }
    expect(await modelAt(vendor, server!.url).countTokens(toRequest(hello), options())).toBe(null);
  });

  test('an abort rejects with its reason and closes the socket', async () => {
    server = await startServer(() => {});
    const controller = new AbortController();
    const reason = new Error('stop');
    const counting = modelAt(vendor, server.url).countTokens(toRequest(hello), { signal: controller.signal });
    const recorded = await server.requested(1);
    controller.abort(reason);
    await expect(counting).rejects.toBe(reason);
    await recorded.aborted;
  });
});

test.each(vendors.filter((vendor) => !counting.some((each) => each === vendor)))(
  '%s has no endpoint, and nothing is sent',
  async (vendor) => {
    server = await startServer({ json: {} });
    expect(await modelAt(vendor, server.url).countTokens(toRequest(hello), options())).toBe(null);
    expect(server.requests).toHaveLength(0);
  },
);
