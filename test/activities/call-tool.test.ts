import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { z } from 'zod';
import { defaults } from '../../src/contract/defaults.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import { toolStepResultSchema, type ToolStep, type ToolStepResult } from '../../src/contract/steps.ts';
import type { TranscriptHead } from '../../src/contract/transcript.ts';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../src/tools/tool.ts';
import {
  createWorld,
  memoryStore,
  openEnvironment,
  runAttempts,
  runOnce,
  storeId,
  type MemoryStore,
} from './activity-world.ts';

afterEach(() => void jest.useRealTimers());

/** A transcript whose newest message asks for `look`. */
async function askFor(store: MemoryStore, args: Record<string, unknown> = { key: 'a' }): Promise<TranscriptHead> {
  const toolCalls = [
    { callId: 't1c1', name: 'other', arguments: { key: 'not this one' } },
    { callId: 't1c2', name: 'look', arguments: args },
  ];
  const link = { parent: null, message: { role: 'assistant', text: '', toolCalls } };
  const { hash, bytes } = await store.put(new TextEncoder().encode(JSON.stringify(link)));
  return { hash, messages: 1, bytes, knownTokens: 0 };
}

/** A tool that the compiler has not checked: it may answer with anything. */
const look = (run: (input: Record<string, unknown>, context: ToolContext) => unknown): Tool => ({
  description: {
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    session: false,
    idempotent: false,
    inputSchema: { type: 'object' },
  },
  check: () => null,
  run: run as Tool['run'],
});

async function open(tool: Tool, parts: Partial<ToolStep> = {}) {
  const store = memoryStore();
  const step: ToolStep = {
    runId: 'run-1',
    subagentId: 's1',
    storeId,
    head: await askFor(store),
    callId: 't1c2',
    name: 'look',
    deadlineMs: 30_000,
    maxOutputChars: 1_000,
    ...parts,
  };
  const { activities } = createWorld({ tools: [tool], store });
  return { store, step, call: activities.callToolActivity };
}

/** The result of one call, and the text that the model will read. */
async function callOnce(tool: Tool, parts: Partial<ToolStep> = {}): Promise<ToolStepResult & { text: string }> {
  const { store, step, call } = await open(tool, parts);
  const result = await runOnce(call, step);
  expect(toolStepResultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  return { ...result, text: store.text(result.ref.hash) };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
const noSockets = expect.objectContaining({ socketsClosed: 0, socketsOpen: 0, lastSocketClosedAt: null });
const never = new Promise<never>(() => undefined);

test('the arguments come from the transcript, and the key is the same on every attempt', async () => {
  const seen: unknown[] = [];
  const tool = look(async (input, { idempotencyKey }) => {
    seen.push([input, idempotencyKey]);
    if (seen.length < 3) throw new TributaryError('TOOL_FAILED', 'try again');
    return { text: 'ok' };
  });
  const { step, call } = await open(tool);
  const info = { workflowExecution: { workflowId: 'run-1/s1', runId: 'x' }, retryPolicy: { maximumAttempts: 3 } };
  await runAttempts(call, step, { info });
  expect(seen).toEqual(Array(3).fill([{ key: 'a' }, 'run-1/s1/t1c2']));
});

test('the result is the text in the store, a preview for people and the sources that were read', async () => {
  const source = { id: 'd-0123456789', url: 'corpus:a.md', title: 'A' };
  const result = await callOnce(look(async () => ({ text: 'first line\nsecond line', sources: [source] })));
  expect(result).toMatchObject({
    callId: 't1c2',
    isError: false,
    text: 'first line\nsecond line',
    preview: 'first line second line',
    sources: [source],
    ref: { bytes: 22 },
  });
});

describe('empty output is told as a success without output', () => {
  const outputs: [string, unknown][] = [
    ['an empty text', { text: '' }],
    ['blanks', { text: ' \n\t ' }],
    ['NUL alone', { text: '\0' }],
    ['a null text', { text: null }],
    ['no text', {}],
    ['null', null],
    ['undefined', undefined],
  ];
  test.each(outputs)('%s', async (_, output) => {
    const { text, isError } = await callOnce(look(async () => output));
    expect({ text, isError }).toEqual({ text: '(the tool succeeded and returned no output)', isError: false });
  });

  test.each([
    [{ text: [] }, '[]'],
    [{ text: { found: 0 } }, '{"found":0}'],
    [{ text: 0 }, '0'],
  ])('%j has a text of its own', async (output, text) => {
    expect((await callOnce(look(async () => output))).text).toBe(text);
  });
});

describe('output', () => {
  test('of 5 MB is cut to the cap, the marker included, which says the original size', async () => {
    const { text, ref, preview } = await callOnce(look(async () => ({ text: 'x'.repeat(5_242_880) })));
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).toMatch(/x\n\[cut: \d+ of 5,242,880 characters\]$/);
    expect(ref.bytes).toBe(text.length);
    expect(preview.length).toBeLessThanOrEqual(160);
  });

  test.each([0, 1, 2, 3])('is never cut inside a character (shifted by %i)', async (shift) => {
    const { text, preview } = await callOnce(look(async () => ({ text: `${'a'.repeat(shift)}${'😀'.repeat(2_000)}` })));
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('\ufffd');
    expect(preview.isWellFormed()).toBe(true);
  });

  test('loses stray surrogates and NUL, and keeps the rest', async () => {
    const { text } = await callOnce(look(async () => ({ text: 'a\ud83d b\0c\udc00 😀' })));
    expect(text).toBe('a\ufffd bc\ufffd 😀');
  });

  test('of an error is cut and cleaned like any other', async () => {
    const { text, isError } = await callOnce(
      look(async () => {
        throw new Error(`\ud83d${'y'.repeat(50_000)}`);
      }),
    );
    expect(isError).toBe(true);
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text.isWellFormed()).toBe(true);
  });

  test('is durable before its reference is given out', async () => {
    const { store, step } = await open(look(async () => ({ text: 'ok' })));
    let release = () => {};
    const written = new Promise<void>((resolve) => (release = resolve));
    let isWriting = false;
    const { activities } = createWorld({
      tools: [look(async () => ({ text: 'ok' }))],
      store: {
        ...store,
        async put(bytes) {
          isWriting = true;
          await written;
          return store.put(bytes);
        },
      },
    });
    let isOver = false;
    const running = runOnce(activities.callToolActivity, step).finally(() => (isOver = true));
    while (!isWriting) await new Promise(setImmediate);
    for (let round = 0; round < 5; round += 1) await new Promise(setImmediate);
    expect(isOver).toBe(false);
    release();
    expect(store.text((await running).ref.hash)).toBe('ok');
  });
});

describe('an error of the tool is a result for the model', () => {
  test.each([
    ['its words', () => new Error('no such table'), 'no such table'],
    ['a text that was thrown', () => 'just words', 'just words'],
    ['an error of another realm', () => ({ name: 'Error', message: 'from afar' }), 'from afar'],
    ['nothing said', () => new Error(''), 'the tool failed without saying why'],
    ['blanks said', () => new Error('  '), 'the tool failed without saying why'],
    ['undefined', () => undefined, 'the tool failed without saying why'],
  ])('%s', async (_, toError, text) => {
    const result = await callOnce(
      look(async () => {
        throw toError() as Error;
      }),
    );
    expect(result).toMatchObject({ isError: true, text, sources: [] });
  });

  test('also when the tool throws before it returns a promise', async () => {
    const tool = look(() => {
      throw new Error('at once');
    });
    expect(await callOnce(tool)).toMatchObject({ isError: true, text: 'at once' });
  });

  test('also when the tool answers without a promise', async () => {
    expect(await callOnce(look(() => ({ text: 'at once' })))).toMatchObject({ isError: false, text: 'at once' });
  });

  test('one that may pass is repeated, and becomes a result on the last attempt', async () => {
    let calls = 0;
    const tool = look(async () => {
      calls += 1;
      throw new TributaryError('TOOL_FAILED', 'the site is busy');
    });
    const { store, step, call } = await open(tool);
    const { attempts, result } = await runAttempts(call, step, { info: { retryPolicy: { maximumAttempts: 3 } } });
    expect({ attempts, calls }).toEqual({ attempts: 3, calls: 3 });
    expect(result!.isError).toBe(true);
    expect(store.text(result!.ref.hash)).toBe('the site is busy');
  });

  test('one that may pass is not repeated where a single attempt is allowed, as for a write', async () => {
    const tool = look(async () => {
      throw new TributaryError('TOOL_FAILED', 'the site is busy');
    });
    const { step, call } = await open(tool);
    expect(await runOnce(call, step, { retryPolicy: { maximumAttempts: 1 } })).toMatchObject({ isError: true });
  });

  test('a business error is not repeated, whatever the policy allows', async () => {
    let calls = 0;
    const tool = look(async () => {
      calls += 1;
      throw new Error('not found');
    });
    const { step, call } = await open(tool);
    const { attempts } = await runAttempts(call, step, { info: { retryPolicy: { maximumAttempts: 3 } } });
    expect({ attempts, calls }).toEqual({ attempts: 1, calls: 1 });
  });
});

describe('the deadline', () => {
  const timedOut =
    /^The tool did not respond within 0\.02 seconds and was stopped\. The other calls are not affected\./;

  test('ends a tool that never settles and ignores its signal, at once', async () => {
    const result = await callOnce(
      look(() => never),
      { deadlineMs: 20 },
    );
    expect(result).toMatchObject({ isError: true, sources: [] });
    expect(result.text).toMatch(timedOut);
    expect(result.durationMs).toBeLessThan(defaults.toolAbandonMs);
  });

  test('reaches the tool as its abort signal, and the words are the same', async () => {
    let seen: AbortSignal | undefined;
    const tool = look((_, { signal }) => {
      seen = signal;
      return aborted(signal);
    });
    expect((await callOnce(tool, { deadlineMs: 20 })).text).toMatch(timedOut);
    expect(seen!.aborted).toBe(true);
  });

  test('is told also when the tool wraps its abort in an error that may pass', async () => {
    const tool = look((_, { signal }) =>
      aborted(signal).catch(() => Promise.reject(new TributaryError('TOOL_FAILED', 'fetch failed'))),
    );
    const { step, call, store } = await open(tool, { deadlineMs: 20 });
    const result = await runOnce(call, step, { retryPolicy: { maximumAttempts: 3 } });
    expect(store.text(result.ref.hash)).toMatch(timedOut);
  });

  test('a late rejection of a tool that was let go disturbs nobody', async () => {
    let fail = (_error: Error) => {};
    const tool = look(() => new Promise((_, reject) => (fail = reject)));
    await callOnce(tool, { deadlineMs: 20 });
    fail(new Error('too late'));
    await new Promise(setImmediate);
  });
});

describe('a cancelled call', () => {
  /** Cancels the call once the tool is at work; resolves to what the activity ended with, error or not. */
  async function cancelWhileRunning(run: (signal: AbortSignal) => Promise<unknown>) {
    const environment = openEnvironment();
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const { step, call } = await open(
      look((_, { signal }) => {
        begin();
        return run(signal);
      }),
    );
    const ending: Promise<unknown> = environment.run(call, step).catch((error: unknown) => error);
    await begun;
    environment.cancel();
    return { ending };
  }

  test('of a tool that listens is cancelled at once, and nothing may still run', async () => {
    const { ending } = await cancelWhileRunning(aborted);
    const error = await ending;
    expect(error).toBeInstanceOf(CancelledFailure);
    expect((error as CancelledFailure).details).toEqual([{ mayStillRun: false }, noSockets]);
  });

  test('of a tool that ignores its signal is let go after five seconds, and is said to perhaps still run', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const { ending } = await cancelWhileRunning(() => never);
    let isOver = false;
    void ending.then(() => (isOver = true));
    await jest.advanceTimersByTimeAsync(defaults.toolAbandonMs - 1);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    const error = await ending;
    expect(error).toBeInstanceOf(CancelledFailure);
    expect((error as CancelledFailure).details).toEqual([{ mayStillRun: true }, noSockets]);
  });

  test('of a tool that finishes all the same keeps its result: what was done was done', async () => {
    const { ending } = await cancelWhileRunning(async (signal) => {
      await aborted(signal).catch(() => undefined);
      return { text: 'written' };
    });
    expect(await ending).toMatchObject({ isError: false, preview: 'written' });
  });

  test('never starts a tool after the cancel, also when the tools took their time to open', async () => {
    const environment = openEnvironment();
    const store = memoryStore();
    let starts = 0;
    const tool = look(() => {
      starts += 1;
      return { text: 'written' };
    });
    const { step } = await open(tool);
    const { activities } = createWorld({
      store,
      openToolbox: async () => {
        environment.cancel();
        return { tools: [tool], outline: () => [], notes: [] };
      },
    });
    const running = environment.run(activities.callToolActivity, { ...step, head: await askFor(store) });
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    expect(starts).toBe(0);
  });

  test('beats an error that may pass: it is never repeated', async () => {
    const { ending } = await cancelWhileRunning((signal) =>
      aborted(signal).catch(() => Promise.reject(new TributaryError('TOOL_FAILED', 'fetch failed'))),
    );
    expect(await ending).toBeInstanceOf(CancelledFailure);
  });
});

describe('a call that this worker cannot place', () => {
  const run = async (): Promise<ToolOutput> => ({ text: 'never' });

  test('because it has no such tool is an error result that lists the tools', async () => {
    const other = defineTool({ name: 'glance', description: 'x', effect: 'read', input: z.object({}), run });
    expect(await callOnce(other)).toMatchObject({
      isError: true,
      text: 'There is no tool named "look". The tools are: glance.',
    });
  });

  test('because the message does not hold it is an error result, and nothing is run', async () => {
    expect(await callOnce(look(run), { callId: 't1c9' })).toMatchObject({ isError: true });
  });

  test('because its transcript is gone, or the store is another one, ends the run', async () => {
    const { step, call } = await open(look(run));
    const gone = { ...step.head, hash: 'ab'.repeat(32) };
    await expect(runOnce(call, { ...step, head: gone })).rejects.toMatchObject({
      type: 'TRANSCRIPT_MISSING',
      nonRetryable: true,
    });
    await expect(runOnce(call, { ...step, storeId: 'store_other' })).rejects.toMatchObject({ type: 'STORE_MISMATCH' });
  });
});
