import { expect, test } from '@jest/globals';
import { model, options, toRequest } from './extractive-world.ts';

const task = { kind: 'plan', question: 'Wie läuft das? 😀', maxSubagents: 3, outline: [], attempt: 1 } as const;

test('usage is a quarter of the UTF-8 bytes each way', async () => {
  const messages = [{ role: 'user', text: 'ä'.repeat(100) }] as const;
  const reply = await model.call(toRequest(task, { messages }), options);
  // "user: " + 200 bytes + a line break + the empty list of tools.
  expect(reply.usage).toEqual({
    inputTokens: Math.ceil((6 + 200 + 1 + 2) / 4),
    outputTokens: Math.ceil(new TextEncoder().encode(reply.text).length / 4),
  });
  expect(await model.countTokens(toRequest(task, { messages }), options)).toBe(reply.usage!.inputTokens);
});

test('a reply with calls says so, and pays for them', async () => {
  const research = { kind: 'research', subagentId: 's1', question: 'Q', goal: 'Q', turn: 1, handBack: false } as const;
  const tool = {
    name: 'corpus_search',
    description: '',
    effect: 'read',
    session: false,
    idempotent: false,
    inputSchema: {},
  } as const;
  const reply = await model.call(toRequest(research, { tools: [tool] }), options);
  expect(reply).toMatchObject({
    finish: 'tool-calls',
    toolCalls: [{ name: 'corpus_search', arguments: { query: 'Q' } }],
  });
  expect(reply.usage!.outputTokens).toBeGreaterThan(0);
});

test('a fired signal rejects with its reason', async () => {
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(model.call(toRequest(task), { ...options, signal })).rejects.toThrow('stopped');
  await expect(model.countTokens(toRequest(task), { ...options, signal })).rejects.toThrow('stopped');
});
