/** The stand-ins for OpenAI Chat Completions and Responses refuse what the real ones refuse (CASES appendix A). */
import { describe, expect, test } from '@jest/globals';
import type { Json, Turn } from '../support/providers/provider-api.ts';
import { startProvider } from '../support/providers/start-provider.ts';
import { continued, describeRules, legalHeaders, messageOf, post, smallest, type Rule } from './rule-suite.ts';

const open = { type: 'object', properties: { a: { type: 'string' } } };
const closed = { ...open, required: ['a'], additionalProperties: false };
const inner = { ...closed, properties: { a: open } };
const inList = { ...closed, properties: { a: { type: 'array', items: open } } };

/** What both ask of tools; `toTool` puts a function in the shape of one of them. */
const toolRules = (toTool: (parts: Json) => Json): readonly Rule[] => [
  ['a bad name of a tool', { tools: [toTool({ name: 'a.b' })] }, /"a.b" does not match/],
  ['a name of over 64 characters', { tools: [toTool({ name: 'a'.repeat(65) })] }, /does not match/],
  ['two tools of one name', { tools: [toTool({}), toTool({})] }, /names must be unique/],
  ['a field that tools do not have', { tools: [toTool({ input_schema: {} })] }, /tools.input_schema/],
  ['a tool of another type', { tools: [{ ...toTool({}), type: 'x' }] }, /tools.type: unknown "x"/],
  ['no tools in a list', { tools: [] }, /too short: tools/],
  ['a schema that is no object', { tools: [toTool({ parameters: { type: 'array' } })] }, /type must be object/],
  ['a union at the root', { tools: [toTool({ parameters: { type: 'object', anyOf: [] } })] }, /at the top level/],
  ['a strict tool that is open', { tools: [toTool({ strict: true, parameters: open })] }, /additionalProperties/],
  [
    'a strict tool with an optional property',
    { tools: [toTool({ strict: true, parameters: { ...closed, required: [] } })] },
    /every property in required, missing a/,
  ],
  ['a strict tool that is open within', { tools: [toTool({ strict: true, parameters: inner })] }, /additionalProp/],
  [
    'a strict tool that is open in a list',
    { tools: [toTool({ strict: true, parameters: inList })] },
    /\.a\[\]: strict/,
  ],
  [
    'a strict tool with oneOf',
    { tools: [toTool({ strict: true, parameters: { ...closed, properties: { a: { oneOf: [] } } } })] },
    /strict does not take oneOf/,
  ],
  [
    'a strict tool that is open in one of several',
    { tools: [toTool({ strict: true, parameters: { ...closed, properties: { a: { anyOf: [open] } } } })] },
    /additionalProperties/,
  ],
  [
    'a strict tool that is open in a definition',
    { tools: [toTool({ strict: true, parameters: { ...closed, $defs: { b: open } } })] },
    /additionalProperties/,
  ],
  ['a choice that there is not', { tool_choice: 'any' }, /none of auto, none, required/],
];

const user = { role: 'user', content: 'Hello' };
const chatCall = (id: Json, args = '{}', name = 'f') => ({ id, type: 'function', function: { name, arguments: args } });
const chatTool = (parts: Json = {}) => ({ type: 'function', function: { name: 'f', parameters: open, ...parts } });
const chat = (...messages: Json[]) => ({ messages: [user, ...messages] });
const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });
const asks = (...calls: Json[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const two = asks(chatCall('a'), chatCall('b'));
const legalChat = { ...smallest['openai-chat'], tools: [chatTool()], ...chat(two, answer('a'), answer('b')) };
const chatRules: readonly Rule[] = [
  ...toolRules(chatTool),
  ['a missing limit of tokens', { max_tokens: undefined }, /max_tokens: field required/],
  ['both limits of tokens', { max_completion_tokens: 1 }, /at the same time/],
  ['a missing model', { model: undefined }, /model parameter/],
  ['an unknown parameter', { foo: 1 }, /unknown parameter: foo/],
  ['no messages', { messages: [] }, /messages: field required/],
  ['an unknown role', chat({ role: 'model', content: 'x' }), /role: unknown "model"/],
  ['an unknown field of a message', chat({ ...user, foo: 1 }), /unknown parameter: messages.\[1\].foo/],
  ['a call without a tool message', chat(two, answer('a')), /did not have response messages: b/],
  ['a message between calls and results', chat(asks(chatCall('a')), user, answer('a')), /did not have response/],
  ['a message between results', chat(two, answer('a'), user, answer('b')), /did not have response messages: b/],
  ['a tool message without its call', chat(answer('a')), /must be a response to preceding/],
  ['two results for one call', chat(asks(chatCall('a')), answer('a'), answer('a')), /must be a response/],
  ['a result that is no text', chat(asks(chatCall('a')), { ...answer('a'), content: { t: 1 } }), /must be a string/],
  ['two calls with one id', chat(asks(chatCall('a'), chatCall('a')), answer('a')), /ids of calls must be unique/],
  ['a call without an id', chat(asks(chatCall('')), answer('')), /id: missing/],
  ['an id of over 40 characters', chat(asks(chatCall('a'.repeat(41)))), /longer than 40/],
  ['arguments that are not JSON', chat(asks(chatCall('a', '{"q": ')), answer('a')), /arguments are not JSON/],
  ['a bad name in the history', chat(asks(chatCall('a', '{}', 'x.y')), answer('a')), /name "x.y"/],
  ['no calls in a list', chat(asks()), /tool_calls: \[\] is too short/],
  ['an assistant message without content', chat({ role: 'assistant', content: '' }), /content or tool_calls/],
  ['an empty user message', chat({ role: 'user', content: '' }), /content is empty/],
  [
    'the parallel switch without tools',
    { ...chat(), tools: undefined, parallel_tool_calls: false },
    /only allowed when/,
  ],
  ['a choice without tools', { ...chat(), tools: undefined, tool_choice: 'auto' }, /only allowed when tools/],
  [
    'a choice of an unknown tool',
    { tool_choice: { type: 'function', function: { name: 'g' } } },
    /"g" is not in tools/,
  ],
];
const taken = [
  ['a strict tool that is closed', { tools: [chatTool({ strict: true, parameters: closed })] }],
  ['an open tool that is not strict', { tools: [chatTool({ strict: false })] }],
  ['a result in parts', chat(asks(chatCall('a')), { ...answer('a'), content: [{ type: 'text', text: 'r' }] })],
  ['results in another order', chat(two, answer('b'), answer('a'))],
  ['one call at a time', { parallel_tool_calls: false }],
] as const;
const ofReasoning: Rule = ['the older limit for a model that reasons', { model: 'gpt-5' }, /max_completion_tokens/];
describeRules('openai-chat', legalChat, { taken, refused: [...chatRules, ofReasoning] });
describeRules('compatible', legalChat, {
  taken: [...taken, ['reasoning in the history', chat({ role: 'assistant', content: 'a', reasoning_content: 'b' })]],
  refused: chatRules,
});

const item = (id: string, args = '{}') => ({ type: 'function_call', call_id: id, name: 'f', arguments: args });
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'r' });
const says = (words: string) => ({ role: 'assistant', content: [{ type: 'output_text', text: words }] });
const reasoning = (more = {}) => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more });
const input = (...items: Json[]) => ({ input: [...smallest.openai.input, ...items] });
const tool = (parts: Json = {}) => ({ type: 'function', name: 'f', parameters: open, strict: false, ...parts });
const both = [item('a'), item('b')];
const legalItems = { ...smallest.openai, tools: [tool()], ...input(...both, output('a'), output('b')) };
describeRules('openai', legalItems, {
  taken: [
    ['a strict tool that is closed', { tools: [tool({ strict: true, parameters: closed })] }],
    ['a text for input', { input: 'Hello' }],
    ['a message between results', input(...both, output('b'), output('a'), says('x'))],
    ['the parallel switch without tools', { ...input(), tools: undefined, parallel_tool_calls: false }],
  ],
  refused: [
    ...toolRules(tool),
    ['a tool that leaves strict open', { tools: [tool({ strict: undefined })] }, /tools.strict: missing for "f"/],
    ['a missing limit of tokens', { max_output_tokens: undefined }, /max_output_tokens: field required/],
    ['a limit below 16', { max_output_tokens: 15 }, /at least 16/],
    ['a missing model', { model: undefined }, /parameter: model/],
    ['an unknown parameter', { messages: [] }, /unknown parameter: messages/],
    ['an unknown role', input({ role: 'wizard', content: 'x' }), /role: unknown "wizard"/],
    ['an unknown item', input({ type: 'tool_result' }), /type: unknown "tool_result"/],
    ['an empty message', input({ role: 'user', content: '' }), /content is empty/],
    ['a call without an output', input(...both, output('a')), /no tool output found for function call b/],
    ['a message between calls and outputs', input(item('a'), ...input().input, output('a')), /no tool output found/],
    ['an output for an unknown call', input(output('x')), /no tool call found/],
    ['two outputs for one call', input(item('a'), output('a'), output('a')), /no tool call found/],
    ['two calls with one id', input(item('a'), item('a'), output('a')), /duplicate call_id/],
    ['a call id of over 64 characters', input(item('a'.repeat(65))), /is no id/],
    ['a call without an id', input(item('')), /is no id/],
    ['an item id that begins otherwise', input({ ...item('a'), id: 'call_1' }), /begins with 'fc'/],
    ['arguments that are not JSON', input(item('a', '{'), output('a')), /arguments: not JSON/],
    ['a bad name in the history', input({ ...item('a'), name: 'x.y' }), /"x.y" does not match/],
    ['an output that is no text', input(item('a'), { ...output('a'), output: { t: 1 } }), /output: must be a string/],
    ['a reference to an item that is not stored', input({ type: 'item_reference', id: 'rs_1' }), /not stored/],
    ['reasoning without its content', input(reasoning(), says('x')), /no encrypted_content/],
    ['reasoning that was never given', input(reasoning({ encrypted_content: 'x' }), says('x')), /not be verified/],
    ['a choice of an unknown tool', { tool_choice: { type: 'function', name: 'g' } }, /"g" is not in tools/],
    ['a choice without tools', { ...input(), tools: undefined, tool_choice: 'auto' }, /only allowed when tools/],
  ],
});

describe('openai', () => {
  const signed: Turn = { text: 'Said.', signed: true, reasoning: 'Hm.', calls: [{ name: 'f', arguments: { a: 1 } }] };
  const answered =
    (change: (items: Json[]) => Json[]) =>
    ({ output: items }: Json) => ({ tools: [tool()], ...input(...change(items), output('call_0')) });

  test('takes encrypted reasoning back as it was', async () => {
    expect(
      await continued(
        'openai',
        signed,
        answered((items) => items),
      ),
    ).toMatchObject({ status: 200 });
  });

  test.each<readonly [string, (items: Json[]) => Json[], RegExp]>([
    ['without it', (items) => items.slice(1), /without its required reasoning item/],
    ['with another content', ([a, ...rest]) => [{ ...a, encrypted_content: 'x' }, ...rest], /not be verified/],
    [
      'without its content',
      ([a, ...rest]) => [{ ...a, encrypted_content: undefined }, ...rest],
      /no encrypted_content/,
    ],
    ['behind the text', ([a, b, c]) => [b, a, c], /without its required reasoning item/],
    ['behind the call', ([a, b, c]) => [b, c, a], /required following item/],
    ['twice', ([a, b, c]) => [a, a, b, c], /duplicate item/],
  ])('refuses calls that were reasoned about %s', async (_, change, names) => {
    expect(messageOf(await continued('openai', signed, answered(change)))).toMatch(names);
  });

  test('gives the encrypted content to those who ask for it alone', async () => {
    const provider = await startProvider('openai', signed);
    const body = { ...smallest.openai, include: undefined };
    const posted = await post(provider, '/responses', body, legalHeaders.openai);
    expect(posted.body.output[0]).toEqual({ type: 'reasoning', id: expect.any(String), summary: expect.any(Array) });
    await provider.close();
  });

  test('lets stored reasoning be referred to, and not be left out', async () => {
    const stored = { ...smallest.openai, store: undefined };
    const refer = ([{ type: _, ...a }, ...rest]: Json[]) => [{ type: 'item_reference', id: a.id }, ...rest];
    expect(await continued('openai', signed, answered(refer), stored)).toMatchObject({ status: 200 });
    const without = await continued(
      'openai',
      signed,
      answered((items) => items.slice(1)),
      stored,
    );
    expect(messageOf(without)).toMatch(/without its required reasoning item/);
  });
});
