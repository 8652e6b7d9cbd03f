/** The stand-in servers refuse what the real ones refuse (CASES appendix A): a suite against servers that take anything would prove nothing. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json } from '../support/providers/provider-api.ts';
import { providerKey, startProvider, type Family, type Provider } from '../support/providers/start-provider.ts';

const providers = new Map<Family, Provider>();
beforeAll(async () => {
  for (const family of ['openai', 'openai-chat', 'anthropic', 'google'] as const) {
    const signed = { text: 'Said.', signed: true, calls: [{ name: 'f', arguments: { a: 1 } }] };
    providers.set(family, await startProvider(family, signed));
  }
});
afterAll(() => Promise.all([...providers.values()].map((provider) => provider.close())));

const paths: Partial<Record<Family, string>> = {
  openai: '/responses',
  'openai-chat': '/chat/completions',
  anthropic: '/messages',
  google: '/models/gemini:generateContent',
};
const headers: Partial<Record<Family, Record<string, string>>> = {
  openai: { authorization: `Bearer ${providerKey}` },
  'openai-chat': { authorization: `Bearer ${providerKey}` },
  anthropic: { 'x-api-key': providerKey },
  google: { 'x-goog-api-key': providerKey },
};

async function post(family: Family, body: Json, key = headers[family]!) {
  const response = await fetch(`${providers.get(family)!.baseUrl}${paths[family]}`, {
    method: 'POST',
    headers: key,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

type Rules = readonly (readonly [rule: string, body: Json])[];

/** The legal body is taken, and each change of it is refused. */
function describeRules(family: Family, legal: Json, rules: Rules): void {
  describe(family, () => {
    test('takes a legal conversation, with the right key alone', async () => {
      expect(await post(family, legal)).toMatchObject({ status: 200 });
      expect(await post(family, legal, {})).toMatchObject({ status: 401 });
    });
    test.each(rules)('refuses %s', async (_, change) => {
      expect((await post(family, { ...legal, ...change })).status).toBe(400);
    });
    test('refuses half a surrogate pair', async () => {
      const text = JSON.stringify(legal).replace('Hello', '\\ud83d');
      expect((await post(family, text)).status).toBe(400);
    });
  });
}

const user = { role: 'user', content: 'Hello' };

const claudeTool = { name: 'f', description: '', input_schema: { type: 'object' } };
const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
const result = (id: string, more = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'r', ...more });
const claude = (...contents: Json[]) => ({
  messages: [user, ...contents.map((content, index) => ({ role: index % 2 === 0 ? 'assistant' : 'user', content }))],
});
describeRules(
  'anthropic',
  {
    model: 'c',
    max_tokens: 10,
    tools: [claudeTool],
    ...claude([use('a'), use('b')], [result('a'), result('b'), { type: 'text', text: 'Go on.' }]),
  },
  [
    ['a missing max_tokens', { max_tokens: undefined }],
    ['an unknown parameter', { foo: 1 }],
    ['a call without a result', claude([use('a'), use('b')], [result('a')])],
    ['a result for an unknown call', claude([use('a')], [result('a'), result('x')])],
    ['two results for one call', claude([use('a')], [result('a'), result('a')])],
    ['a result after text', claude([use('a')], [{ type: 'text', text: 'x' }, result('a')])],
    ['results in two messages', claude([use('a'), use('b')], [result('a')], [use('c')], [result('b'), result('c')])],
    ['an empty text', claude([{ type: 'text', text: ' ' }, use('a')], [result('a')])],
    ['an error result without words', claude([use('a')], [result('a', { is_error: true, content: '' })])],
    ['calls where no tools are named', { tools: undefined }],
    ['a bad name of a tool', { tools: [{ ...claudeTool, name: 'a.b' }] }],
    [
      'a signed call without its thinking',
      claude(
        [
          { type: 'text', text: 'Said.' },
          { ...use('a'), input: { a: 1 } },
        ],
        [result('a')],
      ),
    ],
  ],
);

const chatCall = (id: string, args = '{}', name = 'f') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const chatTool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { a: {} } } } };
const chat = (...messages: Json[]) => ({ messages: [user, ...messages] });
const toolMessage = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });
const asks = (...calls: Json[]) => ({ role: 'assistant', content: null, tool_calls: calls });
describeRules(
  'openai-chat',
  {
    model: 'g',
    max_tokens: 10,
    tools: [chatTool],
    ...chat(asks(chatCall('a'), chatCall('b')), toolMessage('a'), toolMessage('b')),
  },
  [
    ['a missing limit of tokens', { max_tokens: undefined }],
    ['a call without a tool message', chat(asks(chatCall('a'), chatCall('b')), toolMessage('a'))],
    ['a message between calls and results', chat(asks(chatCall('a')), user, toolMessage('a'))],
    ['a tool message without its call', chat(toolMessage('a'))],
    ['two calls with one id', chat(asks(chatCall('a'), chatCall('a')), toolMessage('a'))],
    ['arguments that are not JSON', chat(asks(chatCall('a', '{"q": ')), toolMessage('a'))],
    ['a bad name in the history', chat(asks(chatCall('a', '{}', 'x.y')), toolMessage('a'))],
    [
      'a strict schema with an optional field',
      { tools: [{ ...chatTool, function: { ...chatTool.function, strict: true } }] },
    ],
    ['an assistant message without content', chat({ role: 'assistant', content: '' })],
  ],
);

const item = (id: string, args = '{}') => ({ type: 'function_call', call_id: id, name: 'f', arguments: args });
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'r' });
const responses = (...items: Json[]) => ({
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }, ...items],
});
const responsesTool = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false };
describeRules(
  'openai',
  {
    model: 'g',
    max_output_tokens: 16,
    store: false,
    tools: [responsesTool],
    ...responses(item('a'), item('b'), output('a'), output('b')),
  },
  [
    ['a tool that leaves strict open', { tools: [{ ...responsesTool, strict: undefined }] }],
    ['a call without an output', responses(item('a'), item('b'), output('a'))],
    ['an output for an unknown call', responses(output('x'))],
    ['two calls with one id', responses(item('a'), item('a'), output('a'))],
    ['a reference to an item that is not stored', responses({ type: 'item_reference', id: 'rs_1' })],
    ['arguments that are not JSON', responses(item('a', '{'), output('a'))],
    [
      'a function call without its reasoning item',
      responses(
        { role: 'assistant', content: [{ type: 'output_text', text: 'Said.' }] },
        item('a', '{"a":1}'),
        output('a'),
      ),
    ],
  ],
);

const functionCall = (args = {}) => ({ functionCall: { name: 'f', args } });
const response = (value: Json = { content: 'r' }, name = 'f') => ({ functionResponse: { name, response: value } });
const gemini = (...parts: Json[][]) => ({
  contents: [
    { role: 'user', parts: [{ text: 'Hello' }] },
    ...parts.map((each, index) => ({ role: index % 2 === 0 ? 'model' : 'user', parts: each })),
  ],
});
const schema = (parameters: Json) => ({
  tools: [{ functionDeclarations: [{ name: 'f', description: '', parameters }] }],
});
describeRules(
  'google',
  {
    generationConfig: { maxOutputTokens: 10 },
    ...schema({ type: 'object', properties: { a: { type: 'string', nullable: true } } }),
    ...gemini([functionCall(), functionCall({ b: 1 })], [response(), response()]),
  },
  [
    ['fewer responses than calls', gemini([functionCall(), functionCall()], [response()])],
    [
      'responses in two contents',
      gemini([functionCall(), functionCall()], [response()], [{ text: 'x' }], [response()]),
    ],
    ['"$ref" in a response', gemini([functionCall()], [response({ $ref: '#' })])],
    ['a signed call without its signature', gemini([{ text: 'Said.' }, functionCall({ a: 1 })], [response()])],
    ['an empty text part', gemini([{ text: '' }], [{ text: 'x' }])],
    ['additionalProperties', schema({ type: 'object', additionalProperties: false })],
    ['const', schema({ type: 'object', properties: { a: { const: 'x' } } })],
    ['oneOf', schema({ type: 'object', properties: { a: { oneOf: [] } } })],
    ['a list of types', schema({ type: 'object', properties: { a: { type: ['string', 'null'] } } })],
    ['something beside anyOf', schema({ type: 'object', properties: { a: { anyOf: [], type: 'string' } } })],
    ['$schema', schema({ $schema: 'x', type: 'object' })],
    ['exclusiveMinimum', schema({ type: 'object', properties: { a: { type: 'number', exclusiveMinimum: 0 } } })],
  ],
);

test('a signature that a reply was given with is legal to send back, changed it is not', async () => {
  await post('anthropic', { model: 'c', max_tokens: 10, messages: [user] });
  const { body } = await post('anthropic', { model: 'c', max_tokens: 10, messages: [user] });
  const conversation = (content: Json[]) => ({
    model: 'c',
    max_tokens: 10,
    tools: [claudeTool],
    ...claude(content, [result(body.content.at(-1).id)]),
  });
  expect((await post('anthropic', conversation(body.content))).status).toBe(200);
  const changed = [{ ...body.content[0], signature: 'x' }, ...body.content.slice(1)];
  expect((await post('anthropic', conversation(changed))).status).toBe(400);
});
