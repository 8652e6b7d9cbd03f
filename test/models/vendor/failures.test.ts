/** What comes out when something goes wrong: the class, the wait, and nothing of the key or the prompt. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { inspect } from 'node:util';
import type { TributaryError } from '../../../src/contract/failure.ts';
import { failureCodes, isRetryable, type FailureCode } from '../../../src/contract/failure.ts';
import { vendors, type Vendor } from '../../../src/models/vendor/vendor.ts';
import { maxBodyBytes } from '../../../src/models/vendor/wire/read-body.ts';
import {
  call,
  hello,
  key,
  modelAt,
  plainUsage,
  startServer,
  toAnswer,
  toRequest,
  type Answer,
  type Server,
} from './vendor-world.ts';

let server: Server | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const prompt = 'the-secret-question';
const request = toRequest([...hello, { role: 'user', text: prompt }]);

async function failureOf(
  vendor: Vendor,
  answer: Answer,
  rest: Parameters<typeof modelAt>[2] = {},
): Promise<TributaryError> {
  server = await startServer(answer);
  let requests = 0;
  const error = await call(modelAt(vendor, server.url, rest), request, () => (requests += 1)).then(
    () => {
      throw new Error('it answered');
    },
    (thrown: unknown) => thrown as TributaryError,
  );
  expect(server.requests).toHaveLength(1);
  expect(requests).toBe(1);
  // As every logger and every codec could see it, hidden properties and causes included.
  const seen = inspect(error, { depth: 20, showHidden: true }) + String((error as Error).stack) + JSON.stringify(error);
  expect(seen).not.toContain('SECRET');
  expect(seen).not.toContain(prompt);
  expect(error.cause).toBe(undefined);
  expect(failureCodes).toContain(error.code);
  return error;
}

/** An error in the vendor's shape, in which the prose quotes key and prompt as some do. */
function errorBody(vendor: Vendor, word: string, prose = 'Something'): unknown {
  const message = `${prose}. You sent ${key} and "${prompt}".`;
  switch (vendor) {
    case 'anthropic':
      return { type: 'error', error: { type: word, message } };
    case 'google':
      return { error: { code: 400, status: word, message } };
    default:
      return { error: { message, type: word, param: null, code: word } };
  }
}

describe('every class of error', () => {
  const cases: [number, Vendor | 'all', string, string, FailureCode][] = [
    [401, 'all', 'invalid_api_key', 'Incorrect API key', 'MODEL_AUTH'],
    [403, 'all', 'permission_denied', 'No access', 'MODEL_AUTH'],
    [400, 'all', 'invalid_request_error', 'Bad field', 'MODEL_BAD_REQUEST'],
    [404, 'all', 'model_not_found', 'No such model', 'MODEL_BAD_REQUEST'],
    [422, 'all', 'invalid_request_error', 'Bad field', 'MODEL_BAD_REQUEST'],
    [413, 'all', 'request_too_large', 'Too large', 'MODEL_CONTEXT'],
    [429, 'all', 'rate_limit_exceeded', 'Slow down', 'MODEL_RATE_LIMIT'],
    [402, 'all', 'payment_required', 'Pay', 'MODEL_QUOTA'],
    [503, 'all', 'unavailable', 'Later', 'MODEL_OVERLOADED'],
    [529, 'all', 'overloaded_error', 'Later', 'MODEL_OVERLOADED'],
    [500, 'all', 'api_error', 'Oops', 'MODEL_SERVER'],
    [502, 'all', 'bad_gateway', 'Oops', 'MODEL_SERVER'],
    [504, 'all', 'timeout', 'Oops', 'MODEL_SERVER'],
    [408, 'all', 'timeout', 'Oops', 'MODEL_SERVER'],
    [409, 'all', 'conflict', 'Oops', 'MODEL_SERVER'],
    [429, 'openai', 'insufficient_quota', 'You exceeded your current quota', 'MODEL_QUOTA'],
    [429, 'openai-chat', 'insufficient_quota', 'You exceeded your current quota', 'MODEL_QUOTA'],
    [429, 'compatible', 'insufficient_quota', 'Quota', 'MODEL_QUOTA'],
    [400, 'anthropic', 'invalid_request_error', 'Your credit balance is too low to access the API', 'MODEL_QUOTA'],
    [403, 'anthropic', 'billing_error', 'Billing', 'MODEL_QUOTA'],
    [
      429,
      'google',
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details',
      'MODEL_RATE_LIMIT',
    ],
    [400, 'openai', 'context_length_exceeded', 'Your input exceeds the context window of this model', 'MODEL_CONTEXT'],
    [
      400,
      'openai-chat',
      'invalid_request_error',
      "This model's maximum context length is 8192 tokens",
      'MODEL_CONTEXT',
    ],
    [400, 'anthropic', 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum', 'MODEL_CONTEXT'],
    [
      400,
      'anthropic',
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000',
      'MODEL_CONTEXT',
    ],
    [
      400,
      'google',
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)',
      'MODEL_CONTEXT',
    ],
    [400, 'compatible', 'exceed_context_size_error', 'the request exceeds the available context size', 'MODEL_CONTEXT'],
  ];
  const rows = cases.flatMap(([status, vendor, ...rest]) =>
    (vendor === 'all' ? vendors : [vendor]).map((each) => [each, status, ...rest] as const),
  );
  test.each(rows)('%s: %s %s (%s) is %s', async (vendor, status, word, prose, code) => {
    const error = await failureOf(vendor, { status, json: errorBody(vendor, word, prose) });
    expect(error.code).toBe(code);
    expect(error.message).toContain(String(status));
    expect(error.message).toContain(word);
    expect(error.message).not.toContain(prose);
  });

  test.each(vendors)('%s: an error without a body, and one in HTML, are classed by their status', async (vendor) => {
    expect((await failureOf(vendor, { status: 503, text: '' })).code).toBe('MODEL_OVERLOADED');
    await server!.close();
    expect((await failureOf(vendor, { status: 401, text: `<html>${key}</html>` })).code).toBe('MODEL_AUTH');
  });

  test.each(vendors)('%s: what passes for an answer and is none', async (vendor) => {
    const wrong: Answer[] = [
      { text: `<html>${key}</html>`, headers: { 'content-type': 'text/html' } },
      { text: '' },
      { text: '{"cut' },
      { json: 'hello' },
      { json: null },
      { json: { error: { message: key, type: 'server_error', code: 500 } } },
      { json: { error: key } },
      ...(vendor === 'google'
        ? [{ json: { candidates: 7 } }]
        : [{ json: {} }, { json: { choices: [], output: 7, content: 7 } }]),
    ];
    for (const answer of wrong) {
      expect((await failureOf(vendor, answer)).code).toBe('MODEL_BAD_RESPONSE');
      await server!.close();
    }
  });

  test('openai: a Response that failed is no answer', async () => {
    const failed = {
      id: 'r',
      created_at: 1,
      model: 'm',
      status: 'failed',
      error: { code: 'server_error', message: key },
      output: [],
    };
    expect((await failureOf('openai', { json: failed })).code).toBe('MODEL_BAD_RESPONSE');
  });

  test('google: the quota of a day is final, and a wrong key comes as 400', async () => {
    const details = [{ violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] }];
    const perDay = await failureOf('google', {
      status: 429,
      json: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x', details } },
    });
    expect(perDay.code).toBe('MODEL_QUOTA');
    await server!.close();
    const invalid = {
      error: { code: 400, status: 'INVALID_ARGUMENT', message: 'x', details: [{ reason: 'API_KEY_INVALID' }] },
    };
    expect((await failureOf('google', { status: 400, json: invalid })).code).toBe('MODEL_AUTH');
  });

  test('a refused key names the variable, an unknown model its name', async () => {
    expect(
      (await failureOf('anthropic', { status: 401, json: errorBody('anthropic', 'authentication_error') })).message,
    ).toContain('ANTHROPIC_API_KEY');
    await server!.close();
    expect(
      (await failureOf('openai', { status: 404, json: errorBody('openai', 'model_not_found') })).message,
    ).toContain('gpt-5.2');
  });

  test('a code that holds part of the key is not shown', async () => {
    for (const word of ['SECRET', 'sk_test_secret', 'x.SECRE', 'Secr']) {
      const { message } = await failureOf('openai', {
        status: 400,
        json: { error: { message: '', type: word, code: word } },
      });
      expect(message.toLowerCase()).not.toContain('secr');
      await server!.close();
    }
  });

  test('the provider may say that a repeat is useless, and when one is not', async () => {
    const error = await failureOf('openai', {
      status: 503,
      headers: { 'x-should-retry': 'false', 'retry-after': '7' },
      json: {},
    });
    expect([error.code, error.final, error.retryAfterMs, isRetryable(error.code)]).toEqual([
      'MODEL_OVERLOADED',
      true,
      7_000,
      true,
    ]);
    await server!.close();
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' }];
    const limited = await failureOf('google', {
      status: 429,
      json: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x', details } },
    });
    expect([limited.code, limited.final, limited.retryAfterMs]).toEqual(['MODEL_RATE_LIMIT', undefined, 37_000]);
  });

  test('a date in Retry-After is measured by the clock that was given where the answer has none', async () => {
    const nowMs = Date.UTC(2026, 10, 30, 12);
    const answer: Answer = (response) => {
      response.sendDate = false;
      response.writeHead(429, { 'retry-after': new Date(nowMs + 30_000).toUTCString() });
      response.end('{}');
    };
    expect((await failureOf('anthropic', answer, { now: () => nowMs })).retryAfterMs).toBe(30_000);
  });
});

describe.each(vendors)('%s', (vendor) => {
  test('a redirect is refused and not followed', async () => {
    const target = await startServer({ json: toAnswer(vendor, { text: 'x', usage: plainUsage(vendor) }) });
    for (const status of [301, 302, 303, 307, 308]) {
      const error = await failureOf(vendor, {
        status,
        headers: { location: `${target.url}/v1/x?key=${key}` },
        json: {},
      });
      expect(error.code).toBe('MODEL_BAD_REQUEST');
      expect(error.message).toContain('redirect');
      await server!.close();
    }
    expect(target.requests).toHaveLength(0);
    await target.close();
  });

  test('a connection that is reset, or cut in the middle of the body, is a failure of the network', async () => {
    const reset = await failureOf(vendor, (response) => response.socket!.resetAndDestroy());
    expect(reset.code).toBe('MODEL_NETWORK');
    await server!.close();
    const cut = await failureOf(vendor, (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":', () => response.socket!.destroy());
    });
    expect(cut.code).toBe('MODEL_NETWORK');
  });

  test('nobody listening is a failure of the network that names the address', async () => {
    const gone = await startServer({ json: {} });
    await gone.close();
    const error = await call(modelAt(vendor, gone.url), request).catch((thrown: unknown) => thrown as TributaryError);
    expect(error).toMatchObject({ code: 'MODEL_NETWORK' });
    expect((error as TributaryError).cause).toBe(undefined);
    expect((error as TributaryError).message).toContain('ECONNREFUSED');
    expect((error as TributaryError).message).toContain('127.0.0.1');
  });

  test('an endless body is given up', async () => {
    let written = 0;
    const error = await failureOf(vendor, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1_048_576, ' ');
      const more = () => {
        if (response.destroyed) return;
        written += chunk.length;
        response.write(chunk, () => setImmediate(more));
      };
      more();
    });
    expect(error.code).toBe('MODEL_BAD_RESPONSE');
    await server!.requests[0]!.aborted;
    expect(written).toBeGreaterThan(maxBodyBytes);
  });

  test.each(['before the headers', 'in the middle of the body'])(
    'an abort %s closes the socket and rejects with its reason',
    async (where) => {
      server = await startServer((response) => {
        if (where === 'before the headers') return;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"id":');
      });
      const controller = new AbortController();
      const reason = new Error('cancelled by the test');
      const calling = modelAt(vendor, server.url).call(request, { signal: controller.signal, onRequest: () => {} });
      const recorded = await server.requested(1);
      controller.abort(reason);
      await expect(calling).rejects.toBe(reason);
      await recorded.aborted;
    },
  );

  test('nothing is sent once the signal has fired, without a key, or when no more may be sent', async () => {
    server = await startServer({ json: {} });
    const reason = new Error('too late');
    const model = modelAt(vendor, server.url);
    let asked = 0;
    await expect(
      model.call(request, { signal: AbortSignal.abort(reason), onRequest: () => (asked += 1) }),
    ).rejects.toBe(reason);
    expect(asked).toBe(0);
    for (const apiKey of [...(vendor === 'compatible' ? [] : [null]), '', `${key}\n`, 'ключ']) {
      const error = await call(modelAt(vendor, server.url, { apiKey }), request).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'MODEL_AUTH' });
      expect(inspect(error)).not.toContain('SECRET');
    }
    const cap = new Error('no more requests');
    const refuse = () => {
      throw cap;
    };
    await expect(call(model, request, refuse)).rejects.toBe(cap);
    expect(server.requests).toHaveLength(0);
  });
});

describe('requests that a package makes by itself', () => {
  const hop = {
    candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'CONTINUATION', continuationToken: 'T' }],
    usageMetadata: plainUsage('google'),
  };

  test('each is asked for, and what refuses one comes out unchanged', async () => {
    server = await startServer({ json: hop });
    const cap = new Error('no more requests');
    let asked = 0;
    const upToThree = () => {
      asked += 1;
      if (asked > 3) throw cap;
    };
    await expect(call(modelAt('google', server.url), request, upToThree)).rejects.toBe(cap);
    expect([asked, server.requests.length]).toEqual([4, 3]);
  });

  test('their counts are added up', async () => {
    server = await startServer(
      { json: hop },
      { json: hop },
      { json: toAnswer('google', { text: 'b', usage: plainUsage('google') }) },
    );
    expect(await call(modelAt('google', server.url), request)).toMatchObject({
      text: 'aab',
      finish: 'stop',
      usage: { inputTokens: 300, outputTokens: 60 },
    });
  });
});
