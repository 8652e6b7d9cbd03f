/** What becomes of answers: counts, stop states, calls. */
import { afterEach, describe, expect, test } from '@jest/globals';
import type { FinishReason, ModelUsage } from '../../../src/contract/model.ts';
import { vendors, type Vendor } from '../../../src/models/vendor/vendor.ts';
import { call, hello, modelAt, plainUsage, startServer, toAnswer, toRequest, type Server } from './vendor-world.ts';

let server: Server | undefined;
afterEach(async () => server?.close());

async function replyTo(vendor: Vendor, json: unknown, request = toRequest(hello)) {
  server = await startServer({ json });
  return call(modelAt(vendor, server.url), request);
}

describe('usage', () => {
  const cases: [string, Vendor, unknown, ModelUsage | null][] = [
    [
      'B39 · caches are added to the input',
      'anthropic',
      { input_tokens: 10, cache_read_input_tokens: 1_000, cache_creation_input_tokens: 200, output_tokens: 5 },
      { inputTokens: 1_210, outputTokens: 5, cacheReadTokens: 1_000, cacheWriteTokens: 200 },
    ],
    [
      'B39 · caches are inside the input',
      'openai-chat',
      { prompt_tokens: 20_212, completion_tokens: 931, prompt_tokens_details: { cached_tokens: 16_298 } },
      { inputTokens: 20_212, outputTokens: 931, cacheReadTokens: 16_298 },
    ],
    [
      'B39 · caches are inside the input',
      'openai',
      { input_tokens: 20_212, output_tokens: 931, input_tokens_details: { cached_tokens: 16_298 } },
      { inputTokens: 20_212, outputTokens: 931, cacheReadTokens: 16_298 },
    ],
    [
      'B40 · thoughts are added to the output',
      'google',
      { promptTokenCount: 20, candidatesTokenCount: 151, thoughtsTokenCount: 382, totalTokenCount: 553 },
      { inputTokens: 20, outputTokens: 533, reasoningTokens: 382 },
    ],
    [
      'B40 · thoughts are added to the output',
      'google',
      { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 8, totalTokenCount: 23 },
      { inputTokens: 10, outputTokens: 13, reasoningTokens: 8 },
    ],
    [
      'B40 · tool use prompts are input',
      'google',
      {
        promptTokenCount: 100,
        candidatesTokenCount: 18,
        thoughtsTokenCount: 12,
        toolUsePromptTokenCount: 7,
        cachedContentTokenCount: 40,
        totalTokenCount: 137,
      },
      { inputTokens: 107, outputTokens: 30, cacheReadTokens: 40, reasoningTokens: 12 },
    ],
    [
      'B40 · reasoning is inside the output',
      'openai-chat',
      { prompt_tokens: 100, completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 40 } },
      { inputTokens: 100, outputTokens: 50, reasoningTokens: 40 },
    ],
    [
      'B40 · reasoning is inside the output',
      'compatible',
      { prompt_tokens: 100, completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 40 } },
      { inputTokens: 100, outputTokens: 50, reasoningTokens: 40 },
    ],
    [
      'thinking is inside the output',
      'anthropic',
      { input_tokens: 7, output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
      { inputTokens: 7, outputTokens: 9, reasoningTokens: 4 },
    ],
    [
      'what Gemini leaves out is 0',
      'google',
      { promptTokenCount: 20, thoughtsTokenCount: 30, totalTokenCount: 50 },
      { inputTokens: 20, outputTokens: 30, reasoningTokens: 30 },
    ],
    [
      'a cache larger than the input says nothing',
      'openai-chat',
      { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 9 } },
      { inputTokens: 5, outputTokens: 2 },
    ],
    ['the input alone is not enough', 'openai-chat', { prompt_tokens: 5 }, null],
    ['the input alone is not enough', 'google', { promptTokenCount: 5 }, null],
    ['the input alone is not enough', 'anthropic', { input_tokens: 5 }, null],
    ['negative counts are not believed', 'compatible', { prompt_tokens: -1, completion_tokens: 1e12 }, null],
    ['fractions are not believed', 'openai', { input_tokens: 1.5, output_tokens: 3 }, null],
    [
      'a negative cache is not believed',
      'anthropic',
      { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: -4 },
      null,
    ],
    [
      'a count of another kind is not believed',
      'google',
      { promptTokenCount: 5, candidatesTokenCount: '6', totalTokenCount: 11 },
      null,
    ],
  ];
  test.each(cases)('%s (%s)', async (_, vendor, usage, wanted) => {
    const reply = await replyTo(vendor, toAnswer(vendor, { text: 'Hi', usage }));
    expect(reply.usage).toEqual(wanted);
    expect(reply.text).toBe('Hi');
  });

  describe.each(vendors)('%s', (vendor) => {
    const names =
      vendor === 'google'
        ? ['promptTokenCount', 'candidatesTokenCount']
        : vendor === 'openai' || vendor === 'anthropic'
          ? ['input_tokens', 'output_tokens']
          : ['prompt_tokens', 'completion_tokens'];
    const shapes: [string, unknown][] = [
      ['missing', undefined],
      ['null', null],
      ['empty', {}],
      ['all zero', Object.fromEntries(names.map((name) => [name, 0]))],
      ['strings', Object.fromEntries(names.map((name) => [name, '12']))],
      ['a text', 'none'],
    ];
    test.each(shapes)('the answer survives a usage that is %s, and the usage is unknown', async (_, usage) => {
      const reply = await replyTo(vendor, toAnswer(vendor, { text: 'Hi', usage }));
      expect(reply).toMatchObject({ text: 'Hi', finish: 'stop', usage: null });
    });
  });
});

describe('stop states', () => {
  const cases: [Vendor, string | null | undefined, FinishReason][] = [
    ['openai', undefined, 'stop'],
    ['openai', 'max_output_tokens', 'length'],
    ['openai', 'content_filter', 'content-filter'],
    ['openai', 'brand_new_reason', 'unknown'],
    ['openai-chat', 'stop', 'stop'],
    ['openai-chat', 'length', 'length'],
    ['openai-chat', 'content_filter', 'content-filter'],
    ['openai-chat', null, 'unknown'],
    ['openai-chat', 'tool_calls', 'unknown'],
    ['compatible', 'stop', 'stop'],
    ['compatible', 'error', 'error'],
    ['compatible', 'brand_new_reason', 'unknown'],
    ['anthropic', 'end_turn', 'stop'],
    ['anthropic', 'stop_sequence', 'stop'],
    ['anthropic', 'max_tokens', 'length'],
    ['anthropic', 'refusal', 'refusal'],
    ['anthropic', 'pause_turn', 'pause'],
    ['anthropic', 'model_context_window_exceeded', 'context-exceeded'],
    ['anthropic', 'brand_new_reason', 'unknown'],
    ['anthropic', 'constructor', 'unknown'],
    ['google', 'STOP', 'stop'],
    ['google', 'MAX_TOKENS', 'length'],
    ['google', 'SAFETY', 'content-filter'],
    ['google', 'PROHIBITED_CONTENT', 'content-filter'],
    ['google', 'MALFORMED_FUNCTION_CALL', 'malformed-call'],
    ['google', 'UNEXPECTED_TOOL_CALL', 'malformed-call'],
    ['google', 'NO_IMAGE', 'unknown'],
    ['google', null, 'unknown'],
  ];
  test.each(cases)('%s: %s is %s', async (vendor, finish, wanted) => {
    const reply = await replyTo(vendor, toAnswer(vendor, { text: 'x', finish, usage: plainUsage(vendor) }));
    expect(reply.finish).toBe(wanted);
    expect(reply.rawFinish).toBe(finish === undefined ? 'completed' : (finish ?? undefined));
  });

  test('a Gemini candidate without content keeps its reason', async () => {
    const reply = await replyTo('google', {
      candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }],
      usageMetadata: plainUsage('google'),
    });
    expect(reply).toMatchObject({
      text: '',
      toolCalls: [],
      finish: 'malformed-call',
      rawFinish: 'MALFORMED_FUNCTION_CALL',
      usage: { inputTokens: 100 },
    });
  });

  test('a blocked prompt is filtered content with its reason', async () => {
    const reply = await replyTo('google', {
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    });
    expect(reply).toMatchObject({
      text: '',
      finish: 'content-filter',
      rawFinish: 'SAFETY',
      usage: { inputTokens: 9, outputTokens: 0 },
    });
  });

  test('no candidate and no reason is unknown', async () => {
    expect((await replyTo('google', { candidates: [] })).finish).toBe('unknown');
  });

  test.each(['openai-chat', 'compatible'] as const)(
    '%s: a refusal beside an ordinary stop is a refusal',
    async (vendor) => {
      const choices = [
        { index: 0, message: { role: 'assistant', content: null, refusal: 'I cannot.' }, finish_reason: 'stop' },
      ];
      expect(await replyTo(vendor, { choices, usage: plainUsage(vendor) })).toMatchObject({
        finish: 'refusal',
        rawFinish: 'stop',
      });
    },
  );

  test('openai: a refusal part of a completed response is a refusal', async () => {
    const output = [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }];
    expect(
      await replyTo('openai', {
        id: 'r',
        created_at: 1,
        model: 'm',
        status: 'completed',
        output,
        usage: plainUsage('openai'),
      }),
    ).toMatchObject({ finish: 'refusal' });
  });
});

describe('calls', () => {
  const calls = [
    { name: 'search', arguments: { query: 'a' } },
    { name: 'search', arguments: { query: 'b' } },
  ];

  test.each(vendors)('%s: several calls come in their order', async (vendor) => {
    const reply = await replyTo(vendor, toAnswer(vendor, { text: 'Looking', calls, usage: plainUsage(vendor) }));
    expect(reply.finish).toBe('tool-calls');
    expect(reply.toolCalls.map((each) => [each.name, JSON.parse(each.arguments as string)])).toEqual([
      ['search', { query: 'a' }],
      ['search', { query: 'b' }],
    ]);
    expect(reply).toMatchObject({ text: 'Looking', provider: { api: vendor } });
    expect(JSON.parse(JSON.stringify(reply.provider))).toEqual(reply.provider);
  });

  test.each([
    ['openai-chat', 'stop', 'tool-calls'],
    ['compatible', 'brand_new_reason', 'tool-calls'],
    ['google', 'UNEXPECTED_TOOL_CALL', 'tool-calls'],
    ['openai', 'max_output_tokens', 'length'],
    ['openai-chat', 'length', 'length'],
    ['anthropic', 'max_tokens', 'length'],
    ['google', 'MAX_TOKENS', 'length'],
    ['anthropic', 'refusal', 'refusal'],
    ['openai-chat', 'content_filter', 'content-filter'],
  ] as const)('%s: with calls, %s is %s', async (vendor, finish, wanted) => {
    const reply = await replyTo(vendor, toAnswer(vendor, { calls, finish, usage: plainUsage(vendor) }));
    expect(reply.finish).toBe(wanted);
    expect(reply.toolCalls).toHaveLength(2);
  });

  test.each(['openai-chat', 'compatible', 'openai'] as const)(
    '%s: arguments that are an object become their text',
    async (vendor) => {
      const answer = JSON.parse(
        JSON.stringify(toAnswer(vendor, { calls: calls.slice(0, 1), usage: plainUsage(vendor) })),
        (name, value) => (name === 'arguments' && typeof value === 'string' ? JSON.parse(value) : value),
      );
      expect((await replyTo(vendor, answer)).toolCalls).toEqual([{ name: 'search', arguments: '{"query":"a"}' }]);
    },
  );

  test.each(['openai-chat', 'compatible', 'openai'] as const)(
    '%s: the raw text of cut or empty arguments is kept',
    async (vendor) => {
      const cut = ['{"query":"Par', ''].map((text) => ({ name: 'search', arguments: text }));
      const reply = await replyTo(vendor, toAnswer(vendor, { calls: cut, usage: plainUsage(vendor) }));
      expect(reply.toolCalls.map((each) => each.arguments)).toEqual(['{"query":"Par', '']);
    },
  );

  test.each(vendors)('%s: names are mapped back, and one that nobody knows stays as it is', async (vendor) => {
    const tool = { ...toRequest(hello).tools[0]!, name: 'calendar.list' };
    const request = toRequest(hello, { tools: [tool] });
    server = await startServer((response, recorded) => {
      const wire = /"(calendar_list_\w+)"/.exec(recorded.raw)![1]!;
      const answer = toAnswer(vendor, {
        calls: [wire, 'multi_tool_use.parallel'].map((name) => ({ name, arguments: {} })),
        usage: plainUsage(vendor),
      });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    });
    const reply = await call(modelAt(vendor, server.url), request);
    expect(reply.toolCalls.map(({ name }) => name)).toEqual(['calendar.list', 'multi_tool_use.parallel']);
  });

  test('a compatible server may leave out ids, indices and types', async () => {
    const choices = [
      {
        message: {
          content: null,
          tool_calls: [
            { function: { name: 'search', arguments: { query: 'a' } } },
            { id: '', function: { name: 'search' } },
          ],
        },
        finish_reason: 'stop',
      },
    ];
    for (const vendor of ['compatible', 'openai-chat'] as const) {
      expect((await replyTo(vendor, { choices })).toolCalls).toEqual([
        { name: 'search', arguments: '{"query":"a"}' },
        { name: 'search', arguments: '' },
      ]);
      await server!.close();
    }
  });

  test('reasoning is no text, and is kept with the parts', async () => {
    const choices = [
      { index: 0, message: { role: 'assistant', content: 'Yes.', reasoning_content: 'hm' }, finish_reason: 'stop' },
    ];
    const reply = await replyTo('compatible', { choices, usage: plainUsage('compatible') });
    expect(reply.text).toBe('Yes.');
    expect(JSON.stringify(reply.provider)).toContain('hm');
  });

  test('warnings name the setting, not the words', async () => {
    const request = toRequest(hello, { maxOutputTokens: 500_000 });
    const reply = await replyTo(
      'anthropic',
      toAnswer('anthropic', { text: 'x', usage: plainUsage('anthropic') }),
      request,
    );
    expect(reply.warnings).toEqual(['unsupported: maxOutputTokens']);
  });
});
