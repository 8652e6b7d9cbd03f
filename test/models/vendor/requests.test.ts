/** The bodies that leave: as each vendor's documentation asks for them. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Model, ModelRequest, PromptMessage } from '../../../src/models/model.ts';
import { vendors, type Vendor } from '../../../src/models/vendor/vendor.ts';
import {
  call,
  hello,
  key,
  modelAt,
  plainUsage,
  search,
  startServer,
  toAnswer,
  toRequest,
  type Server,
  type Json,
} from './vendor-world.ts';

let server: Server;
const json = (vendor: Vendor) => toAnswer(vendor, { text: 'x', usage: plainUsage(vendor) });
afterEach(async () => server.close());

const toolCall = (position: number, name = 'search', rest: object = {}) => ({
  callId: `t1c${position}`,
  name,
  arguments: { query: `q${position}` },
  ...rest,
});
const result = (position: number, text: string, isError = false) => ({
  callId: `t1c${position}`,
  name: 'search',
  isError,
  text,
});
const batch: readonly PromptMessage[] = [
  ...hello,
  { role: 'assistant', text: 'Looking', toolCalls: [toolCall(1), toolCall(2), toolCall(3)] },
  // Out of order, as they might have ended.
  { role: 'tool', results: [result(3, '   '), result(1, 'found {"$ref":"#/x"}'), result(2, 'timed out', true)] },
  { role: 'user', text: 'Go on.' },
];

async function sent(vendor: Vendor, request: ModelRequest, rest: Parameters<typeof modelAt>[2] = {}): Promise<Json> {
  server = await startServer({ json: json(vendor) });
  await call(modelAt(vendor, server.url, rest), request);
  return server.requests[0]!.body;
}

describe('several calls and their results', () => {
  test('openai: items in order, one output per call', async () => {
    const { input, store, max_output_tokens: max } = await sent('openai', toRequest(batch));
    expect(input.map((item: Json) => item.type ?? item.role)).toEqual([
      'developer',
      'user',
      'assistant',
      'function_call',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'function_call_output',
      'user',
    ]);
    expect(input.slice(6, 9).map((item: Json) => [item.call_id, item.output])).toEqual([
      ['t1c1', 'found {"$ref":"#/x"}'],
      ['t1c2', '{"error":{"message":"timed out"}}'],
      ['t1c3', '(no output)'],
    ]);
    expect([store, max]).toEqual([false, 1_000]);
  });

  test.each(['openai-chat', 'compatible'] as const)(
    '%s: one tool message per call, right behind them',
    async (vendor) => {
      const { messages } = await sent(vendor, toRequest(batch));
      expect(messages.map(({ role }: Json) => role)).toEqual([
        'system',
        'user',
        'assistant',
        'tool',
        'tool',
        'tool',
        'user',
      ]);
      expect(messages.slice(3, 6).map((each: Json) => [each.tool_call_id, each.content])).toEqual([
        ['t1c1', 'found {"$ref":"#/x"}'],
        ['t1c2', '{"error":{"message":"timed out"}}'],
        ['t1c3', '(no output)'],
      ]);
      expect(messages[2].tool_calls[0].function).toEqual({ name: 'search', arguments: '{"query":"q1"}' });
    },
  );

  test('anthropic: one user message, results first, then the text', async () => {
    const { messages, system } = await sent('anthropic', toRequest(batch));
    expect(messages.map(({ role }: Json) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[2].content.map((part: Json) => part.type)).toEqual([
      'tool_result',
      'tool_result',
      'tool_result',
      'text',
    ]);
    expect(messages[2].content.slice(0, 3).map((part: Json) => [part.tool_use_id, part.is_error ?? false])).toEqual([
      ['t1c1', false],
      ['t1c2', true],
      ['t1c3', false],
    ]);
    expect(system).toEqual([{ type: 'text', text: 'Be brief.' }]);
  });

  test('google: all calls in one content, all responses in the next', async () => {
    const { contents } = await sent('google', toRequest(batch));
    expect(contents.map(({ role, parts }: Json) => [role, parts.length])).toEqual([
      ['user', 1],
      ['model', 4],
      ['user', 3],
      ['user', 1],
    ]);
    expect(contents[2].parts.map(({ functionResponse: { id, response } }: Json) => [id, response.content])).toEqual([
      ['t1c1', 'found {"$ref":"#/x"}'],
      ['t1c2', { error: { message: 'timed out' } }],
      ['t1c3', '(no output)'],
    ]);
  });
});

describe.each(vendors)('%s', (vendor) => {
  test('calls and results that do not belong together are refused before anything is sent', async () => {
    server = await startServer({ json: json(vendor) });
    const model = modelAt(vendor, server.url);
    const calls = { role: 'assistant', text: '', toolCalls: [toolCall(1), toolCall(2)] } as const;
    const broken: PromptMessage[][] = [
      [...hello, calls],
      [...hello, calls, { role: 'tool', results: [result(1, 'a')] }],
      [...hello, calls, { role: 'user', text: 'and?' }, { role: 'tool', results: [result(1, 'a'), result(2, 'b')] }],
      [...hello, calls, { role: 'tool', results: [result(1, 'a'), result(1, 'a'), result(2, 'b')] }],
      [...hello, { role: 'tool', results: [result(1, 'a')] }],
      [...hello, calls, { role: 'tool', results: [result(1, 'a'), result(2, 'b'), result(3, 'c')] }],
    ];
    let asked = 0;
    for (const messages of broken) {
      await expect(call(model, toRequest(messages), () => (asked += 1))).rejects.toThrow(/no result|no open calls/);
      await expect(model.countTokens(toRequest(messages), { signal: new AbortController().signal })).rejects.toThrow(
        /no result|no open calls/,
      );
    }
    expect([asked, server.requests.length]).toEqual([0, 0]);
  });

  test('no half surrogate pair, no blank message, no name that is refused, and no arguments that are no object leave', async () => {
    const messages: PromptMessage[] = [
      { role: 'system', text: '  ' },
      { role: 'user', text: 'cut \ud83d here' },
      { role: 'assistant', text: '  ', toolCalls: [] },
      {
        role: 'assistant',
        text: ' ',
        toolCalls: [
          { callId: 't1c1', name: 'multi_tool_use.parallel', arguments: {}, malformed: '{"q":' },
          { callId: 't1c2', name: 'search', arguments: { query: 'half \udc00' } },
        ],
      },
      {
        role: 'tool',
        results: [
          { callId: 't1c1', name: 'multi_tool_use.parallel', isError: true, text: '' },
          { callId: 't1c2', name: 'search', isError: false, text: 'x\ud83d' },
        ],
      },
    ];
    await sent(vendor, toRequest(messages, { tools: [{ ...search, description: 'bad \udfff' }] }));
    const { raw, body } = server.requests[0]!;
    expect(raw).not.toMatch(/\\ud[89a-f]/i);
    expect(raw).not.toContain('multi_tool_use.parallel');
    expect(raw).toMatch(/multi_tool_use_parallel_\w+/);
    expect(raw).not.toMatch(/"(text|content)":"\s*"/);
    expect(raw).not.toContain('{\\"q\\":');
    const names = vendor === 'openai' ? body.input : vendor === 'google' ? body.contents : body.messages;
    expect(names.length).toBeGreaterThan(0);
  });

  test('the switch for one call at a time is the own one of the vendor, and only where calls may be made', async () => {
    const off = await sent(vendor, toRequest(hello, { parallelToolCalls: false }));
    const switchOf = (body: Json) => ({ openai: body.parallel_tool_calls, choice: body.tool_choice });
    if (vendor === 'anthropic') expect(off.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    else if (vendor === 'google') expect(off.toolConfig).toEqual({ functionCallingConfig: { mode: 'AUTO' } });
    else expect(switchOf(off)).toEqual({ openai: false, choice: 'auto' });
    await server.close();
    const on = await sent(vendor, toRequest(hello));
    expect(JSON.stringify(on)).not.toMatch(/parallel_tool/);
    await server.close();
    const bare = await sent(vendor, toRequest(hello, { tools: [], parallelToolCalls: false }));
    expect(JSON.stringify(bare)).not.toMatch(/parallel_tool|tool_choice|toolConfig|"tools"/);
  });

  test('where none may be called, the tools stay named', async () => {
    const body = await sent(vendor, toRequest(batch, { toolChoice: 'none', parallelToolCalls: false }));
    expect(JSON.stringify(body.tools)).toContain('search');
    if (vendor === 'anthropic') expect(body.tool_choice).toEqual({ type: 'none' });
    else if (vendor === 'google') expect(body.toolConfig.functionCallingConfig.mode).toBe('NONE');
    else expect(body.tool_choice).toBe('none');
  });

  test('calls of a history are named even where there are no tools', async () => {
    const body = await sent(vendor, toRequest(batch, { tools: [] }));
    expect(JSON.stringify(body.tools)).toContain('search');
    expect(JSON.stringify(body)).toMatch(/"none"|NONE/i);
  });

  test('the limit of the output goes along, a temperature does not; OpenAI is told that nothing is strict', async () => {
    const body = await sent(vendor, toRequest(hello));
    expect(JSON.stringify(body)).toMatch(/"(max_tokens|max_output_tokens|max_completion_tokens|maxOutputTokens)":1000/);
    expect(JSON.stringify(body)).not.toContain('temperature');
    const [tool] = body.tools;
    if (vendor === 'openai') expect(tool.strict).toBe(false);
    if (vendor === 'openai-chat' || vendor === 'compatible') expect(tool.function.strict).toBe(false);
  });

  test('the key goes in the header of the vendor and nowhere else; betas do not go along', async () => {
    await sent(vendor, toRequest(hello));
    const { headers, raw, path } = server.requests[0]!;
    const carried = {
      openai: 'authorization',
      'openai-chat': 'authorization',
      compatible: 'authorization',
      anthropic: 'x-api-key',
      google: 'x-goog-api-key',
    }[vendor];
    expect(headers[carried]).toContain(key);
    expect(raw + path).not.toContain('SECRET');
    expect(headers['anthropic-beta']).toBe(undefined);
  });

  test('parts of the same model come back as they were, with our ids', async () => {
    const answer = signedAnswer(vendor);
    const last = toAnswer(vendor, { text: 'done', usage: plainUsage(vendor) });
    server = await startServer({ json: answer }, { json: last });
    const model = modelAt(vendor, server.url);
    const reply = await call(model);
    const stored = JSON.parse(JSON.stringify(reply.provider)) as unknown;
    const turn = (provider?: unknown): PromptMessage[] => [
      ...hello,
      {
        role: 'assistant',
        text: reply.text,
        toolCalls: [toolCall(1), toolCall(2)],
        ...(provider !== undefined && { provider }),
      },
      { role: 'tool', results: [result(1, 'a'), result(2, 'b')] },
    ];
    await call(model, toRequest(turn(stored)));
    const sentBack = server.requests[1]!;
    for (const opaque of opaqueOf(vendor)) expect(sentBack.raw).toContain(opaque);
    expect(sentBack.raw).not.toMatch(/call_0|toolu_0/);
    expect(sentBack.raw.indexOf('t1c1')).toBeLessThan(sentBack.raw.indexOf('t1c2'));
    // The text of the arguments is kept as it came, where the API carries a text.
    if (vendor.startsWith('openai') || vendor === 'compatible')
      expect(sentBack.raw).toContain(JSON.stringify('{"query" :  "q1"}'));
    // Another model gets the words alone.
    await call(modelAt(vendor, server.url, { modelId: 'gemini-2.5-flash' }), toRequest(turn(stored)));
    for (const opaque of opaqueOf(vendor)) expect(server.requests[2]!.raw).not.toContain(opaque);
    expect(server.requests[2]!.raw).toContain('t1c2');
  });
});

/** Two calls behind reasoning, signed as the vendor signs. */
function signedAnswer(vendor: Vendor): unknown {
  const raw = '{"query" :  "q1"}';
  const calls = [
    { name: 'search', arguments: vendor === 'anthropic' || vendor === 'google' ? { query: 'q1' } : raw },
    { name: 'search', arguments: { query: 'q2' } },
  ];
  const answer = toAnswer(vendor, { text: 'Looking', calls, usage: plainUsage(vendor) }) as Json;
  switch (vendor) {
    case 'openai':
      answer.output.unshift({ type: 'reasoning', id: 'rs_1', encrypted_content: 'ENC==', summary: [] });
      break;
    case 'anthropic':
      answer.content.unshift(
        { type: 'thinking', thinking: 'hm', signature: 'SIG==' },
        { type: 'redacted_thinking', data: 'RED==' },
      );
      break;
    case 'google':
      answer.candidates[0].content.parts[1].thoughtSignature = 'SIG==';
      break;
    case 'compatible':
      answer.choices[0].message.tool_calls[0].extra_content = { google: { thought_signature: 'SIG==' } };
      break;
    case 'openai-chat':
      break;
  }
  return answer;
}

function opaqueOf(vendor: Vendor): string[] {
  const opaque = {
    openai: ['ENC=='],
    anthropic: ['SIG==', 'RED=='],
    google: ['SIG=='],
    compatible: ['SIG=='],
    'openai-chat': [],
  };
  return opaque[vendor];
}

describe('particular to one vendor', () => {
  beforeEach(() => {
    server = undefined as unknown as Server;
  });

  test('openai: a reasoning model is asked for its reasoning, and the item stands before its call', async () => {
    server = await startServer({ json: signedAnswer('openai') }, { json: json('openai') });
    const model = modelAt('openai', server.url);
    const { provider, text } = await call(model);
    await call(
      model,
      toRequest([
        ...hello,
        { role: 'assistant', text, toolCalls: [toolCall(1), toolCall(2)], provider },
        { role: 'tool', results: [result(1, 'a'), result(2, 'b')] },
      ]),
    );
    expect(server.requests[0]!.body.include).toEqual(['reasoning.encrypted_content']);
    const { input } = server.requests[1]!.body;
    expect(input.slice(2).map((item: Json) => item.type ?? item.role)).toEqual([
      'reasoning',
      'assistant',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ]);
    expect(input[2]).toMatchObject({ id: 'rs_1', encrypted_content: 'ENC==' });
  });

  test('google: the signature stands on the first call of the step alone', async () => {
    server = await startServer({ json: signedAnswer('google') }, { json: json('google') });
    const model = modelAt('google', server.url);
    const { provider, text } = await call(model);
    await call(
      model,
      toRequest([
        ...hello,
        { role: 'assistant', text, toolCalls: [toolCall(1), toolCall(2)], provider },
        { role: 'tool', results: [result(1, 'a'), result(2, 'b')] },
      ]),
    );
    const [, , { parts }] = [null, ...server.requests[1]!.body.contents];
    expect(parts.map((part: Json) => part.thoughtSignature ?? null)).toEqual([null, 'SIG==', null]);
  });

  test('anthropic: thinking that nothing follows is not sent back, and neither is a message that was nothing else', async () => {
    const content = [{ type: 'reasoning', text: 'hm', providerMetadata: { anthropic: { signature: 'S' } } }];
    const provider = { api: 'anthropic', modelId: 'claude-sonnet-4-5', content };
    const body = await sent(
      'anthropic',
      toRequest([...hello, { role: 'assistant', text: '', toolCalls: [], provider }, { role: 'user', text: 'Again.' }]),
    );
    expect(body.messages.map(({ role }: Json) => role)).toEqual(['user']);
  });

  test('anthropic: a paused turn is sent back as it ended', async () => {
    const body = await sent('anthropic', toRequest([...hello, { role: 'assistant', text: 'So far', toolCalls: [] }]));
    expect(body.messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'So far' }] });
  });

  test.each(['openai', 'openai-chat'] as const)(
    '%s: a model that its vendor documents as an exception makes one call at a time',
    async (vendor) => {
      const body = await sent(vendor, toRequest(hello), { modelId: 'gpt-4.1-nano-2025-04-14' });
      expect(body.parallel_tool_calls).toBe(false);
    },
  );

  test('compatible: without a key there is no header for it, and the path is taken as it is', async () => {
    server = await startServer({ json: json('compatible') });
    const model: Model = modelAt('compatible', server.url, { apiKey: null, baseUrl: `${server.url}/deep/api/` });
    await call(model);
    expect(server.requests[0]!.headers.authorization).toBe(undefined);
    expect(server.requests[0]!.path).toBe('/deep/api/chat/completions');
  });

  test.each([
    ['anthropic', '/v1/messages'],
    ['openai', '/v1/responses'],
    ['google', '/v1beta/models/gemini-3-pro-preview:generateContent'],
  ] as const)('%s: an address without a path gets the version', async (vendor, path) => {
    server = await startServer({ json: json(vendor) });
    await call(modelAt(vendor, server.url, { baseUrl: `${server.url}/` }));
    expect(server.requests[0]!.path).toBe(path);
  });

  test('openai: arguments with half a pair behind an escape are sent without it', async () => {
    const calls = [{ name: 'search', arguments: '{"query":"x\\ud83d","__proto__":{"a":1}}' }];
    server = await startServer(
      { json: toAnswer('openai-chat', { calls, usage: plainUsage('openai-chat') }) },
      { json: json('openai-chat') },
    );
    const model = modelAt('openai-chat', server.url);
    const { provider } = await call(model);
    await call(
      model,
      toRequest([
        ...hello,
        { role: 'assistant', text: '', toolCalls: [toolCall(1)], provider },
        { role: 'tool', results: [result(1, 'a')] },
      ]),
    );
    const [sentCall] = server.requests[1]!.body.messages[2].tool_calls;
    expect(JSON.parse(sentCall.function.arguments).query).toBe('x\ufffd');
  });
});
