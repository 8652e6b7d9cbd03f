import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fitRequest, type FittedRequest } from '../../src/activities/fit-request.ts';
import { utf8Bytes } from '../../src/domain/text.ts';
import type { ModelRequest, PromptMessage } from '../../src/models/model.ts';
import { modelOf, type ListModel } from './activity-world.ts';

const resultOf = (text: string, callId = 't1c1') => ({ callId, name: 'read', isError: false, text });
const toolMessage = (...texts: string[]): PromptMessage => ({
  role: 'tool',
  results: texts.map((text, index) => resultOf(text, `t1c${index + 1}`)),
});
const opening: PromptMessage[] = [
  { role: 'system', text: 'You research.' },
  { role: 'user', text: 'Why?' },
];
const assistant: PromptMessage = { role: 'assistant', text: '', toolCalls: [] };

const requestOf = (messages: readonly PromptMessage[], parts: Partial<ModelRequest> = {}): ModelRequest => ({
  task: { kind: 'research', subagentId: 's1', question: 'Why?', goal: 'why', turn: 2, handBack: false },
  messages,
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  maxOutputTokens: 1_000,
  ...parts,
});

/** A model that counts a token for every `bytesPerToken` bytes of what is sent. */
function countingModel(bytesPerToken = 4): ListModel & { counts: number } {
  const model: ListModel & { counts: number } = {
    ...modelOf([]),
    counts: 0,
    countTokens: async (request) => {
      model.counts += 1;
      return countOf(request, bytesPerToken);
    },
  };
  return model;
}
const countOf = (request: ModelRequest, bytesPerToken = 4) =>
  Math.ceil(utf8Bytes(JSON.stringify([request.messages, request.tools])) / bytesPerToken);

type Options = { known?: { tokens: number; messages: number }; mayShrink?: boolean };
const fit = (model: ListModel, request: ModelRequest, availableTokens: number, options: Options = {}) =>
  fitRequest(model, request, {
    availableTokens,
    known: { tokens: 0, messages: 0 },
    mayShrink: true,
    signal: new AbortController().signal,
    ...options,
  });

const textsOf = (fitted: FittedRequest, position: number): string[] => {
  if (fitted.kind !== 'fits') throw new Error(`it needs ${fitted.neededTokens}`);
  const message = fitted.request.messages[position]!;
  return message.role === 'tool' ? message.results.map((result) => result.text) : [];
};

describe('the cascade', () => {
  test('what fits by the byte bound is sent as it is, and nobody is asked to count', async () => {
    const model = countingModel();
    const request = requestOf([...opening, assistant, toolMessage('short')]);
    const fitted = await fit(model, request, 5_000);
    expect(fitted).toMatchObject({ kind: 'fits', request, cut: [] });
    expect(model.counts).toBe(0);
  });

  test('where the bound is too high, an exact count lets the request through uncut', async () => {
    const model = countingModel();
    const request = requestOf([...opening, assistant, toolMessage('x'.repeat(4_000))]);
    const fitted = await fit(model, request, 2_400);
    expect(fitted).toMatchObject({ kind: 'fits', cut: [], request: { messages: request.messages } });
    expect(fitted).toMatchObject({ requestTokens: countOf(request) + 1_000 });
    expect(model.counts).toBe(1);
  });

  test('where a model cannot count, what the conversation has cost so far calibrates the bytes', async () => {
    const model = modelOf([]);
    const before = [...opening, assistant, toolMessage('x'.repeat(8_000))];
    const request = requestOf([...before, assistant, toolMessage('y'.repeat(2_000))]);
    const known = { tokens: 2_000, messages: before.length };
    // The bound takes the new bytes as tokens (4,000 with the answer); the estimate takes a quarter of them.
    expect(await fit(model, request, 4_500, { known })).toMatchObject({ kind: 'fits', cut: [] });
    const estimated = await fit(model, request, 4_200, { known });
    expect(estimated).toMatchObject({ kind: 'fits', cut: [], request: { messages: request.messages } });
  });

  test('where nothing is known and nobody can count, the bytes themselves are the estimate', async () => {
    const request = requestOf([...opening, assistant, toolMessage('x'.repeat(4_000))]);
    const fitted = await fit(modelOf([]), request, 2_400);
    expect(fitted).toMatchObject({ kind: 'fits', cut: [3] });
  });

  test('the newest results are cut first, and older ones only when that is not enough', async () => {
    const messages = [
      ...opening,
      assistant,
      toolMessage('old '.repeat(1_000)),
      assistant,
      toolMessage('new '.repeat(1_000)),
    ];
    const newest = await fit(countingModel(), requestOf(messages), 2_300);
    expect(newest).toMatchObject({ kind: 'fits', cut: [5] });
    expect(textsOf(newest, 3)).toEqual(['old '.repeat(1_000)]);
    const both = await fit(countingModel(), requestOf(messages), 1_000);
    expect(both).toMatchObject({ kind: 'fits', cut: [5, 3] });
  });

  test('of the results of one message the longest lose most, and short ones nothing', async () => {
    const messages = [...opening, assistant, toolMessage('a'.repeat(8_000), 'b'.repeat(2_000), 'short')];
    const fitted = await fit(countingModel(), requestOf(messages), 2_400);
    const [long, middle, short] = textsOf(fitted, 3) as [string, string, string];
    expect(8_000 - long.length).toBeGreaterThan(2_000 - middle.length);
    expect(middle.length).toBeLessThan(2_000);
    expect(short).toBe('short');
  });

  test('the answer shrinks before a request is given up, but not below half a thousand tokens', async () => {
    const request = requestOf([...opening, assistant, toolMessage('x'.repeat(4_000))]);
    const input = countOf(request);
    expect(await fit(countingModel(), request, input + 700)).toMatchObject({
      kind: 'fits',
      cut: [],
      request: { maxOutputTokens: 700 },
      requestTokens: input + 700,
    });
    expect(await fit(countingModel(), request, input + 511)).toMatchObject({ kind: 'fits', cut: [3] });
  });

  test('what cannot be made to fit says how much it would take', async () => {
    const messages: PromptMessage[] = [{ role: 'user', text: 'x'.repeat(8_000) }, assistant, toolMessage('y')];
    const request = requestOf(messages);
    expect(await fit(countingModel(), request, 1_000)).toEqual({
      kind: 'does-not-fit',
      neededTokens: countOf(request) + 512,
    });
  });

  test('where nothing may be cut it fits as it is or not at all', async () => {
    const model = countingModel();
    const request = requestOf([...opening, assistant, toolMessage('x'.repeat(4_000))]);
    const fitted = await fit(model, request, 2_400, { mayShrink: false });
    expect(fitted.kind).toBe('does-not-fit');
    expect((fitted as { neededTokens: number }).neededTokens).toBeGreaterThan(4_000 + 1_000);
    expect(model.counts).toBe(0);
  });
});

describe('a cut text', () => {
  test('says its original size, however often it had to be cut', async () => {
    // Counts unevenly, so that one cut is not enough: the marker costs as much as a thousand characters.
    const model = {
      ...modelOf([]),
      countTokens: async (request: ModelRequest) =>
        countOf(request) + 900 * (JSON.stringify(request.messages).split('[cut from').length - 1),
    };
    const messages = [...opening, assistant, toolMessage('x'.repeat(20_000))];
    const [text] = textsOf(await fit(model, requestOf(messages), 3_000), 3) as [string];
    expect(text.slice(-100)).toMatch(/\n\[cut from 20000 to \d+ characters to fit the token budget\]$/);
    expect(text.match(/\[cut from/g)).toHaveLength(1);
    const kept = Number(/ to (\d+) characters/.exec(text)![1]);
    expect(text.indexOf('\n[cut from')).toBe(kept);
  });

  test('splits no character, wherever the cut falls', async () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const messages = [...opening, assistant, toolMessage(`${'a'.repeat(shift)}${'😀'.repeat(3_000)}`)];
      const [text] = textsOf(await fit(countingModel(), requestOf(messages), 2_000), 3) as [string];
      expect(text.isWellFormed()).toBe(true);
      expect(text).toContain('[cut from');
    }
  });
});

test('whatever the request and the reservation: what is sent fits it by the own count of the model', async () => {
  const text = fc.oneof(
    fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .chain((seed) => fc.nat({ max: 200 }).map((times) => (seed === '' ? '' : seed.repeat(times)))),
    fc.nat({ max: 6_000 }).map((length) => 'x'.repeat(length)),
  );
  const message = fc.oneof(
    text.map((value): PromptMessage => ({ role: 'user', text: value })),
    fc.array(text, { minLength: 1, maxLength: 4 }).map((texts) => toolMessage(...texts)),
    fc.constant(assistant),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 12_000 }),
      fc.integer({ min: 1, max: 3_000 }),
      fc.integer({ min: 2, max: 6 }),
      async (messages, availableTokens, maxOutputTokens, bytesPerToken) => {
        const request = requestOf(messages, { maxOutputTokens });
        const fitted = await fit(countingModel(bytesPerToken), request, availableTokens);
        if (fitted.kind === 'does-not-fit') {
          expect(fitted.neededTokens).toBeGreaterThan(availableTokens);
          return;
        }
        const sent = fitted.request;
        expect(fitted.requestTokens).toBeLessThanOrEqual(availableTokens);
        expect(countOf(sent, bytesPerToken) + sent.maxOutputTokens).toBeLessThanOrEqual(availableTokens);
        expect(sent.maxOutputTokens).toBeGreaterThanOrEqual(Math.min(512, maxOutputTokens));
        sent.messages.forEach((each, position) => {
          if (!fitted.cut.includes(position)) expect(each).toEqual(messages[position]);
          if (each.role === 'tool') expect(each.results.every((result) => result.text.isWellFormed())).toBe(true);
        });
      },
    ),
    { numRuns: 200 },
  );
});
