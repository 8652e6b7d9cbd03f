import { describe, expect, test } from '@jest/globals';
import type { SubagentReport } from '../../src/contract/outcome.ts';
import type { ReportDocument } from '../../src/contract/result.ts';
import { synthesisStepResultSchema, type SynthesisStep } from '../../src/contract/steps.ts';
import type { ModelRequest } from '../../src/models/model.ts';
import {
  createWorld,
  memoryStore,
  modelOf,
  reply,
  runOnce,
  storeId,
  type ListModel,
  type MemoryStore,
} from './activity-world.ts';

type Claim = SubagentReport['claims'][number];
type Part = { claims?: Claim[]; summary?: string; failed?: string[]; read?: Record<string, string> };

const put = (store: MemoryStore, text: string) => store.put(new TextEncoder().encode(text));
const claim = (text: string, sourceId: string, quote: string): Claim => ({ text, sourceId, quote });

/** Stores what a subagent found; `read` holds the text of each source that it read. */
async function storeFindings(store: MemoryStore, { claims = [], summary = '', failed = [], read = {} }: Part) {
  const sources = await Promise.all(
    Object.entries(read).map(async ([id, text]) => ({
      id,
      url: `corpus:${id}.md`,
      title: `Title of ${id}`,
      contents: [await put(store, text)],
    })),
  );
  return put(store, JSON.stringify({ report: { summary, claims, tried: [], failed }, sources }));
}

async function synthesize(
  model: ListModel,
  parts: readonly (Part | null)[],
  step: Partial<SynthesisStep> = {},
  store = memoryStore(),
) {
  const subagents = await Promise.all(
    parts.map(async (part, index) => ({
      id: `s${index + 1}`,
      goal: `goal ${index + 1}`,
      status: part ? ('done' as const) : ('failed' as const),
      ...(!part && { reason: 'provider' as const }),
      reportRef: part && (await storeFindings(store, part)),
    })),
  );
  const { activities } = createWorld({ model, store });
  const result = await runOnce(activities.synthesizeActivity, {
    runId: 'run-1',
    storeId,
    question: 'Why?',
    model: 'list',
    subagents,
    gaps: [],
    notes: [],
    withoutModel: false,
    maxOutputTokens: 1_000,
    maxSpendTokens: 50_000,
    attempts: 4,
    ...step,
  });
  expect(synthesisStepResultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  const document = JSON.parse(store.text(result.documentRef.hash)) as ReportDocument;
  return { ...result, inline: result.document, document };
}

const draft = (text: string) => modelOf([reply({ text })]);
const promptOf = (request: ModelRequest) =>
  request.messages.map((message) => ('text' in message ? message.text : '')).join('\n');

describe('quotes are checked against what was read', () => {
  const read = { 'd-1': 'A run ends only when\n   everything below it   has stopped.\r\nNot before.' };

  test('one that stands there is verified, also over line breaks; one that does not is marked in the report', async () => {
    const claims = [
      claim('It ends late.', 'd-1', 'ends only when everything below it has stopped. Not before.'),
      claim('It ends early.', 'd-1', 'ends at once'),
      claim('Case matters.', 'd-1', 'a RUN ends'),
    ];
    const { document } = await synthesize(draft('## One\n\nLate [s1.1]. Early [s1.2]. Loud [s1.3].'), [
      { claims, read },
    ]);
    expect(document.citations.map(({ marker, verified }) => [marker, verified])).toEqual([
      ['[1]', true],
      ['[2]', false],
      ['[3]', false],
    ]);
    expect(document.report).toContain('Late [1]. Early [2] (unverified).');
    expect(document.report).toMatch(
      /^\[2\] Title of d-1 — corpus:d-1\.md — “ends at once” \(unverified: the source does not hold this quote\)$/m,
    );
  });

  test('the words of one source do not bear out a claim about another', async () => {
    const claims = [claim('It ends late.', 'd-2', 'everything below it has stopped')];
    const { document } = await synthesize(draft('Late [s1.1].'), [{ claims, read: { ...read, 'd-2': 'else' } }]);
    expect(document.citations[0]!.verified).toBe(false);
  });

  test('what two subagents read of one source counts together, and the source is listed once, by the first', async () => {
    const { document } = await synthesize(draft('A [s1.1]. B [s2.1].'), [
      { claims: [claim('A', 'd-1', 'second half')], read: { 'd-1': 'first half' } },
      { claims: [claim('B', 'd-1', 'first half')], read: { 'd-1': 'second half' } },
    ]);
    expect(document.citations.map((citation) => citation.verified)).toEqual([true, true]);
    expect(document.sources).toEqual([{ id: 'd-1', url: 'corpus:d-1.md', title: 'Title of d-1', by: 's1' }]);
  });

  test('words that are gone from the store end the call: nothing is taken on trust', async () => {
    const store = memoryStore();
    const gone = [...(await Promise.all(['gone'].map((text) => put(store, text))))][0]!;
    const part: Part = { claims: [claim('A', 'd-1', 'gone')], read: { 'd-1': 'gone' } };
    const { activities } = createWorld({ model: draft('A [s1.1].'), store });
    const reportRef = await storeFindings(store, part);
    store.blobs.delete(gone.hash);
    const running = runOnce(activities.synthesizeActivity, {
      runId: 'run-1',
      storeId,
      question: 'Why?',
      model: 'list',
      subagents: [{ id: 's1', goal: 'goal', status: 'done', reportRef }],
      gaps: [],
      notes: [],
      withoutModel: false,
      maxOutputTokens: 1_000,
      maxSpendTokens: 50_000,
      attempts: 4,
    });
    await expect(running).rejects.toMatchObject({ type: 'TRANSCRIPT_MISSING' });
  });
});

test('a marker that no subagent made is struck out and noted', async () => {
  const part: Part = { claims: [claim('A', 'd-1', 'words')], read: { 'd-1': 'words' } };
  const { document, notes } = await synthesize(draft('A [s1.1]. B [s9.9]. C [7].'), [part]);
  expect(document.report).toContain('A [1]. B ~~[s9.9]~~ (no such source). C (7).');
  expect(document.citations).toHaveLength(1);
  expect(notes).toEqual(['the draft cited s9.9, which no subagent found']);
});

test('gaps and notes stand in the report as the run states them, whatever the draft says', async () => {
  const { document } = await synthesize(draft('All is well.'), [{ summary: 'found' }, null], {
    gaps: [{ subagentId: 's2', goal: 'goal 2', status: 'failed', reason: 'provider' }],
    notes: ['plan: 1 subtask was left out'],
  });
  expect(document.report).toContain('- s2 goal 2: failed (provider)');
  expect(document.report).toContain('- plan: 1 subtask was left out');
});

test('the prompt shows each finding under the id by which it is cited, and says what ended how', async () => {
  const model = draft('ok');
  await synthesize(model, [{ claims: [claim('A', 'd-1', 'words')], read: { 'd-1': 'words' } }, null], {
    instructions: 'Be brief.',
  });
  const prompt = promptOf(model.requests[0]!);
  expect(prompt).toContain('[s1.1] A — “words”');
  expect(prompt).toContain('Subtask s2 (failed, provider): goal 2\nNothing was handed back.');
  expect(prompt).toContain('Be brief.');
  expect(model.requests[0]).toMatchObject({
    tools: [],
    task: { kind: 'synthesize', titles: { 'd-1': 'Title of d-1' } },
  });
});

describe('findings that are too long', () => {
  const long = (count: number): Part => ({
    summary: 'short',
    claims: Array.from({ length: count }, (_, index) => claim(`finding ${index} ${'x'.repeat(300)}`, 'd-1', 'words')),
    read: { 'd-1': 'words' },
  });

  test('are trimmed until the prompt fits; which were trimmed is noted, and what is small stays whole', async () => {
    const model = draft('Some [s1.1]. More [s2.1].');
    const small: Part = { claims: [claim('small finding', 'd-1', 'words')], read: { 'd-1': 'words' } };
    const { notes, document } = await synthesize(model, [long(60), small], { maxSpendTokens: 9_000 });
    expect(model.requests).toHaveLength(1);
    const prompt = promptOf(model.requests[0]!);
    expect(prompt).toContain('[s1.1] finding 0');
    expect(prompt).not.toContain('[s1.60]');
    expect(prompt).toContain('[s2.1] small finding');
    expect(notes).toEqual([
      expect.stringMatching(/^the findings of s1 were trimmed to [\d]+ tokens each to fit the budget$/),
    ]);
    expect(document.report).toContain(notes[0]!);
    expect(document.citations).toHaveLength(2);
  });

  test('are trimmed also where the length is not in the claims', async () => {
    const model = draft('ok');
    const failed = Array.from({ length: 40 }, (_, index) => `could not open file ${index} ${'y'.repeat(280)}`);
    const { notes } = await synthesize(model, [{ summary: 'short', failed }], { maxSpendTokens: 5_000 });
    expect(model.requests).toHaveLength(1);
    expect(promptOf(model.requests[0]!).length).toBeLessThan(5_000);
    expect(notes).toEqual([expect.stringContaining('the findings of s1 were trimmed')]);
  });

  test('B25 · findings of twenty subagents still make one prompt that fits, with something of each', async () => {
    const model = draft('ok');
    const { notes } = await synthesize(
      model,
      Array.from({ length: 20 }, () => long(100)),
      { maxSpendTokens: 60_000 },
    );
    const [request] = model.requests;
    expect(request!.maxOutputTokens).toBeGreaterThanOrEqual(512);
    expect(new TextEncoder().encode(promptOf(request!)).byteLength).toBeLessThan(60_000);
    for (let index = 1; index <= 20; index += 1) expect(promptOf(request!)).toContain(`[s${index}.1]`);
    expect(notes[0]).toMatch(/s1, s2, .*s20 were trimmed/);
  });

  test('that fit in no size are assembled without the model, and that is said', async () => {
    const model = draft('never');
    const { document, notes, usage } = await synthesize(model, [long(3)], { maxSpendTokens: 100 });
    expect(model.requests).toHaveLength(0);
    expect(usage).toMatchObject({ requests: 0, lost: 0 });
    expect(notes).toEqual(['the report was assembled from the findings without a model']);
    expect(document.report).toContain('## goal 1');
    expect(document.citations).toHaveLength(3);
    expect(document.citations.every((citation) => citation.verified)).toBe(true);
  });
});

test('without a model the report is assembled from the findings, and none is opened', async () => {
  const model = draft('never');
  const { document, usage } = await synthesize(
    model,
    [{ summary: 'What was found.', claims: [claim('A', 'd-1', 'words')], read: { 'd-1': 'words' } }, null],
    { withoutModel: true, model: 'gone' },
  );
  expect(model.requests).toHaveLength(0);
  expect(usage.requests).toBe(0);
  expect(document.report).toMatch(
    /## goal 1\n\nWhat was found\.\n\n- A \[1\]\n\n## goal 2\n\nNot answered: .* failed \(provider\)\./,
  );
});

describe('an answer that is no report', () => {
  test.each([
    ['a refusal', reply({ text: 'I cannot', finish: 'refusal', rawFinish: 'refusal' }), 'with "refusal"'],
    ['half of a text', reply({ text: 'half', finish: 'length' }), 'with "length"'],
    ['nothing', reply({ text: '  ' }), 'without a text'],
  ])('%s is paid for and not repeated', async (_, answer, how) => {
    const model = modelOf([answer]);
    await expect(synthesize(model, [{ summary: 'found' }])).rejects.toMatchObject({
      type: 'MODEL_BAD_RESPONSE',
      message: `the answer ended ${how}`,
      nonRetryable: true,
      details: [{ requests: 1, lost: 0, inputTokens: 100, outputTokens: 20 }],
    });
    expect(model.requests).toHaveLength(1);
  });
});

describe('the document', () => {
  test('under 64 kB comes with the result, and is the same as in the store', async () => {
    const { inline, document, documentRef } = await synthesize(draft('short'), [{ summary: 'found' }]);
    expect(inline).toEqual(document);
    expect(documentRef.bytes).toBeLessThan(64_000);
  });

  test('above it is a reference alone, counted in bytes and not in characters', async () => {
    const { inline, document, documentRef } = await synthesize(draft('語'.repeat(22_000)), [{ summary: 'found' }]);
    expect(inline).toBeNull();
    expect(documentRef.bytes).toBeGreaterThan(64_000);
    expect(document.report.length).toBeLessThan(64_000);
  });

  test('is well-formed whatever the model wrote', async () => {
    const { document } = await synthesize(draft('a\ud83d b\0c'), [{ summary: 'found' }]);
    expect(document.report).toContain('a\ufffd bc');
  });

  test('is the same blob on every attempt', async () => {
    const make = () => synthesize(draft('A [s1.1].'), [{ claims: [claim('A', 'd-1', 'w')], read: { 'd-1': 'w' } }]);
    expect((await make()).documentRef).toEqual((await make()).documentRef);
  });
});
