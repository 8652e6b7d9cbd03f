import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureCodes } from '../../src/contract/failure.ts';
import type { ModelTask, SynthesisInput } from '../../src/contract/model.ts';
import { readPlan } from '../../src/domain/plan.ts';
import { readReport } from '../../src/domain/report.ts';
import type { Model, ModelRequest, PromptMessage } from '../../src/models/model.ts';
import { createModelOpener } from '../../src/models/open-model.ts';
import { parseScript, readScript } from '../../src/models/scripted/script.ts';
import { createScriptedModel } from '../../src/models/scripted/scripted-model.ts';

const modelOf = (script: unknown): Model => createScriptedModel('scripted:test', parseScript(script, 'test.yaml'));
const onRequest = () => undefined;
const options = () => ({ signal: new AbortController().signal, onRequest });
const request = (task: ModelTask, messages: readonly PromptMessage[] = []): ModelRequest => ({
  task,
  messages,
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  maxOutputTokens: 1_000,
});
const research = (subagentId: string, turn: number, handBack = false): ModelTask => ({
  kind: 'research',
  subagentId,
  question: 'Why?',
  goal: 'why',
  turn,
  handBack,
});
const planning: ModelTask = { kind: 'plan', question: 'Why?', maxSubagents: 3, outline: [], attempt: 1 };
const ask = (model: Model, task: ModelTask, messages?: readonly PromptMessage[]) =>
  model.call(request(task, messages), options());

describe('answers go by subagent and turn', () => {
  const model = modelOf({
    subagents: {
      s1: [{ calls: [{ tool: 'search', arguments: { query: 'a' } }, { tool: 'now' }] }, { text: 's1 is done' }],
      '*': { turns: [{ text: 'another' }], handBack: { report: { summary: 'what the others have' } } },
    },
  });

  test('never by the order of the calls', async () => {
    expect((await ask(model, research('s1', 2))).text).toBe('s1 is done');
    expect((await ask(model, research('s2', 1))).text).toBe('another');
    const first = await ask(model, research('s1', 1));
    expect(first).toEqual(await ask(model, research('s1', 1)));
    expect(first).toMatchObject({
      finish: 'tool-calls',
      toolCalls: [
        { name: 'search', arguments: { query: 'a' } },
        { name: 'now', arguments: {} },
      ],
    });
  });

  test('a turn that the script does not have hands back that there is none', async () => {
    expect(readReport((await ask(model, research('s1', 3))).text)).toMatchObject({
      summary: 'The script has no further turn.',
    });
    expect(readReport((await ask(modelOf({}), research('s1', 1))).text)).toMatchObject({
      summary: 'The script says nothing about this subagent.',
    });
  });

  test('a hand-back is answered by the entry for it, else by a turn without calls, else by a plain one', async () => {
    const handBack = async (subagentId: string, turn: number) =>
      readReport((await ask(model, research(subagentId, turn, true))).text)?.summary;
    expect(await handBack('s2', 9)).toBe('what the others have');
    expect(await handBack('s1', 2)).toBe('s1 is done');
    expect(await handBack('s1', 1)).toBe('Handed back on turn 1.');
  });
});

describe('plan and synthesis', () => {
  test('a plan is a list of goals, a step, or the question itself', async () => {
    const goals = async (script: unknown) => {
      const plan = readPlan((await ask(modelOf(script), planning)).text, 3);
      return plan.kind === 'plan' ? plan.plan.subtasks.map((each) => each.goal) : plan.kind;
    };
    expect(await goals({ plan: ['one', 'two'] })).toEqual(['one', 'two']);
    expect(await goals({ plan: { text: 'no plan' } })).toBe('unreadable');
    expect(await goals({})).toEqual(['Why?']);
  });

  test('a synthesis is a step, or the findings one after the other', async () => {
    const input: SynthesisInput = {
      id: 's1',
      goal: 'one',
      status: 'done',
      report: { summary: 'found', claims: [{ text: 'A', sourceId: 'd-1', quote: 'q' }], tried: [], failed: [] },
      claimIds: ['s1.1'],
    };
    const task: ModelTask = { kind: 'synthesize', question: 'Why?', inputs: [input], titles: {} };
    expect((await ask(modelOf({ synthesis: { text: 'Mine [s1.1].' } }), task)).text).toBe('Mine [s1.1].');
    expect((await ask(modelOf({}), task)).text).toBe('## one\n\nfound\n\n- A [s1.1]');
  });
});

describe('usage', () => {
  const messages: PromptMessage[] = [{ role: 'user', text: 'x'.repeat(4_000) }];

  test('is a quarter of the bytes where nothing else is said, the same as the count beforehand', async () => {
    const model = modelOf({ subagents: { s1: [{ text: 'y'.repeat(400) }] } });
    const { usage } = await ask(model, research('s1', 1), messages);
    expect(usage).toEqual({ inputTokens: expect.any(Number), outputTokens: 100 });
    expect(usage!.inputTokens).toBeGreaterThan(1_000);
    expect(await model.countTokens(request(research('s1', 1), messages), options())).toBe(usage!.inputTokens);
  });

  test('may be stated, or not stated at all', async () => {
    const model = modelOf({ subagents: { s1: [{ usage: { inputTokens: 7, outputTokens: 3 } }, { usage: 'none' }] } });
    expect((await ask(model, research('s1', 1))).usage).toEqual({ inputTokens: 7, outputTokens: 3 });
    expect((await ask(model, research('s1', 2))).usage).toBeNull();
  });
});

describe('failures', () => {
  test('are given out as often as the script says, then answered, and then again', async () => {
    const model = modelOf({ subagents: { '*': [{ text: 'ok', fail: { code: 'MODEL_SERVER', times: 2 } }] } });
    const place = (subagentId: string) =>
      ask(model, research(subagentId, 1)).then(
        (reply) => reply.text,
        (error: { code: string }) => error.code,
      );
    const ends: string[] = [];
    // Each subagent has its own count, whatever the others do meanwhile.
    for (const id of ['s1', 's2', 's1', 's2', 's1', 's2', 's1']) ends.push(`${id} ${await place(id)}`);
    expect(ends).toEqual([
      's1 MODEL_SERVER',
      's2 MODEL_SERVER',
      's1 MODEL_SERVER',
      's2 MODEL_SERVER',
      's1 ok',
      's2 ok',
      's1 MODEL_SERVER',
    ]);
  });

  test.each(failureCodes.filter((code) => code.startsWith('MODEL_')))(
    '%s is one that a script may name',
    async (code) => {
      const model = modelOf({ plan: { fail: { code, message: 'in its own words', retryAfter: '7s' } } });
      for (let round = 0; round < 3; round += 1) {
        await expect(ask(model, planning)).rejects.toMatchObject({
          code,
          message: 'in its own words',
          retryAfterMs: 7_000,
        });
      }
    },
  );
});

test.each(['refusal', 'length', 'content-filter', 'pause', 'unknown'] as const)(
  'a stop state %s is passed on',
  async (finish) => expect((await ask(modelOf({ plan: { finish } }), planning)).finish).toBe(finish),
);

test.each([
  ['of the script', { latency: '20ms', plan: { text: 'ok' } }],
  ['of the step, which wins', { latency: '10m', plan: { text: 'ok', latency: '20ms' } }],
])('the latency %s passes before the answer', async (_, script) => {
  let isOver = false;
  const running = ask(modelOf(script), planning).finally(() => (isOver = true));
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  expect((await running).text).toBe('ok');
});

describe('a request that is aborted ends at once with the reason', () => {
  const reason = new Error('cancelled');
  test.each([
    ['during its latency', { plan: { latency: '10m', text: 'late' } }],
    ['while it hangs', { plan: { hang: true } }],
  ])('%s', async (_, script) => {
    const controller = new AbortController();
    const running = modelOf(script).call(request(planning), { signal: controller.signal, onRequest });
    const ending = running.catch((error: unknown) => error);
    await new Promise(setImmediate);
    controller.abort(reason);
    expect(await ending).toBe(reason);
  });

  test('before it began', async () => {
    const running = modelOf({ plan: { text: 'never' } }).call(request(planning), {
      signal: AbortSignal.abort(reason),
      onRequest,
    });
    expect(await running.catch((error: unknown) => error)).toBe(reason);
  });

  test('and has used up none of its failures', async () => {
    const model = modelOf({ plan: { text: 'ok', latency: '10ms', fail: { code: 'MODEL_SERVER', times: 1 } } });
    await model.call(request(planning), { signal: AbortSignal.abort(reason), onRequest }).catch(() => undefined);
    await expect(ask(model, planning)).rejects.toMatchObject({ code: 'MODEL_SERVER' });
    expect((await ask(model, planning)).text).toBe('ok');
  });
});

describe('claims', () => {
  const reading = (id: string, title: string, path: string) => `source: ${id} | ${title} | corpus:${path}\n\nwords`;
  const read = (...texts: string[]): PromptMessage[] => [
    {
      role: 'tool',
      results: texts.map((text, index) => ({ callId: `t1c${index + 1}`, name: 'corpus_read', isError: false, text })),
    },
  ];
  const sourceOf = async (document: string, messages: PromptMessage[]) => {
    const model = modelOf({ subagents: { s1: [{ report: { claims: [{ text: 'A', quote: 'words', document }] } }] } });
    return readReport((await ask(model, research('s1', 1), messages)).text)!.claims[0]!.sourceId;
  };

  test('that name a document get the id under which it was read', async () => {
    const messages = [
      ...read(reading('d-0000000001', 'Joins', 'joins.md')),
      ...read(reading('d-0000000002', 'B', 'a/b.md')),
    ];
    expect(await sourceOf('joins.md', messages)).toBe('d-0000000001');
    expect(await sourceOf('a/b.md', messages)).toBe('d-0000000002');
  });

  test('get the id of that document, and not of one whose path or title only contains its name', async () => {
    const messages = read(
      reading('d-0000000001', 'Not joins.md itself', 'more-joins.md'),
      reading('d-0000000002', 'Other', 'old/joins.md'),
      reading('d-0000000003', 'Joins', 'joins.md'),
    );
    expect(await sourceOf('joins.md', messages)).toBe('d-0000000003');
  });

  test('find a document whose name has spaces or other letters', async () => {
    const messages = read(reading('d-0000000004', 'Spaces', `${encodeURIComponent('Größe und Maß')}/a%20b.md`));
    expect(await sourceOf('Größe und Maß/a b.md', messages)).toBe('d-0000000004');
  });

  test('about a document that was not read name no source that a tool has seen', async () => {
    expect(await sourceOf('joins.md', [])).toBe('unread:joins.md');
  });

  test('may name a source id themselves', async () => {
    const model = modelOf({ plan: { report: { claims: [{ text: 'A', quote: 'q', sourceId: 'd-1' }] } } });
    expect(readReport((await ask(model, planning)).text)!.claims[0]).toEqual({
      text: 'A',
      quote: 'q',
      sourceId: 'd-1',
    });
  });
});

describe('files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-script-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };

  test('may be YAML or JSON', async () => {
    const yaml = await write('a.yaml', 'latency: 9s\nsubagents:\n  s1:\n    - text: hello\n');
    const json = await write('a.json', '{"latency": 9000, "subagents": {"s1": [{"text": "hello"}]}}');
    expect(await readScript(yaml)).toEqual(await readScript(json));
    expect((await readScript(yaml)).latency).toBe(9_000);
  });

  test('name a log relative to themselves; it gets a line for each request and its end', async () => {
    await mkdir(join(folder, 'logs'));
    const file = await write(
      'a.yaml',
      'log: logs/out.jsonl\nplan: { text: ok }\nsubagents: { s1: [{ fail: { code: MODEL_SERVER } }, { hang: true }] }\n',
    );
    const model = createScriptedModel('scripted:a', await readScript(file));
    await ask(model, planning);
    await ask(model, research('s1', 1)).catch(() => undefined);
    await model
      .call(request(research('s1', 2)), { signal: AbortSignal.abort(new Error('cancelled')), onRequest })
      .catch(() => undefined);
    const lines = (await readFile(join(folder, 'logs', 'out.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      [
        { request: 'plan' },
        { answered: 'plan' },
        { request: 's1 turn 1' },
        { ended: 's1 turn 1', how: 'failed' },
        { request: 's1 turn 2' },
        { ended: 's1 turn 2', how: 'aborted' },
      ].map((entry) => ({ at: expect.any(Number), ...entry })),
    );
  });

  test.each([
    ['plan: []', 'plan: wanted'],
    ['plan: [one, ""]', 'plan'],
    ['subagents: { s1: [] }', 'subagents.s1: wanted'],
    ['subagents: { s1: [{ txt: hello }] }', 'subagents.s1.0: unknown "txt"'],
    [
      'subagents: { s1: [{ latency: soon }] }',
      'subagents.s1.0.latency: wanted a duration such as "90s", "10m" or "2h", came "soon"',
    ],
    ['subagents: { s1: [{ fail: { code: NOPE } }] }', 'subagents.s1.0.fail.code: wanted one of MODEL_'],
    ['subagents: { s1: { turns: [{ usage: { inputTokens: -1, outputTokens: 0 } }] } }', 'subagents.s1'],
    ['plan: 5', 'plan: wanted an array or an object, came 5'],
    ['plan: { usage: some }', 'plan.usage: wanted one of none or an object, came "some"'],
    ['synthesis: { hang: false }', 'synthesis.hang: wanted one of true, came false'],
    ['synthesis: { finish: done }', 'synthesis.finish: wanted one of stop, '],
    ['latency: -1', 'latency: wanted a duration'],
    ['model: gpt', 'input: unknown "model"'],
    ['just words', 'input: wanted an object, came "just words"'],
    ['', 'input: wanted an object, came null'],
  ])('%j is refused: %s', async (text, problem) => {
    const file = await write('bad.yaml', text);
    const running = readScript(file);
    await expect(running).rejects.toMatchObject({ code: 'MODEL_SCRIPT_INVALID' });
    const { message } = (await running.catch((error: unknown) => error)) as Error;
    expect(message).toContain(`scripted model ${file}: `);
    expect(message).toContain(problem);
    expect(message).not.toContain('another kind of value');
  });

  test('that cannot be read, or are no YAML, are named with the reason', async () => {
    await expect(readScript(join(folder, 'gone.yaml'))).rejects.toMatchObject({ code: 'MODEL_SCRIPT_INVALID' });
    await expect(readScript(join(folder, 'gone.yaml'))).rejects.toThrow(/gone\.yaml: wanted a readable .*ENOENT/);
    await expect(readScript(await write('bad.yaml', 'a: [1, 2'))).rejects.toThrow(/bad\.yaml: wanted a readable/);
  });

  test('are opened once by their name, and again after they were mended', async () => {
    const none = { openai: null, anthropic: null, google: null, compatible: null };
    const opener = createModelOpener({ keys: none, baseUrls: none, proxyFor: () => null });
    const open = (model: string) => opener({ model });
    const file = await write('a.yaml', 'model: gpt');
    await expect(open(`scripted:${file}`)).rejects.toMatchObject({ code: 'MODEL_SCRIPT_INVALID' });
    await write('a.yaml', 'plan: [one]');
    const model = await open(`scripted:${file}`);
    expect(model.name).toBe(`scripted:${file}`);
    expect(await open(`scripted:${file}`)).toBe(model);
    await expect(open('gpt')).rejects.toMatchObject({ code: 'MODEL_UNKNOWN' });
  });
});
