/** One suite over all families of models, against servers as strict as the vendors' documentation (PROVIDERS, CASES 1 to 5, 8, 9). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { FailureCode } from '../../src/contract/failure.ts';
import type { FinishReason } from '../../src/contract/model.ts';
import type { ModelStepResult } from '../../src/contract/steps.ts';
import type { ToolResult, TranscriptHead } from '../../src/contract/transcript.ts';
import type { Model, ModelRequest } from '../../src/models/model.ts';
import { createVendorModel } from '../../src/models/vendor/create-vendor-model.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { createWorld, memoryStore, modelStep, runOnce } from '../activities/activity-world.ts';
import type { Answer, Json, Stop, Turn, UsageShape } from '../support/providers/provider-api.ts';
import {
  families,
  modelIds,
  providerKey,
  startProvider,
  type Family,
  type Provider,
} from '../support/providers/start-provider.ts';

const opened: Provider[] = [];
afterAll(() => Promise.all(opened.map((provider) => provider.close())));

const search = defineTool({
  name: 'search',
  description: 'Searches.',
  effect: 'read',
  input: z.object({
    query: z.string(),
    limit: z.number().int().positive().optional(),
    note: z.string().nullable().optional(),
  }),
  run: async () => ({ text: 'hits' }),
});
/** A name that no vendor takes, and a schema that not every vendor can be told. */
const odd = defineTool({
  name: 'calendar.list/all',
  description: 'Lists.',
  effect: 'read',
  portable: false,
  input: z.object({
    kind: z.literal('day'),
    by: z.discriminatedUnion('unit', [
      z.object({ unit: z.literal('h'), hours: z.number().positive() }),
      z.object({ unit: z.literal('d'), days: z.number().positive() }),
    ]),
    tags: z.record(z.string(), z.string()).optional(),
    pair: z.tuple([z.string(), z.number()]).optional(),
  }),
  run: async () => ({ text: 'days' }),
});
const tools = [search, odd];
const descriptions = tools.map(({ description }) => description);

async function open(
  family: Family,
  reply: Parameters<typeof startProvider>[1],
  options: Parameters<typeof startProvider>[2] = {},
) {
  const provider = await startProvider(family, reply, options);
  opened.push(provider);
  const model = createVendorModel({
    name: `${family}/test`,
    vendor: family,
    modelId: modelIds[family],
    baseUrl: provider.baseUrl,
    apiKey: providerKey,
    proxyFor: () => null,
  });
  return { provider, model };
}

const request = (parts: Partial<ModelRequest> = {}): ModelRequest => ({
  task: { kind: 'research', subagentId: 's1', question: 'Q', goal: 'G', turn: 1, handBack: false },
  messages: [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'Go.' },
  ],
  tools: descriptions,
  toolChoice: 'auto',
  parallelToolCalls: true,
  maxOutputTokens: 500,
  ...parts,
});
const quiet = () => ({ signal: new AbortController().signal, onRequest: () => undefined });
const ask = async (family: Family, answer: Answer, parts?: Partial<ModelRequest>) => {
  const { model, provider } = await open(family, answer);
  return { provider, reply: await model.call(request(parts), quiet()) };
};

type Reply = Extract<ModelStepResult, { kind: 'reply' }>;

/** A subagent's turns over one transcript, as the activities make them. `resultsOf`: the answers to the calls of a turn. */
async function converse(
  model: Model,
  resultsOf: readonly ((callIds: readonly string[], names: readonly string[]) => ToolResult[])[],
  options: { parallelToolCalls?: boolean; handBackAtEnd?: boolean } = {},
): Promise<Reply[]> {
  const store = memoryStore();
  const { activities } = createWorld({ model, tools, store });
  const replies: Reply[] = [];
  let head: TranscriptHead | null = null;
  let results: ToolResult[] = [];
  for (let turn = 1; turn <= resultsOf.length + 1; turn++) {
    const isLast = turn === resultsOf.length + 1;
    const reply: ModelStepResult = await runOnce(
      activities.callModelActivity,
      modelStep({
        turn,
        head,
        results,
        tools: descriptions,
        maxSpendTokens: 1_000_000,
        parallelToolCalls: options.parallelToolCalls ?? true,
        ...(isLast && options.handBackAtEnd && { handBack: 'budget' as const }),
      }),
    );
    if (reply.kind !== 'reply') throw new Error('it does not fit');
    replies.push(reply);
    head = reply.head;
    results =
      resultsOf[turn - 1]?.(
        reply.calls.map(({ callId }) => callId),
        reply.calls.map(({ name }) => name),
      ) ?? [];
  }
  return replies;
}

const answerAll =
  (...texts: readonly (string | { error: string })[]) =>
  (callIds: readonly string[], names: readonly string[]): ToolResult[] =>
    callIds.map((callId, index) => {
      const text = texts[index % texts.length]!;
      return typeof text === 'string'
        ? { callId, name: names[index]!, isError: false, content: { text } }
        : { callId, name: names[index]!, isError: true, content: { text: text.error } };
    });

const calls = (count: number, id?: (index: number) => string | null): NonNullable<Turn['calls']> =>
  Array.from({ length: count }, (_, index) => ({
    name: 'search',
    arguments: { query: `q${index}` },
    ...(id && { id: id(index) }),
  }));
const report = JSON.stringify({ summary: 'Done.', claims: [], tried: [], failed: [] });

describe.each(families)('%s', (family) => {
  describe('parallel calls', () => {
    const switchOf: Record<Family, (body: Json) => unknown> = {
      openai: (body) => body.parallel_tool_calls,
      'openai-chat': (body) => body.parallel_tool_calls,
      compatible: (body) => body.parallel_tool_calls,
      anthropic: (body) => body.tool_choice.disable_parallel_tool_use,
      google: () => undefined,
    };
    const off: Record<Family, unknown> = {
      openai: false,
      'openai-chat': false,
      compatible: false,
      anthropic: true,
      google: undefined,
    };

    test.each([true, false])(
      'switched on = %s: the vendor’s own switch, where it has one',
      async (parallelToolCalls) => {
        const { provider } = await ask(family, { text: 'ok' }, { parallelToolCalls });
        const { body } = provider.requests[0]!;
        expect(switchOf[family](body)).toBe(parallelToolCalls ? undefined : off[family]);
        expect(provider.refusals).toEqual([]);
      },
    );

    test.each([true, false])(
      'on = %s: three turns of several calls, one of them failed, with signatures, make legal requests throughout',
      async (parallelToolCalls) => {
        const { model, provider } = await open(family, [
          { text: 'First.', signed: true, calls: calls(3) },
          { text: '', signed: true, calls: calls(2) },
          { text: 'Third.', signed: true, calls: calls(1) },
          { text: report },
        ]);
        const error = { error: 'The tool did not respond within 30 seconds.' };
        const replies = await converse(
          model,
          [
            answerAll('one', error, '(the tool succeeded and returned no output)'),
            answerAll('$ref', '{"$ref": "#"}'),
            answerAll(error),
          ],
          { parallelToolCalls },
        );
        expect(provider.refusals).toEqual([]);
        expect(replies.map((each) => each.calls.length)).toEqual([3, 2, 1, 0]);
        expect(replies[0]!.calls.map(({ callId }) => callId)).toEqual(['t1c1', 't1c2', 't1c3']);
        const last = provider.requests.at(-1)!.asked;
        expect(last.turns).toBe(3);
        expect(last.results).toHaveLength(6);
        expect(last.results[1]).toContain('did not respond within 30 seconds');
      },
    );

    test('the same conversation makes the same bytes, however often', async () => {
      const script: Turn[] = [{ text: 'a', signed: true, calls: calls(2) }, { text: report }];
      const bodies = await Promise.all(
        [1, 2, 3].map(async () => {
          const { model, provider } = await open(family, script);
          await converse(model, [answerAll('x', { error: 'y' })]);
          return provider.requests[1]!.raw;
        }),
      );
      expect(new Set(bodies).size).toBe(1);
    });
  });

  describe('calls in every form', () => {
    test.each([
      ['without ids', (): null => null],
      ['with equal ids', (): string => 'same'],
      ['with empty ids', (): string => ''],
    ] as const)('%s are told apart, and answered each', async (_, id) => {
      const { model, provider } = await open(family, [{ calls: calls(3, id) }, { text: report }]);
      const [first] = await converse(model, [answerAll('1', '2', '3')]);
      expect(first!.calls.map(({ callId }) => callId)).toEqual(['t1c1', 't1c2', 't1c3']);
      expect(provider.refusals).toEqual([]);
      expect(provider.requests[1]!.asked.results).toHaveLength(3);
    });

    test('unknown names, names of other characters and bad arguments never make the next request illegal', async () => {
      const { model, provider } = await open(family, [
        {
          calls: [
            { name: 'multi_tool_use.parallel', arguments: { query: 'x' } },
            { name: 'serch', arguments: {} },
            { name: 'search', arguments: family === 'anthropic' || family === 'google' ? {} : '{"query": "x"' },
            { name: 'search', arguments: family === 'anthropic' || family === 'google' ? { query: 5 } : '[1]' },
            { name: 'search', arguments: { query: 'ok', limit: null } },
          ],
        },
        { text: report },
      ]);
      const [first] = await converse(model, [answerAll({ error: 'no' })]);
      expect(first!.calls.map(({ problem }) => problem !== undefined)).toEqual([true, true, true, true, false]);
      expect(provider.refusals).toEqual([]);
    });

    test('a tool with a name that the vendor refuses is told of under another, and called by its own', async () => {
      const { model, provider } = await open(family, ({ asked }, index) =>
        index === 0
          ? { calls: [{ name: asked.tools[1]!, arguments: { kind: 'day', by: { unit: 'h', hours: 2 } } }] }
          : { text: report },
      );
      const [first] = await converse(model, [answerAll('ok')]);
      expect(first!.calls).toMatchObject([{ name: 'calendar.list/all' }]);
      expect(first!.calls[0]!.problem).toBeUndefined();
      expect(provider.refusals).toEqual([]);
      expect(provider.requests[0]!.asked.tools[1]).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    });

    test('half a surrogate pair in a result or an argument never leaves', async () => {
      const { model, provider } = await open(family, [
        { calls: [{ name: 'search', arguments: { query: 'a\ud83d' } }] },
        { text: report },
      ]);
      await converse(model, [answerAll('cut \ud83d')]);
      expect(provider.refusals).toEqual([]);
      expect(provider.requests).toHaveLength(2);
    });

    test('a hand-back after calls names the tools and lets none be called', async () => {
      const { model, provider } = await open(family, [{ signed: true, calls: calls(2) }, { text: report }]);
      await converse(model, [answerAll('x')], { handBackAtEnd: true });
      expect(provider.refusals).toEqual([]);
      expect(provider.requests[1]!.asked.mayCall).toBe(false);
    });

    test('calls that come with the word "stop" are calls', async () => {
      const { reply } = await ask(family, { calls: calls(1), stop: 'stop' });
      expect(reply).toMatchObject({ finish: 'tool-calls', toolCalls: [{ name: 'search' }] });
    });

    test('calls of a reply that was cut are marked so', async () => {
      const { reply } = await ask(family, { calls: calls(2), stop: 'length' });
      expect(reply.finish).toBe('length');
    });

    test('an empty answer is empty, and no error', async () => {
      const { reply } = await ask(family, { text: '' });
      expect(reply).toMatchObject({ text: '', toolCalls: [], finish: 'stop' });
    });
  });

  describe('stop states', () => {
    const openAi = { refusal: 'refusal', 'content-filter': 'content-filter' } as const;
    const expected: Record<Family, Partial<Record<Stop, FinishReason>>> = {
      openai: openAi,
      'openai-chat': openAi,
      compatible: { 'content-filter': 'content-filter' },
      anthropic: { refusal: 'refusal', pause: 'pause', 'context-exceeded': 'context-exceeded' },
      google: {
        'content-filter': 'content-filter',
        'malformed-call': 'malformed-call',
        'blocked-prompt': 'content-filter',
      },
    };
    const all = { stop: 'stop', length: 'length', invented: 'unknown', ...expected[family] } as const;

    test.each(Object.entries(all) as [Stop, FinishReason][])(
      '%s is %s, paid for, with the vendor’s word',
      async (stop, finish) => {
        const { reply } = await ask(family, { text: stop === 'malformed-call' ? '' : 'Some text.', stop });
        expect(reply).toMatchObject({ finish, usage: { inputTokens: 100, outputTokens: 20 } });
        expect(reply.rawFinish).toEqual(expect.stringMatching(/./));
      },
    );
  });

  describe('usage', () => {
    test.each([
      ['plain', { input: 100, output: 30 }, { inputTokens: 100, outputTokens: 30 }],
      [
        'with a cache',
        { input: 100, output: 30, cacheRead: 40 },
        { inputTokens: 100, outputTokens: 30, cacheReadTokens: 40 },
      ],
      ['with reasoning', { input: 20, output: 533, reasoning: 382 }, { inputTokens: 20, outputTokens: 533 }],
    ] as const)('%s', async (_, usage, counted) => {
      const { reply } = await ask(family, { text: 'ok', usage });
      expect(reply.usage).toMatchObject(counted);
    });

    test.each(['missing', 'null', 'zeros', 'negative', 'strings'] as const satisfies readonly UsageShape[])(
      'B42 · %s: the answer survives, and what it cost counts as not stated',
      async (usage) => {
        const { reply } = await ask(family, { text: 'ok', usage });
        expect(reply).toMatchObject({ text: 'ok', usage: null });
      },
    );
  });

  describe('errors', () => {
    const failing = async (answer: Answer) => {
      const { model, provider } = await open(family, answer);
      const error = await model.call(request(), quiet()).then(
        () => null,
        (reason: unknown) =>
          reason as { code: FailureCode; message: string; retryAfterMs?: number; final?: boolean; cause?: unknown },
      );
      return { error: error!, provider };
    };

    test.each([
      [400, 'MODEL_BAD_REQUEST'],
      [401, 'MODEL_AUTH'],
      [403, 'MODEL_AUTH'],
      [404, 'MODEL_BAD_REQUEST'],
      [408, 'MODEL_SERVER'],
      [409, 'MODEL_SERVER'],
      [413, 'MODEL_CONTEXT'],
      [422, 'MODEL_BAD_REQUEST'],
      [429, 'MODEL_RATE_LIMIT'],
      [500, 'MODEL_SERVER'],
      [502, 'MODEL_SERVER'],
      [503, 'MODEL_OVERLOADED'],
      [504, 'MODEL_SERVER'],
      [529, 'MODEL_OVERLOADED'],
    ] as const)('%i is %s, in one request, without the key or the prompt', async (status, code) => {
      const { error, provider } = await failing({
        error: { status, message: `Go. The key ${providerKey} and the words Be brief.` },
      });
      expect(error.code).toBe(code);
      expect(provider.requests).toHaveLength(1);
      expect(`${error.message} ${JSON.stringify(error)}`).not.toMatch(/SECRET|Be brief/);
      expect(error.cause).toBeUndefined();
    });

    test('an empty purse is told from a rate limit', async () => {
      const quota: Record<Family, Answer> = {
        openai: { error: { status: 429, code: 'insufficient_quota' } },
        'openai-chat': { error: { status: 429, code: 'insufficient_quota' } },
        compatible: { error: { status: 429, code: 'insufficient_quota' } },
        anthropic: {
          error: {
            status: 400,
            code: 'invalid_request_error',
            message: 'Your credit balance is too low to access the API.',
          },
        },
        google: {
          error: {
            status: 429,
            body: JSON.stringify({
              error: {
                code: 429,
                status: 'RESOURCE_EXHAUSTED',
                message: 'Quota exceeded.',
                details: [
                  {
                    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
                    violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }],
                  },
                ],
              },
            }),
          },
        },
      };
      expect((await failing(quota[family])).error.code).toBe('MODEL_QUOTA');
    });

    test('a prompt that is too long is no bad request', async () => {
      const message: Record<Family, string> = {
        openai: 'Your input exceeds the context window of this model.',
        'openai-chat': "This model's maximum context length is 8192 tokens.",
        compatible: 'the request exceeds the available context size',
        anthropic: 'prompt is too long: 210000 tokens > 200000 maximum',
        google: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
      };
      const { error } = await failing({
        error: { status: 400, code: 'invalid_request_error', message: message[family] },
      });
      expect(error.code).toBe('MODEL_CONTEXT');
    });

    test.each([
      [{ 'retry-after': '7' }, 7_000],
      [{ 'Retry-After': ' 7 ' }, 7_000],
      [{ 'retry-after': '0' }, 0],
      [{ 'retry-after-ms': '4321', 'retry-after': '9' }, 4_321],
      [{ 'retry-after': '-3' }, undefined],
      [{ 'retry-after': 'soon' }, undefined],
      [{ 'retry-after': '1e3' }, undefined],
      [{ 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '0' }, 360_000],
      [{ date: 'Tue, 01 Dec 2026 00:00:00 GMT', 'retry-after': 'Tue, 01 Dec 2026 00:00:30 GMT' }, 30_000],
    ] as const)('429 with %j asks for a wait of %s ms', async (headers, retryAfterMs) => {
      const { error } = await failing({ error: { status: 429, headers } });
      expect(error).toMatchObject({ code: 'MODEL_RATE_LIMIT' });
      expect(error.retryAfterMs).toBe(retryAfterMs);
    });

    test('a server that says that a repeat is pointless is believed', async () => {
      const { error } = await failing({ error: { status: 500, headers: { 'x-should-retry': 'false' } } });
      expect(error).toMatchObject({ code: 'MODEL_SERVER', final: true });
    });

    test.each([
      ['HTML', '<html>busy</html>'],
      ['an error under 200', '{"error": {"message": "no"}}'],
      ['another shape', '{"hello": 1}'],
      ['no choices', '{"choices": [], "candidates": 5, "output": 5, "content": 5}'],
    ])('200 with %s is a bad response, not an answer', async (_, body) => {
      const { error } = await failing({ error: { status: 200, body } });
      expect(error.code).toBe('MODEL_BAD_RESPONSE');
    });

    test.each(['reset', 'cut-body'] as const)('%s is a network failure', async (fault) => {
      const { error } = await failing({ fault });
      expect(error.code).toBe('MODEL_NETWORK');
    });

    test('a redirect is not followed', async () => {
      const { error, provider } = await failing({ fault: 'redirect' });
      expect(error).toMatchObject({ code: 'MODEL_BAD_REQUEST', message: expect.stringContaining('redirect') });
      expect(provider.requests).toHaveLength(1);
    });

    test('a key that is not accepted is an error of the key, and is not quoted', async () => {
      const { provider } = await open(family, { text: 'ok' });
      const model = createVendorModel({
        name: 'x',
        vendor: family,
        modelId: modelIds[family],
        baseUrl: provider.baseUrl,
        apiKey: 'sk-other-SECRET',
        proxyFor: () => null,
      });
      const failed = model.call(request(), quiet());
      await expect(failed).rejects.toMatchObject({
        code: 'MODEL_AUTH',
        message: expect.not.stringContaining('SECRET'),
      });
    });
  });

  describe('abort', () => {
    test.each(['hang-before-headers', 'hang-in-body'] as const)(
      '%s: the socket is closed, and the reason comes out',
      async (fault) => {
        const { model, provider } = await open(family, { fault });
        const controller = new AbortController();
        const reason = new Error('cancelled by the user');
        const calling = model.call(request(), { signal: controller.signal, onRequest: () => undefined });
        await provider.requested(1);
        controller.abort(reason);
        await expect(calling).rejects.toBe(reason);
        await provider.aborted(1);
        expect(provider.requests).toHaveLength(1);
      },
    );
  });

  describe('counting', () => {
    const hasEndpoint = !['openai-chat', 'compatible'].includes(family);

    test(hasEndpoint ? 'asks the vendor, with the very request' : 'has no endpoint', async () => {
      const { model, provider } = await open(family, { text: 'ok' }, { countTokens: 1_234 });
      expect(await model.countTokens(request(), quiet())).toBe(hasEndpoint ? 1_234 : null);
      expect(provider.requests).toEqual([]);
      expect(provider.counts).toHaveLength(hasEndpoint ? 1 : 0);
      expect(provider.refusals).toEqual([]);
    });

    test('that fails is no failure', async () => {
      const { model } = await open(family, { text: 'ok' }, { countTokens: 'missing' });
      expect(await model.countTokens(request(), quiet())).toBeNull();
    });
  });

  test('each request is counted before it leaves, and one that may not leave does not', async () => {
    const { model, provider } = await open(family, { text: 'ok' });
    let count = 0;
    await model.call(request(), { ...quiet(), onRequest: () => void (count += 1) });
    expect(count).toBe(1);
    const refuse = () => {
      throw new Error('no more');
    };
    await expect(model.call(request(), { ...quiet(), onRequest: refuse })).rejects.toThrow('no more');
    expect(provider.requests).toHaveLength(1);
  });
});
