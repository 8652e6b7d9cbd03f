import { CancelledFailure } from '@temporalio/common';
import { describe, expect, jest, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaults } from '../../src/contract/defaults.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';
import { createFolderStore } from '../../src/store/folder-store.ts';
import { Gate } from '../support/gate.ts';
import { callsOf, keyTool, oneBatch, resultsAt, scriptedModel, subtasks, turnWith } from '../support/scripts.ts';
import { useWorld, withWorker } from '../support/temporal.ts';

const one = { question: 'Q', subtasks: subtasks(1) };
const busy = () => new TributaryError('TOOL_FAILED', 'the index is busy');

describe('in one world', () => {
  const { start } = useWorld('tool failures');

  test('B23 · ten reads of which one throws and one is cancelled internally: ten results in order, and one next model call', async () => {
    const keys = Array.from({ length: 10 }, (_, index) => index + 1);
    const model = scriptedModel(oneBatch(callsOf('look', keys)));
    const look = keyTool('look', (key) => {
      if (key === '3') throw new Error('no such page');
      if (key === '7') throw new CancelledFailure('the pool was closed');
      return `seen ${key}`;
    });
    const tools = { maxToolCallsPerTurn: 10 };
    const result = await (await start({ ...one, tools }, { model, tools: [look] })).result();
    const results = resultsAt(model, 's1 turn 2');
    expect(results.map(({ callId }) => callId)).toEqual(keys.map((key) => `t1c${key}`));
    expect(results.filter(({ isError }) => isError).map(({ text }) => text)).toEqual([
      'no such page',
      'the pool was closed',
    ]);
    expect(model.requests.filter(({ place }) => place === 's1 turn 2')).toHaveLength(1);
    expect(result.status).toBe('completed');
  });

  test('a passing failure is repeated for reads and keyed writes, under one key, and never for a plain write', async () => {
    const attempts: Record<string, string[]> = { read: [], keyed: [], write: [], hopeless: [] };
    const failsTwice = (name: string, options = {}) =>
      keyTool(
        name,
        (_, { idempotencyKey }) => {
          if (attempts[name]!.push(idempotencyKey) < 3) throw busy();
          return `${name} done`;
        },
        options,
      );
    const hopeless = keyTool('hopeless', (_, { idempotencyKey }) => {
      attempts.hopeless!.push(idempotencyKey);
      throw busy();
    });
    const tools = [
      failsTwice('read'),
      failsTwice('keyed', { effect: 'write', idempotent: true }),
      failsTwice('write', { effect: 'write' }),
      hopeless,
    ];
    const model = scriptedModel(oneBatch(turnWith(['read'], ['keyed'], ['write'], ['hopeless'])));
    const run = await start({ ...one, tools: { policy: 'parallel' } }, { model, tools });
    await run.result();
    expect(resultsAt(model, 's1 turn 2').map(({ isError, text }) => `${isError} ${text}`)).toEqual([
      'false read done',
      'false keyed done',
      'true the index is busy',
      'true the index is busy',
    ]);
    expect(attempts).toEqual({
      read: Array(3).fill(`${run.runId}/s1/t1c1`),
      keyed: Array(3).fill(`${run.runId}/s1/t1c2`),
      write: [`${run.runId}/s1/t1c3`],
      hopeless: Array(3).fill(`${run.runId}/s1/t1c4`),
    });
  });

  test('a write whose worker falls silent has an unknown outcome and is not repeated; a read is repeated', async () => {
    const gate = new Gate();
    const beat = globalThis.setInterval;
    const silence = jest
      .spyOn(globalThis, 'setInterval')
      .mockImplementation((run: () => void, ms?: number) =>
        beat(ms === defaults.heartbeatIntervalMs && silent ? () => undefined : run, ms),
      );
    let silent = false;
    const calls: string[] = [];
    const model = scriptedModel(oneBatch(turnWith(['write'], ['read'])), (place) => {
      if (place === 's1 turn 1') silent = true; // the activities after this one no longer beat
    });
    const first = (name: string) => async () => {
      calls.push(name);
      if (calls.filter((each) => each === name).length === 1) await gate.pass(name);
      return name;
    };
    const tools = [keyTool('write', first('write'), { effect: 'write' }), keyTool('read', first('read'))];
    try {
      const run = await start({ ...one, tools: { policy: 'parallel' } }, { model, tools });
      await gate.hold(2);
      const result = await run.result();
      expect(result.status).toBe('completed');
    } finally {
      silence.mockRestore();
      gate.open();
    }
    expect(resultsAt(model, 's1 turn 2').map(({ isError, text }) => `${isError} ${text}`)).toEqual([
      `true ${toolErrorText.unknownOutcome()}`,
      'false read',
    ]);
    expect(calls.filter((name) => name === 'write')).toHaveLength(1);
  });
});

test('a write that a stopping worker had to give up has an unknown outcome and is not repeated; a read goes on elsewhere', async () => {
  const gate = new Gate();
  const calls: string[] = [];
  const model = scriptedModel(oneBatch(turnWith(['write'], ['read'])));
  const hold =
    (name: string) =>
    async (_: string, { signal }: { signal: AbortSignal }) => {
      calls.push(name);
      await gate.pass(name, signal);
      return name;
    };
  const tools = [keyTool('write', hold('write'), { effect: 'write' }), keyTool('read', hold('read'))];
  await withWorker('worker stops', { model, tools }, async ({ start, stopFirstWorker, startWorker }) => {
    const run = await start({ ...one, tools: { policy: 'parallel' } });
    await gate.hold(2);
    await stopFirstWorker();
    gate.open();
    await startWorker();
    expect((await run.result()).status).toBe('completed');
  });
  expect(resultsAt(model, 's1 turn 2').map(({ isError, text }) => `${isError} ${text}`)).toEqual([
    `true ${toolErrorText.unknownOutcome()}`,
    'false read',
  ]);
  expect(calls.filter((name) => name === 'write')).toHaveLength(1);
});

test('a write whose answer the store does not take has an unknown outcome and is not repeated', async () => {
  const path = await mkdtemp(join(tmpdir(), 'tributary-full-'));
  const folder = createFolderStore(path);
  const store = {
    ...folder,
    put: async (bytes: Uint8Array) => {
      if (new TextDecoder().decode(bytes) === 'written')
        throw new TributaryError('STORE_UNAVAILABLE', 'the disk is full');
      return folder.put(bytes);
    },
  };
  const model = scriptedModel(oneBatch(turnWith(['write'])));
  let writes = 0;
  const write = keyTool(
    'write',
    () => {
      writes += 1;
      return 'written';
    },
    { effect: 'write' },
  );
  await withWorker('full store', { model, tools: [write], dependencies: { store } }, async ({ start }) => {
    const run = await start({ ...one, tools: { callDeadline: 1_000 } });
    expect((await run.result()).status).toBe('completed');
  });
  expect(resultsAt(model, 's1 turn 2').map(({ isError, text }) => `${isError} ${text}`)).toEqual([
    `true ${toolErrorText.unknownOutcome()}`,
  ]);
  expect(writes).toBe(1);
  await rm(path, { recursive: true });
});
