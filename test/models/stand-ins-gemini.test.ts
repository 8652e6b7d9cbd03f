/** The stand-in for Gemini generateContent refuses what the real one refuses (CASES appendix A). */
import { describe, expect, test } from '@jest/globals';
import type { Json, Turn } from '../support/providers/provider-api.ts';
import { startProvider } from '../support/providers/start-provider.ts';
import { continued, countPaths, describeRules, legalHeaders, messageOf, post, smallest } from './rule-suite.ts';

const call = (args: Json = {}, name = 'f', id?: string) => ({ functionCall: { name, args, ...(id && { id }) } });
const response = (value: Json = { content: 'r' }, name = 'f', id?: string) => ({
  functionResponse: { name, response: value, ...(id && { id }) },
});
const hello = { role: 'user', parts: [{ text: 'Hello' }] };
/** The user begins, and the roles take turns. */
const talk = (...parts: Json[][]) => ({
  contents: [hello, ...parts.map((each, index) => ({ role: index % 2 === 0 ? 'model' : 'user', parts: each }))],
});
const declare = (...declarations: Json[]) => ({
  tools: [{ functionDeclarations: declarations.map((each) => ({ name: 'f', description: '', ...each })) }],
});
const schema = (parameters: Json) => declare({ parameters });
const of = (a: Json) => schema({ type: 'object', properties: { a } });
const mode = (name: string, more = {}) => ({ toolConfig: { functionCallingConfig: { mode: name, ...more } } });
const two = [call(), call({ b: 1 }, 'g')];
const legal = {
  ...smallest.google,
  ...of({ type: 'string', nullable: true }),
  ...talk(two, [response(), response({}, 'g')]),
};

describeRules('google', legal, {
  taken: [
    ['a tool without parameters', declare({})],
    ['a schema in the newer field', declare({ parametersJsonSchema: { $ref: '#', const: 1 } })],
    ['anyOf alone', of({ anyOf: [{ type: 'string' }, { type: 'integer' }], description: '' })],
    ['dots and colons in a name', declare({ name: 'a.b:c' })],
    ['ids that fit', talk([call({}, 'f', 'x')], [response({}, 'f', 'x')])],
    ['"$ref" in the text of a response', talk([call()], [response({ content: '{"$ref": "#"}' })])],
    ['mode VALIDATED', mode('VALIDATED')],
    ['mode ANY for some tools', mode('ANY', { allowedFunctionNames: ['f'] })],
    ['an answer behind an answer', { contents: [...talk([{ text: 'a' }]).contents, hello] }],
  ],
  refused: [
    ['a missing limit of tokens', { generationConfig: {} }, /maxOutputTokens: field required/],
    [
      'a limit that is no number',
      { generationConfig: { maxOutputTokens: '5' } },
      /maxOutputTokens: must be an integer/,
    ],
    ['an unknown parameter', { messages: [] }, /unknown parameter: messages/],
    ['an unknown setting', { generationConfig: { maxTokens: 1 } }, /generationConfig.maxTokens/],
    ['no contents', { contents: [] }, /contents: field required/],
    ['an unknown role', { contents: [{ ...hello, role: 'assistant' }] }, /role: must be user or model/],
    ['a content without parts', talk([]), /parts: must not be empty/],
    ['an empty text part', talk([{ text: '' }]), /an empty text part/],
    ['an empty system prompt', { systemInstruction: { parts: [{ text: '' }] } }, /systemInstruction: an empty/],
    ['an unknown part', talk([{ tool_use: {} }]), /unknown parameter: contents\[1\].parts.tool_use/],
    ['fewer responses than calls', talk(two, [response()]), /number of function response parts \(1\)/],
    ['more responses than calls', talk([call()], [response(), response()]), /response parts \(2\)/],
    ['calls without responses', talk(two), /without responses at the end/],
    ['text before responses', talk([call()], [{ text: 'x' }], [{ text: 'y' }], [response()]), /response parts \(0\)/],
    ['responses in two contents', talk(two, [response()], [{ text: 'x' }], [response({}, 'g')]), /parts \(1\)/],
    [
      'parallel calls in two contents',
      { contents: [hello, { role: 'model', parts: [call()] }, { role: 'model', parts: [call()] }] },
      /response parts \(0\)/,
    ],
    [
      'a call behind an answer',
      { contents: [...talk([{ text: 'a' }]).contents, { role: 'model', parts: [call()] }] },
      /right after a user turn/,
    ],
    ['a call at the beginning', { contents: [{ role: 'model', parts: [call()] }] }, /right after a user turn/],
    ['a call of the user', { contents: [{ role: 'user', parts: [call()] }] }, /are the model's/],
    ['responses in another order', talk(two, [response({}, 'g'), response()]), /another order/],
    ['the id of another call', talk([call({}, 'f', 'x')], [response({}, 'f', 'y')]), /id of another call/],
    ['a response that is no object', talk([call()], [response('r')]), /response must be an object/],
    ['"$ref" in a response', talk([call()], [response({ content: [{ $ref: '#' }] })]), /"\$ref" in a function/],
    ['arguments that are no object', talk([call([1])], [response()]), /args must be an object/],
    ['a bad name in the history', talk([call({}, 'a b')], [response({}, 'a b')]), /invalid function name "a b"/],
    ['a signature that was never given', talk([{ ...call(), thoughtSignature: 'x' }], [response()]), /not valid/],
    ['a name that begins with a digit', declare({ name: '9lives' }), /invalid function name "9lives"/],
    ['a name of over 64 characters', declare({ name: 'a'.repeat(65) }), /invalid function name/],
    ['two tools of one name', declare({}, {}), /names must be unique/],
    ['a mode that there is not', mode('REQUIRED'), /mode: "REQUIRED"/],
    ['chosen names under AUTO', mode('AUTO', { allowedFunctionNames: ['f'] }), /only with mode ANY/],
    ['additionalProperties', schema({ type: 'object', additionalProperties: false }), /"additionalProperties"/],
    ['$schema', schema({ $schema: 'x', type: 'object' }), /"\$schema"/],
    ['$defs', schema({ $defs: {}, type: 'object' }), /"\$defs"/],
    ['$ref', of({ $ref: '#/$defs/x' }), /"\$ref"/],
    ['const', of({ const: 'x' }), /"const"/],
    ['oneOf', of({ oneOf: [] }), /"oneOf"/],
    ['patternProperties', of({ type: 'object', patternProperties: {} }), /"patternProperties"/],
    ['exclusiveMinimum', of({ type: 'number', exclusiveMinimum: 0 }), /"exclusiveMinimum"/],
    ['a bad word in a list in an object', of({ type: 'array', items: { const: 1 } }), /a.items: unknown name "const"/],
    ['a bad word in one of several', of({ anyOf: [{ const: 1 }] }), /"const"/],
    ['a list of types', of({ type: ['string', 'null'] }), /not repeating/],
    ['a type that there is not', of({ type: 'float' }), /unknown "float"/],
    ['something beside anyOf', of({ anyOf: [], type: 'string' }), /must be the only field set/],
    ['an enum of numbers', of({ type: 'integer', enum: [1] }), /enum: only strings/],
    ['a list of anything', of({ type: 'array' }), /items: missing field/],
    ['a tuple', of({ type: 'array', items: [{ type: 'string' }] }), /must be an object/],
    ['a required property that is not there', schema({ type: 'object', required: ['x'] }), /not defined: x/],
  ],
});

describe('google', () => {
  const signed: Turn = { text: 'Said.', signed: true, calls: [{ name: 'f', arguments: { a: 1 } }, { name: 'f' }] };
  const answered =
    (change: (parts: Json[]) => Json[]) =>
    ({ candidates }: Json) =>
      talk(change(candidates[0].content.parts), [response(), response()]);
  const signature = (part: Json, thoughtSignature?: string) => ({ ...part, thoughtSignature });

  test('counts contents alone, or a whole request that names its model', async () => {
    const provider = await startProvider('google', { text: 'ok' });
    const count = (body: Json) => post(provider, countPaths.google!, body, legalHeaders.google);
    expect(await count({ contents: [hello] })).toMatchObject({ status: 200 });
    expect(messageOf(await count({ contents: [hello], tools: [] }))).toMatch(/unknown parameter: tools/);
    expect(messageOf(await count({ generateContentRequest: { contents: [hello] } }))).toMatch(/must be models/);
    await provider.close();
  });

  test('signs the first of parallel calls, and takes it back as it was', async () => {
    let parts: Json[] = [];
    const posted = await continued(
      'google',
      signed,
      answered((given) => (parts = given)),
    );
    expect(posted).toMatchObject({ status: 200 });
    expect(parts.map((part) => part.thoughtSignature !== undefined)).toEqual([false, true, false]);
  });

  test.each<readonly [string, (parts: Json[]) => Json[], RegExp]>([
    ['without it', ([a, b, c]) => [a, signature(b), c], /missing a thought_signature/],
    ['with another', ([a, b, c]) => [a, signature(b, 'x'), c], /not valid/],
    ['on the second call', ([a, b, c]) => [a, signature(b), signature(c, b.thoughtSignature)], /missing a thought/],
    ['on both calls', ([a, b, c]) => [a, b, signature(c, b.thoughtSignature)], /only the first call/],
  ])('refuses signed calls %s', async (_, change, names) => {
    expect(messageOf(await continued('google', signed, answered(change)))).toMatch(names);
  });
});
