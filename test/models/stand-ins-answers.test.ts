/** The stand-in servers say what a test says in the words of their vendors (PROVIDERS 4, 5 and 7, CASES B11, B15, B16, B39 to B44). */
import { describe, expect, test } from '@jest/globals';
import type { Answer, Json, Turn, UsageShape } from '../support/providers/provider-api.ts';
import { planRun, serveRun } from '../support/providers/serve-run.ts';
import { families, providerKey, startProvider, type Family } from '../support/providers/start-provider.ts';
import { legalHeaders, messageOf, paths, post, smallest } from './rule-suite.ts';

async function answerOf(family: Family, reply: Answer) {
  const provider = await startProvider(family, reply);
  try {
    return await post(provider, paths[family], smallest[family], legalHeaders[family]);
  } finally {
    await provider.close();
  }
}
const say = async (family: Family, turn: Turn): Promise<Json> => (await answerOf(family, turn)).body;

describe('stop states', () => {
  const calls = [{ name: 'f', arguments: {} }];
  test.each<readonly [Turn, unknown]>([
    [{}, 'end_turn'],
    [{ calls }, 'tool_use'],
    [{ calls, stop: 'stop' }, 'end_turn'],
    [{ calls, stop: 'length' }, 'max_tokens'],
    [{ stop: 'refusal' }, 'refusal'],
    [{ stop: 'pause' }, 'pause_turn'],
    [{ stop: 'context-exceeded' }, 'model_context_window_exceeded'],
    [{ stop: 'invented' }, 'brand_new_reason'],
    [{ rawStop: 'compaction' }, 'compaction'],
  ])('anthropic %j is %s', async (turn, reason) => {
    expect((await say('anthropic', turn)).stop_reason).toBe(reason);
  });

  describe.each(['openai-chat', 'compatible'] as const)('%s', (family) => {
    test.each<readonly [Turn, unknown]>([
      [{}, 'stop'],
      [{ calls }, 'tool_calls'],
      [{ calls, stop: 'stop' }, 'stop'],
      [{ calls, stop: 'length' }, 'length'],
      [{ stop: 'content-filter' }, 'content_filter'],
      [{ stop: 'invented' }, 'brand_new_reason'],
    ])('%j is %s', async (turn, reason) => {
      expect((await say(family, turn)).choices[0].finish_reason).toBe(reason);
    });

    test('a refusal has words of its own', async () => {
      const { message } = (await say(family, { stop: 'refusal', text: 'No.' })).choices[0];
      expect(message).toMatchObject({ content: null, refusal: 'No.' });
    });
  });

  test.each<readonly [Turn, string, Json]>([
    [{}, 'completed', null],
    [{ calls, stop: 'length' }, 'incomplete', { reason: 'max_output_tokens' }],
    [{ stop: 'content-filter' }, 'incomplete', { reason: 'content_filter' }],
    [{ stop: 'invented' }, 'incomplete', { reason: 'brand_new_reason' }],
    [{ stop: 'failed' }, 'failed', null],
  ])('openai %j is %s', async (turn, status, details) => {
    const body = await say('openai', turn);
    expect(body).toMatchObject({ status, incomplete_details: details });
    expect(body.error !== null).toBe(status === 'failed');
  });

  test('openai: a refusal has words of its own', async () => {
    const { output } = await say('openai', { stop: 'refusal', text: 'No.' });
    expect(output[0].content).toEqual([{ type: 'refusal', refusal: 'No.' }]);
  });

  test.each<readonly [Turn, string, boolean]>([
    [{ text: 'x' }, 'STOP', true],
    [{ text: 'x', calls, stop: 'length' }, 'MAX_TOKENS', true],
    [{ stop: 'length' }, 'MAX_TOKENS', false],
    [{ text: 'x', stop: 'content-filter' }, 'SAFETY', false],
    [{ calls, stop: 'malformed-call' }, 'MALFORMED_FUNCTION_CALL', false],
    [{ calls, rawStop: 'UNEXPECTED_TOOL_CALL' }, 'UNEXPECTED_TOOL_CALL', false],
    [{ text: 'x', stop: 'invented' }, 'BRAND_NEW_REASON', true],
  ])('google %j is %s, with content: %s', async (turn, finishReason, hasContent) => {
    const [candidate] = (await say('google', turn)).candidates;
    expect(candidate).toMatchObject({ finishReason });
    expect('content' in candidate).toBe(hasContent);
  });

  test('google: a prompt that was blocked has no candidates', async () => {
    const body = await say('google', { stop: 'blocked-prompt' });
    expect(Object.keys(body)).toEqual(['promptFeedback', 'usageMetadata']);
  });

  test.each<readonly [Family, string]>([
    ['openai', 'output'],
    ['openai-chat', 'choices'],
    ['compatible', 'choices'],
    ['anthropic', 'content'],
    ['google', 'candidates'],
  ])('%s can answer nothing at all', async (family, field) => {
    expect((await say(family, { text: 'x', stop: 'no-choices' }))[field]).toEqual([]);
  });
});

describe('calls', () => {
  test.each(['openai', 'openai-chat', 'compatible'] as const)(
    '%s: they come with any id and any words for arguments',
    async (family) => {
      const body = await say(family, {
        calls: [
          { name: 'f', arguments: '{"q": ', id: 'x' },
          { name: 'f', id: null },
          { name: 'f', arguments: '', id: '' },
        ],
      });
      const called: Json[] =
        family === 'openai'
          ? body.output.map((each: Json) => [each.call_id, each.arguments])
          : body.choices[0].message.tool_calls.map((each: Json) => [each.id, each.function.arguments]);
      expect(called).toEqual([
        ['x', '{"q": '],
        [undefined, undefined],
        ['', ''],
      ]);
    },
  );

  test('google gives an id to those alone that have one', async () => {
    const body = await say('google', { calls: [{ name: 'f', id: 'x' }, { name: 'f' }, { name: 'f', id: null }] });
    const given = body.candidates[0].content.parts.map((part: Json) => part.functionCall);
    expect(given).toEqual([{ name: 'f', args: {}, id: 'x' }, ...Array(2).fill({ name: 'f', args: {} })]);
  });
});

describe('usage', () => {
  test.each<readonly [string, Family, UsageShape, Json]>([
    [
      'caches are beside the input',
      'anthropic',
      { input: 1_210, output: 5, cacheRead: 1_000, cacheWrite: 200 },
      { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 1_000, cache_creation_input_tokens: 200 },
    ],
    [
      'caches are in the prompt',
      'openai-chat',
      { input: 20_212, output: 931, cacheRead: 16_298 },
      { prompt_tokens: 20_212, completion_tokens: 931, prompt_tokens_details: { cached_tokens: 16_298 } },
    ],
    [
      'reasoning is in the completion',
      'openai-chat',
      { input: 100, output: 50, reasoning: 40 },
      { completion_tokens: 50, total_tokens: 150, completion_tokens_details: { reasoning_tokens: 40 } },
    ],
    [
      'reasoning is in the output',
      'openai',
      { input: 100, output: 50, reasoning: 40, cacheRead: 7 },
      {
        output_tokens: 50,
        output_tokens_details: { reasoning_tokens: 40 },
        input_tokens_details: { cached_tokens: 7 },
      },
    ],
    [
      'thoughts are beside the candidates',
      'google',
      { input: 20, output: 533, reasoning: 382 },
      { promptTokenCount: 20, candidatesTokenCount: 151, thoughtsTokenCount: 382, totalTokenCount: 553 },
    ],
    [
      'what tools read is in the total alone',
      'google',
      { input: 100, output: 30, toolUse: 7 },
      { promptTokenCount: 100, toolUsePromptTokenCount: 7, totalTokenCount: 137 },
    ],
    ['part of it', 'compatible', { raw: { prompt_tokens: 5 } }, { prompt_tokens: 5 }],
  ])('%s: %s', async (_, family, usage, expected) => {
    const body = await say(family, { text: 'x', usage });
    expect(body.usage ?? body.usageMetadata).toMatchObject(expected);
  });

  test.each(families)('%s: missing, null, zeros, negative, strings', async (family) => {
    const field = family === 'google' ? 'usageMetadata' : 'usage';
    const of = async (usage: UsageShape) => (await say(family, { text: 'x', usage }))[field];
    expect(await of('missing')).toBeUndefined();
    expect(await of('null')).toBeNull();
    expect(new Set(Object.values(await of('zeros')))).toEqual(new Set([0]));
    expect(Object.values(await of('negative'))).toContain(-1);
    expect(Object.values(await of('strings'))).toEqual(expect.arrayContaining(['12', '3']));
  });
});

describe.each(families)('errors of %s', (family) => {
  const ofOpenAi = { error: { type: 'requests', code: 'rate_limit_exceeded', param: null } };
  const shapes: Record<Family, Json> = {
    openai: ofOpenAi,
    'openai-chat': ofOpenAi,
    compatible: ofOpenAi,
    anthropic: { type: 'error', error: { type: 'rate_limit_error' } },
    google: { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
  };

  test('have the vendor’s shape and any headers', async () => {
    const headers = { 'Retry-After': '7', 'retry-after-ms': '4321', 'x-should-retry': 'false' };
    const posted = await answerOf(family, { error: { status: 429, message: 'Slow down.', headers } });
    expect(posted).toMatchObject({ status: 429, body: shapes[family] });
    expect(messageOf(posted)).toBe('Slow down.');
    expect(Object.fromEntries(posted.headers)).toMatchObject({
      'retry-after': '7',
      'retry-after-ms': '4321',
      'x-should-retry': 'false',
    });
  });

  test('have the vendor’s own code, and quote the key, where the test says so', async () => {
    const posted = await answerOf(family, { error: { status: 429, code: 'insufficient_quota', echoesKey: true } });
    expect(messageOf(posted)).toContain(providerKey);
    expect(JSON.stringify(posted.body)).toContain('insufficient_quota');
  });

  test('come under 200 too, as JSON and as HTML', async () => {
    const json = await answerOf(family, { error: { status: 200 } });
    expect([json.status, messageOf(json)]).toEqual([200, 'It failed.']);
    const html = await answerOf(family, { error: { status: 200, body: '<html>busy</html>' } });
    expect([html.status, html.body, html.headers.get('content-type')]).toEqual([200, '<html>busy</html>', 'text/html']);
  });
});

test('google says in the body how long to wait, and of which quota', async () => {
  const posted = await answerOf('google', { error: { status: 429, retryDelay: '37s', quotaId: 'PerDay' } });
  expect(posted.body.error.details).toEqual([
    expect.objectContaining({ violations: [{ quotaId: 'PerDay' }] }),
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' },
  ]);
});

describe('a whole run', () => {
  const plan = planRun({
    subagents: 12,
    turns: 2,
    toolName: 'corpus_read',
    toolArguments: (goal, place) => ({ goal, place }),
    callsPerTurn: 2,
  });
  const serve = serveRun(plan);
  const asked = (parts: Json) => ({ system: '', user: [], turns: 0, results: [], tools: [], mayCall: true, ...parts });
  const reply = (parts: Json) => serve({ asked: asked(parts) } as never) as Turn;
  const goal = `Your subtask:\n${plan.goals[10]}`;

  test('plans, calls for as many turns as it should, and quotes what it was given', () => {
    expect(JSON.parse(reply({ system: 'You plan a run.' }).text!).subtasks).toHaveLength(12);
    expect(reply({ user: [goal], turns: 1 })).toMatchObject({
      signed: true,
      calls: [
        { name: 'corpus_read', arguments: { goal: plan.goals[10], place: 2 } },
        { name: 'corpus_read', arguments: { goal: plan.goals[10], place: 3 } },
      ],
    });
    const results = ['source: d-1 | A title | corpus:a.md\n\n# Head\n\nThe river flows.', 'no such page'];
    const report = JSON.parse(reply({ user: [goal], turns: 2, results }).text!);
    expect(report.claims).toEqual([{ text: expect.any(String), sourceId: 'd-1', quote: 'The river flows.' }]);
    expect(report).toMatchObject({ summary: expect.any(String), tried: expect.any(Array), failed: [] });
  });

  test('hands back early where no more calls are allowed', () => {
    expect(reply({ user: [goal], turns: 1, mayCall: false }).calls).toBeUndefined();
  });

  test('cites each finding that is listed, once', () => {
    const user = ['Question\n\nSubtask s1\n[s1.1] A — “a”\n[s1.2] As [s9.9] says — “b”\nSubtask s2\n[s2.1] C'];
    const { text } = reply({ system: 'You write a report.', user });
    expect(text!.match(/\[s\d\.\d\]/g)).toEqual(['[s1.1]', '[s1.2]', '[s2.1]']);
  });
});
