import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { ModelReply } from '../../src/contract/model.ts';
import type { ModelStep, ModelStepResult } from '../../src/contract/steps.ts';
import { modelStepResultSchema } from '../../src/contract/steps.ts';
import type { Message, ToolResult, TranscriptHead, TranscriptLink } from '../../src/contract/transcript.ts';
import type { PromptMessage } from '../../src/models/model.ts';
import { defineTool } from '../../src/tools/tool.ts';
import type { openEnvironment } from './activity-world.ts';
import {
  createWorld,
  memoryStore,
  modelOf,
  modelStep,
  reply,
  runOnce,
  type ListModel,
  type MemoryStore,
} from './activity-world.ts';

const search = defineTool({
  name: 'search',
  description: 'Searches.',
  effect: 'read',
  input: z.object({ query: z.string() }),
  run: async () => ({ text: 'hits' }),
});
const now = defineTool({
  name: 'now',
  description: 'Tells the time.',
  effect: 'read',
  input: z.object({}),
  run: async () => ({ text: 'noon' }),
});
const tools = [search, now];
const traits = tools.map((tool) => tool.description);

type Reply = Extract<ModelStepResult, { kind: 'reply' }>;

async function turn(
  model: ListModel,
  parts: Partial<ModelStep> = {},
  store: MemoryStore = memoryStore(),
): Promise<Reply> {
  const { activities } = createWorld({ model, tools, store });
  const result = await runOnce(activities.callModelActivity, modelStep({ tools: traits, ...parts }));
  expect(modelStepResultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  if (result.kind !== 'reply') throw new Error(`it does not fit: ${result.neededTokens} tokens are needed`);
  return result;
}

const asking = (...calls: ModelReply['toolCalls']) => modelOf([reply({ toolCalls: calls })]);
const searchFor = (query: string) => ({ name: 'search', arguments: { query } });

/** The chain as it is stored, oldest first. */
function chainOf(store: MemoryStore, head: TranscriptHead): Message[] {
  const messages: Message[] = [];
  for (let hash: string | null = head.hash; hash !== null;) {
    const link = JSON.parse(store.text(hash)) as TranscriptLink;
    messages.unshift(link.message);
    hash = link.parent;
  }
  return messages;
}

const answerTo = (callId: string, text: string): ToolResult => ({
  callId,
  name: 'search',
  isError: false,
  content: { text },
});

describe('ids of calls', () => {
  test('are the turn and the place, whatever the provider called them: also for equal calls', async () => {
    const model = asking(searchFor('a'), searchFor('a'), searchFor('b'));
    const { calls } = await turn(model, { turn: 3 });
    expect(calls.map((call) => call.callId)).toEqual(['t3c1', 't3c2', 't3c3']);
    expect(calls[0]!.argumentsHash).toBe(calls[1]!.argumentsHash);
    expect(calls[0]!.argumentsHash).not.toBe(calls[2]!.argumentsHash);
  });

  test('equal arguments have equal hashes, in whatever order their keys come', async () => {
    const { calls } = await turn(
      asking({ name: 'search', arguments: { a: 1, query: 'x' } }, { name: 'search', arguments: '{"query":"x","a":1}' }),
    );
    expect(calls[0]!.argumentsHash).toBe(calls[1]!.argumentsHash);
  });
});

describe('arguments', () => {
  test.each([
    ['an unfinished object', '{"q": "x"'],
    ['null as text', 'null'],
    ['a list as text', '[1]'],
    ['null', null],
    ['a list', [1]],
    ['a number', 5],
  ])('that are %s are not executed, and the problem is told', async (_, given) => {
    const store = memoryStore();
    const { calls, head } = await turn(asking({ name: 'search', arguments: given }, searchFor('ok')), {}, store);
    expect(calls[0]!.problem).toMatch(/^The arguments are not a JSON object: /);
    expect(calls[1]!.problem).toBeUndefined();
    expect(chainOf(store, head).at(-1)).toMatchObject({
      toolCalls: [{ arguments: {}, malformed: expect.any(String) }, {}],
    });
  });

  test('of a megabyte that cannot be read are echoed in at most a thousand characters', async () => {
    const store = memoryStore();
    const { calls, head } = await turn(
      asking({ name: 'search', arguments: `{"q": "${'x'.repeat(1_000_000)}` }),
      {},
      store,
    );
    expect(calls[0]!.problem!.length).toBeLessThan(1_200);
    expect(JSON.stringify(chainOf(store, head).at(-1)).length).toBeLessThan(1_500);
  });

  test.each(['', '  ', undefined, '{}', {}])('"%s" is the wire form of no arguments', async (given) => {
    const { calls } = await turn(asking({ name: 'now', arguments: given }));
    expect(calls[0]!.problem).toBeUndefined();
    expect(calls[0]!.argumentsPreview).toBe('{}');
  });

  test('that the tool needs and does not get are refused as ever', async () => {
    const { calls } = await turn(asking({ name: 'search', arguments: '' }));
    expect(calls[0]!.problem).toBe('The arguments were refused: query: wanted a string, came nothing.');
  });

  test('nested too deeply for a stack are a problem of the call, not of the run', async () => {
    const deep = `{"query": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const { calls } = await turn(asking({ name: 'search', arguments: deep }, searchFor('ok')));
    expect(calls[0]!.problem).toMatch(/^The arguments are not a JSON object: nested too deeply/);
    expect(calls[1]!.problem).toBeUndefined();
  });

  test('bring no lone surrogate and no NUL into the transcript, not even as escapes', async () => {
    const store = memoryStore();
    const { head } = await turn(asking({ name: 'search', arguments: '{"query":"a\\ud83d b\\u0000c"}' }), {}, store);
    expect(chainOf(store, head).at(-1)).toMatchObject({ toolCalls: [{ arguments: { query: 'a\ufffd bc' } }] });
  });
});

test('a call of a tool that does not exist is answered with the tools there are, and the others stand', async () => {
  const { calls } = await turn(
    asking({ name: 'serch', arguments: {} }, { name: 'multi_tool_use.parallel', arguments: {} }, searchFor('a')),
  );
  expect(calls.map((call) => call.problem)).toEqual([
    'There is no tool named "serch". The tools are: search, now.',
    'There is no tool named "multi_tool_use.parallel". The tools are: search, now.',
    undefined,
  ]);
});

test('a tool that this worker has and the run was not given is not offered and not accepted', async () => {
  const model = asking({ name: 'now', arguments: {} });
  const { calls } = await turn(model, { tools: [search.description] });
  expect(model.requests[0]!.tools.map((tool) => tool.name)).toEqual(['search']);
  expect(calls[0]!.problem).toBe('There is no tool named "now". The tools are: search.');
});

describe('the transcript', () => {
  test('opens with the instructions, the question and the goal, and ends with the answer', async () => {
    const store = memoryStore();
    const { head } = await turn(modelOf([reply({ text: 'I think' })]), { instructions: 'Be brief.' }, store);
    const chain = chainOf(store, head);
    expect(chain.map((message) => message.role)).toEqual(['system', 'user', 'assistant']);
    expect((chain[1] as { text: string }).text).toMatch(/Why\?[\s\S]*Find out why\.[\s\S]*Be brief\./);
    expect(head.messages).toBe(3);
  });

  test('takes all answers of a batch as one message, in the order of the calls', async () => {
    const store = memoryStore();
    const first = await turn(asking(searchFor('slow'), searchFor('fast'), { name: 'x', arguments: {} }), {}, store);
    const model = modelOf([reply({ text: 'done' })]);
    const ref = await store.put(new TextEncoder().encode('the slow answer'));
    const results: ToolResult[] = [
      { callId: 't1c1', name: 'search', isError: false, content: { ref } },
      answerTo('t1c2', 'the fast answer'),
      { callId: 't1c3', name: 'x', isError: true, content: { text: 'no such tool' } },
    ];
    const second = await turn(model, { turn: 2, head: first.head, results }, store);
    const sent = model.requests[0]!.messages;
    expect(sent.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(sent.at(-1)).toEqual({
      role: 'tool',
      results: [
        { callId: 't1c1', name: 'search', isError: false, text: 'the slow answer' },
        { callId: 't1c2', name: 'search', isError: false, text: 'the fast answer' },
        { callId: 't1c3', name: 'x', isError: true, text: 'no such tool' },
      ],
    });
    expect(chainOf(store, second.head).at(3)).toEqual({ role: 'tool', results });
    expect(second.head.messages).toBe(5);
  });

  test('keeps what was there: a later turn adds two links to the chain and changes none', async () => {
    const store = memoryStore();
    const first = await turn(asking(searchFor('a')), {}, store);
    const before = new Set(store.blobs.keys());
    await turn(
      modelOf([reply({ text: 'ok' })]),
      { turn: 2, head: first.head, results: [answerTo('t1c1', 'x')] },
      store,
    );
    expect([...before].every((hash) => store.blobs.has(hash))).toBe(true);
    expect(store.blobs.size).toBe(before.size + 2);
  });

  test('has the same head whenever and wherever the same turn is made: no time, attempt or workflow is in it', async () => {
    const make = async (info: Parameters<typeof openEnvironment>[0]) => {
      const { activities } = createWorld({ model: asking(searchFor('a')), tools });
      const result = await runOnce(activities.callModelActivity, modelStep({ tools: traits }), info);
      return (result as Reply).head;
    };
    const heads = [
      await make({}),
      await make({ attempt: 3, scheduledTimestampMs: 99 }),
      await make({ workflowExecution: { workflowId: 'other/s1', runId: 'again' } }),
    ];
    expect(heads[1]).toEqual(heads[0]);
    expect(heads[2]).toEqual(heads[0]);
  });

  test("carries a provider's own parts unchanged into the next request", async () => {
    const store = memoryStore();
    const provider = [{ thought: true, signature: 'c2ln==' }, { nested: { list: [1, null] } }];
    const first = await turn(modelOf([reply({ toolCalls: [searchFor('a')], provider })]), {}, store);
    const model = modelOf([reply({ text: 'ok' })]);
    await turn(model, { turn: 2, head: first.head, results: [answerTo('t1c1', 'x')] }, store);
    expect(model.requests[0]!.messages[2]).toMatchObject({ role: 'assistant', provider });
  });

  test('knows what the provider counted for it', async () => {
    const { head } = await turn(modelOf([reply({ usage: { inputTokens: 321, outputTokens: 45 } })]));
    expect(head.knownTokens).toBe(366);
  });

  test('is durable before its head is given out', async () => {
    const store = memoryStore();
    let release = () => {};
    const written = new Promise<void>((resolve) => (release = resolve));
    let waiting = 0;
    const { activities } = createWorld({
      store: {
        ...store,
        async put(bytes) {
          waiting += 1;
          await written;
          return store.put(bytes);
        },
      },
    });
    let isOver = false;
    const running = runOnce(activities.callModelActivity, modelStep()).finally(() => (isOver = true));
    while (waiting === 0) await new Promise(setImmediate);
    for (let round = 0; round < 5; round += 1) await new Promise(setImmediate);
    expect(isOver).toBe(false);
    release();
    expect(store.blobs.has(((await running) as Reply).head.hash)).toBe(true);
  });
});

describe('the hand-back turn', () => {
  test('offers no tools, says why, and gives the reason as a message of its own after the answers', async () => {
    const store = memoryStore();
    const first = await turn(asking(searchFor('a')), {}, store);
    const report = { summary: 'what I have', claims: [], tried: [], failed: [] };
    const model = modelOf([reply({ text: JSON.stringify(report) })]);
    const results = [answerTo('t1c1', 'x')];
    const last = await turn(model, { turn: 2, head: first.head, results, handBack: 'budget' }, store);
    const [request] = model.requests;
    expect(request!.toolChoice).toBe('none');
    expect(request!.task).toMatchObject({ kind: 'research', handBack: true });
    expect(request!.messages.slice(-2).map((message) => message.role)).toEqual(['tool', 'user']);
    expect((request!.messages.at(-1) as { text: string }).text).toMatch(/Your budget is used up.*No more tools/);
    expect(last.report).toEqual(report);
  });

  test('takes a report also from a model that asks for tools again', async () => {
    const model = modelOf([reply({ text: '{"summary": "found"}', toolCalls: [searchFor('a')] })]);
    expect((await turn(model, { handBack: 'max-turns' })).report).toMatchObject({ summary: 'found' });
  });
});

describe('what is handed back', () => {
  test.each([
    ['nothing', ''],
    ['blanks', '  \n'],
    ['null', 'null'],
  ])('by an answer that is %s is no report', async (_, text) => {
    expect((await turn(modelOf([reply({ text })]))).report).toBeNull();
  });

  test('is read from the text of a reply without calls, and not from one with calls', async () => {
    expect((await turn(modelOf([reply({ text: 'plain words' })]))).report).toMatchObject({ summary: 'plain words' });
    expect((await turn(modelOf([reply({ text: 'thinking', toolCalls: [searchFor('a')] })]))).report).toBeNull();
  });

  test.each(['refusal', 'length', 'content-filter', 'pause', 'unknown'] as const)(
    'comes with the stop state %s and the word of the provider',
    async (finish) => {
      const result = await turn(modelOf([reply({ finish, rawFinish: `raw_${finish}` })]));
      expect(result).toMatchObject({ finish, rawFinish: `raw_${finish}` });
    },
  );
});

describe('what cannot be mended by a repeat', () => {
  test('another store than the one of the run: both are named, nothing is asked', async () => {
    const model = modelOf([reply()]);
    const { activities } = createWorld({ model, store: memoryStore('store_other') });
    const running = runOnce(activities.callModelActivity, modelStep());
    await expect(running).rejects.toMatchObject({ type: 'STORE_MISMATCH', nonRetryable: true });
    await expect(running).rejects.toThrow(/store_test.*store_other/);
    expect(model.requests).toHaveLength(0);
  });

  test('a missing link or a missing result', async () => {
    const store = memoryStore();
    const first = await turn(asking(searchFor('a')), {}, store);
    const { activities } = createWorld({ store });
    const gone = { hash: 'ab'.repeat(32), bytes: 5 };
    const missing = { type: 'TRANSCRIPT_MISSING', nonRetryable: true };
    const result: ToolResult = { callId: 't1c1', name: 'search', isError: false, content: { ref: gone } };
    await expect(
      runOnce(activities.callModelActivity, modelStep({ turn: 2, head: first.head, results: [result] })),
    ).rejects.toMatchObject(missing);
    store.blobs.delete((JSON.parse(store.text(first.head.hash)) as { parent: string }).parent);
    await expect(
      runOnce(activities.callModelActivity, modelStep({ turn: 2, head: first.head, results: [answerTo('t1c1', 'x')] })),
    ).rejects.toMatchObject(missing);
  });
});

describe('a reservation that is too small', () => {
  const long = 'one two three four '.repeat(600);

  async function cutTurn(maxSpendTokens: number) {
    const store = memoryStore();
    const first = await turn(
      modelOf([reply({ toolCalls: [searchFor('a')], usage: { inputTokens: 400, outputTokens: 20 } })]),
      {},
      store,
    );
    const model = modelOf([reply({ text: 'ok' })], {
      countTokens: async (request) => Math.ceil(JSON.stringify(request.messages).length / 4),
    });
    const step = modelStep({
      tools: traits,
      turn: 2,
      head: first.head,
      results: [answerTo('t1c1', long)],
      maxSpendTokens,
    });
    const { activities } = createWorld({ model, tools, store });
    const result = await runOnce(activities.callModelActivity, step);
    return { store, first, model, result };
  }

  test('cuts the result, and the chain is rewritten with what was really sent, note included', async () => {
    const { store, model, result } = await cutTurn(2_000);
    const head = (result as Reply).head;
    const sent = model.requests[0]!.messages.at(-1) as Extract<PromptMessage, { role: 'tool' }>;
    expect(sent.results[0]!.text.length).toBeLessThan(long.length);
    expect(sent.results[0]!.text).toMatch(
      new RegExp(`\\[cut from ${long.length} to \\d+ characters to fit the token budget\\]$`),
    );
    const chain = chainOf(store, head);
    expect(chain.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant']);
    expect(chain[3]).toMatchObject({ results: [{ callId: 't1c1', content: { text: sent.results[0]!.text } }] });
    expect(head.messages).toBe(5);
  });

  test('that not even cuts can help sends nothing, costs nothing and says what it would take', async () => {
    const { model, result } = await cutTurn(300);
    expect(result).toMatchObject({ kind: 'does-not-fit', usage: { requests: 0, lost: 0 } });
    expect((result as { neededTokens: number }).neededTokens).toBeGreaterThan(300);
    expect(model.requests).toHaveLength(0);
  });
});

describe('the switches of a run', () => {
  const systemOf = (model: ListModel) => (model.requests[0]!.messages[0] as { text: string }).text;

  test('parallel calls are passed to the model, and the system prompt asks for independent calls at once', async () => {
    const model = modelOf([reply({ text: 'ok' })]);
    await turn(model);
    expect(model.requests[0]).toMatchObject({ parallelToolCalls: true, toolChoice: 'auto' });
    expect(systemOf(model)).toContain('in one message');
  });

  test('the line on batching can be left out alone', async () => {
    const model = modelOf([reply({ text: 'ok' })]);
    await turn(model, { encourageBatching: false });
    expect(model.requests[0]!.parallelToolCalls).toBe(true);
    expect(systemOf(model)).not.toContain('in one message');
  });

  test('without parallel calls the prompt asks for one at a time', async () => {
    const model = modelOf([reply({ text: 'ok' })]);
    await turn(model, { parallelToolCalls: false });
    expect(model.requests[0]!.parallelToolCalls).toBe(false);
    expect(systemOf(model)).toMatch(/one tool call at a time/);
    expect(systemOf(model)).not.toContain('at the same time');
  });
});

describe('the hand-back', () => {
  test('names the tools of the conversation and lets none be called', async () => {
    const model = modelOf([reply({ text: 'ok' })]);
    await turn(model, { handBack: 'budget' });
    expect(model.requests[0]).toMatchObject({ toolChoice: 'none', tools: [{ name: 'search' }, { name: 'now' }] });
  });
});

describe('a reply that was of no use', () => {
  test.each([
    ['truncated', /cut off by the output limit/],
    ['malformed-call', /could not be read/],
  ] as const)('%s: the model is told so before it goes on', async (note, text) => {
    const store = memoryStore();
    const first = await turn(modelOf([reply({ text: 'half' })]), {}, store);
    const model = modelOf([reply({ text: 'ok' })]);
    const second = await turn(model, { turn: 2, head: first.head, note }, store);
    expect(model.requests[0]!.messages.at(-1)).toEqual({ role: 'user', text: expect.stringMatching(text) });
    expect(chainOf(store, second.head).at(-2)).toMatchObject({ role: 'user', text: expect.stringMatching(text) });
  });
});

test('what the provider warned of stands in the result', async () => {
  const { warnings } = await turn(modelOf([reply({ text: 'ok', warnings: ['unsupported: toolChoice'] })]));
  expect(warnings).toEqual(['unsupported: toolChoice']);
});
