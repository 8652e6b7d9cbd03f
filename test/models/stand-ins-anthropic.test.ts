/** The stand-in for Anthropic Messages refuses what the real one refuses (CASES appendix A): a suite against a server that takes anything would prove nothing. */
import { describe, expect, test } from '@jest/globals';
import type { Json, Turn } from '../support/providers/provider-api.ts';
import { startProvider } from '../support/providers/start-provider.ts';
import { continued, describeRules, legalHeaders, messageOf, post, smallest } from './rule-suite.ts';

const user = { role: 'user', content: 'Hello' };
const tool = { name: 'f', description: '', input_schema: { type: 'object', properties: { a: {} } } };
const use = (id: string, more = {}) => ({ type: 'tool_use', id, name: 'f', input: {}, ...more });
const result = (id: string, more = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'r', ...more });
const text = (words: string) => ({ type: 'text', text: words });
/** The user begins, and the roles take turns. */
const talk = (...contents: Json[]) => ({
  messages: [user, ...contents.map((content, index) => ({ role: index % 2 === 0 ? 'assistant' : 'user', content }))],
});
const twice = [use('a'), use('b')];
const legal = { ...smallest.anthropic, tools: [tool], ...talk(twice, [result('a'), result('b'), text('Go on.')]) };
const strictTool = { ...tool, strict: true };

describeRules('anthropic', legal, {
  taken: [
    ['a result without words that is no error', talk([use('a')], [result('a', { content: '' })])],
    ['an error result of text', talk([use('a')], [result('a', { is_error: true, content: [text('no')] })])],
    ['a result with an image', talk([use('a')], [result('a', { content: [{ type: 'image', source: {} }] })])],
    ['one call at a time', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    ['a forced call', { tool_choice: { type: 'tool', name: 'f' } }],
    ['an answer that goes on', talk('Half an')],
    [
      'a strict tool that is closed',
      { tools: [{ ...strictTool, input_schema: { ...tool.input_schema, additionalProperties: false } }] },
    ],
  ],
  refused: [
    ['a missing max_tokens', { max_tokens: undefined }, /max_tokens: field required/],
    ['a max_tokens that is not whole', { max_tokens: 1.5 }, /max_tokens: must be an integer/],
    ['a missing model', { model: undefined }, /model: field required/],
    ['an unknown parameter', { foo: 1 }, /unknown parameter: foo/],
    ['a stream', { stream: true }, /stream/],
    ['no messages', { messages: [] }, /messages: field required/],
    ['a beginning by the model', { messages: [{ role: 'assistant', content: 'x' }] }, /first message must use/],
    ['an unknown role', { messages: [user, { role: 'system', content: 'x' }] }, /unexpected role "system"/],
    ['a block that is not of its role', talk([result('a')]), /unexpected block "tool_result" of assistant/],
    ['an empty text', talk([text(' '), use('a')], [result('a')]), /text content blocks must be non-empty/],
    ['an empty text in a result', talk([use('a')], [result('a', { content: [text('')] })]), /must be non-empty/],
    ['an empty text in the system prompt', { system: [text('')] }, /system: text content blocks/],
    ['an empty message', talk([]), /content is empty/],
    ['white space at the end of what the model is to go on with', talk('Half an '), /trailing whitespace/],
    ['a call without a result', talk(twice, [result('a')]), /without tool_result blocks/],
    ['a call without a result at the end', talk([use('a')]), /without tool_result blocks at the end/],
    ['a user text in place of a result', talk([use('a')], 'Go on.'), /without tool_result blocks/],
    ['a result for an unknown call', talk([use('a')], [result('a'), result('x')]), /unexpected tool_use_id/],
    ['two results for one call', talk([use('a')], [result('a'), result('a')]), /single result/],
    ['a result after text', talk([use('a')], [text('x'), result('a')]), /must come first/],
    [
      'results in two messages',
      {
        messages: [...talk(twice, [result('a')]).messages, { role: 'user', content: [result('b')] }],
      },
      /without tool_result blocks/,
    ],
    ['an error result without words', talk([use('a')], [result('a', { is_error: true, content: '' })]), /be empty if/],
    [
      'an error result with an image',
      talk([use('a')], [result('a', { is_error: true, content: [text('x'), { type: 'image' }] })]),
      /must be text if is_error/,
    ],
    ['an id of other characters', talk([use('a:1')], [result('a:1')]), /id "a:1" does not match/],
    ['two calls with one id', talk([use('a'), use('a')], [result('a')]), /ids must be unique/],
    ['an id of an earlier turn', talk([use('a')], [result('a')], [use('a')], [result('a')]), /ids must be unique/],
    ['a bad name in the history', talk([use('a', { name: 'x.y' })], [result('a')]), /name "x.y" does not match/],
    ['arguments that are no object', talk([use('a', { input: [1] })], [result('a')]), /input must be an object/],
    ['calls where no tools are named', { tools: undefined }, /tools: field required/],
    ['a bad name of a tool', { tools: [{ ...tool, name: 'a.b' }] }, /"a.b" does not match/],
    ['a name of over 128 characters', { tools: [{ ...tool, name: 'a'.repeat(129) }] }, /does not match/],
    ['two tools of one name', { tools: [tool, tool] }, /names must be unique/],
    ['a field that tools do not have', { tools: [{ ...tool, parameters: {} }] }, /unknown parameter: tools.parameters/],
    ['a schema that is no object', { tools: [{ ...tool, input_schema: { type: 'array' } }] }, /must be object/],
    [
      'a union at the root of a schema',
      { tools: [{ ...tool, input_schema: { type: 'object', anyOf: [] } }] },
      /at the top level/,
    ],
    ['a strict tool that is open', { tools: [strictTool] }, /additionalProperties to be false/],
    ['a choice that there is not', { tool_choice: { type: 'required' } }, /none of auto, any, tool, none/],
    ['a choice of an unknown tool', { tool_choice: { type: 'tool', name: 'g' } }, /"g" is not in tools/],
    [
      'the parallel switch beside none',
      { tool_choice: { type: 'none', disable_parallel_tool_use: true } },
      /unknown parameter: tool_choice.disable/,
    ],
    ['a choice without tools', { ...talk('Yes.'), tools: undefined, tool_choice: { type: 'auto' } }, /while providing/],
    [
      'a forced call beside thinking',
      { tool_choice: { type: 'any' }, thinking: { type: 'enabled', budget_tokens: 1_024 } },
      /thinking may not be enabled/,
    ],
    ['a forced call of a model that cannot be', { model: 'claude-opus-5-5', tool_choice: { type: 'any' } }, /not supp/],
  ],
});

describe('anthropic', () => {
  test('wants the version of the API to be named', async () => {
    const provider = await startProvider('anthropic', { text: 'ok' });
    const { 'x-api-key': key } = legalHeaders.anthropic;
    const posted = await post(provider, '/messages', smallest.anthropic, { 'x-api-key': key! });
    expect(messageOf(posted)).toMatch(/anthropic-version: header is required/);
    await provider.close();
  });

  const signed: Turn = { text: 'Said.', signed: true, calls: [{ name: 'f', arguments: { a: 1, b: 2 } }] };
  const answered =
    (change: (content: Json[]) => Json[]) =>
    ({ content }: Json) => ({ tools: [tool], ...talk(change(content), [result('toolu_0')]) });
  const unsigned = (content: Json[]) => content.slice(1);

  test.each<readonly [string, (content: Json[]) => Json[]]>([
    ['as it was', (content) => content],
    ['with the keys of arguments in another order', ([a, b, use]) => [a, b, { ...use, input: { b: 2, a: 1 } }]],
  ])('takes signed thinking back %s', async (_, change) => {
    expect(await continued('anthropic', signed, answered(change))).toMatchObject({ status: 200 });
  });

  test.each<readonly [string, (content: Json[]) => Json[], RegExp]>([
    ['without it', unsigned, /expected thinking/],
    ['with another signature', ([first, ...rest]) => [{ ...first, signature: 'x' }, ...rest], /invalid signature/],
    ['with other words', ([first, ...rest]) => [{ ...first, thinking: 'x' }, ...rest], /invalid signature/],
    ['behind the text', ([a, b, c]) => [b, a, c], /must come first/],
    ['twice', ([first, ...rest]) => [first, first, ...rest], /of another message/],
  ])('refuses signed calls %s', async (_, change, names) => {
    const posted = await continued('anthropic', signed, answered(change));
    expect(messageOf(posted)).toMatch(names);
  });

  test('takes redacted thinking back as it was alone', async () => {
    const turn = { ...signed, redacted: true };
    expect(
      await continued(
        'anthropic',
        turn,
        answered((content) => content),
      ),
    ).toMatchObject({ status: 200 });
    expect(messageOf(await continued('anthropic', turn, answered(unsigned)))).toMatch(/expected thinking/);
    const changed = answered(([first, ...rest]) => [{ ...first, data: 'x' }, ...rest]);
    expect(messageOf(await continued('anthropic', turn, changed))).toMatch(/invalid signature/);
  });
});
