import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ClientContext } from '../../src/client/client-context.ts';
import { deleteRun } from '../../src/client/deletion/delete-run.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import type { RunRecord } from '../../src/contract/run-record.ts';
import { createBlobWorld, runShapes, type RunShape } from '../support/blob-world.ts';
import { clientWithoutHistories } from '../support/fake-temporal-service.ts';

const longAgoMs = Date.parse('2026-01-01T00:00:00.000Z');

function open(shapes: readonly RunShape[]) {
  const world = createBlobWorld();
  const runs = shapes.map((shape, index) => world.build(shape, `run_${index + 1}`));
  const records = new Map<string, RunRecord>(runs.map(({ record }) => [record.runId, record]));
  /** When each blob was stored last, where that is not long ago. */
  const storedAt = new Map<string, number>();
  const context: ClientContext = {
    client: clientWithoutHistories(),
    taskQueue: 'tributary',
    identity: 'tester',
    ratesOf: () => null,
    readBlob: (hash) => world.readBlob(hash),
    records: {
      get: async (runId) => records.get(runId) ?? null,
      list: async () => [...records.keys()],
      delete: async (runId) => records.delete(runId),
    },
    blobs: {
      storeId: async () => 'store_1',
      async stat(hash) {
        const bytes = world.blobs.get(hash)?.byteLength;
        return bytes === undefined ? null : { bytes, storedAtMs: storedAt.get(hash) ?? longAgoMs };
      },
      removeIfOlder: async (hash, thanMs) => (storedAt.get(hash) ?? longAgoMs) < thanMs && world.blobs.delete(hash),
    },
  };
  return { world, runs, records, storedAt, context };
}

describe('deleting a run', () => {
  test('leaves all that the others need, and nothing that it alone needed', async () => {
    await fc.assert(
      fc.asyncProperty(runShapes, fc.nat(), async (shapes, pick) => {
        const { world, runs, records, context } = open(shapes);
        const gone = runs[pick % runs.length]!;
        const others = runs.filter((each) => each !== gone);
        const needed = new Set(others.flatMap((each) => [...each.needed]));
        const before = world.blobs.size;
        const own = [...gone.needed].filter((hash) => !needed.has(hash));

        const trial = await deleteRun(context, gone.record.runId, { dryRun: true });
        expect([world.blobs.size, records.size]).toEqual([before, runs.length]);
        const receipt = await deleteRun(context, gone.record.runId, {});
        expect({ ...receipt, dryRun: true }).toEqual(trial);

        for (const hash of needed) expect(world.blobs.has(hash)).toBe(true);
        for (const hash of own) expect(world.blobs.has(hash)).toBe(false);
        expect(receipt).toMatchObject({ blobs: own.length, blobsKept: gone.needed.size - own.length });
        const users = others.filter((each) => [...each.needed].some((hash) => gone.needed.has(hash)));
        expect(receipt.users).toEqual(users.map(({ record }) => record.runId));
        expect([...records.keys()]).toEqual(others.map(({ record }) => record.runId));
      }),
      { numRuns: 120 },
    );
  });

  test('one after the other leaves nothing at all', async () => {
    await fc.assert(
      fc.asyncProperty(runShapes, async (shapes) => {
        const { world, runs, context } = open(shapes);
        for (const { record } of runs) await deleteRun(context, record.runId, {});
        expect(world.blobs.size).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  test('spares what was stored again since it began', async () => {
    await fc.assert(
      fc.asyncProperty(runShapes, fc.func(fc.boolean()), async (shapes, isRenewed) => {
        const { world, runs, storedAt, context } = open(shapes);
        const renewed = [...runs[0]!.needed].filter((hash) => isRenewed(hash));
        for (const hash of renewed) storedAt.set(hash, Date.now() + 60_000);
        await deleteRun(context, 'run_1', {});
        for (const hash of renewed) expect(world.blobs.has(hash)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

const shape: RunShape = {
  subagents: [{ messages: [{ text: 1, results: [] }], report: 1, sources: [1], resumeAt: null }],
  below: [],
  document: 1,
  drafts: [],
};

test('where the record of another run cannot be read, nothing is deleted: nobody knows what it needs', async () => {
  const { world, records, context } = open([shape, shape]);
  const before = world.blobs.size;
  const broken = new TributaryError('STORE_UNAVAILABLE', 'the record run_2.json cannot be read');
  const get = async (runId: string) => {
    if (runId === 'run_2') throw broken;
    return records.get(runId) ?? null;
  };
  const blind = { ...context, records: { ...context.records!, get } };
  await expect(deleteRun(blind, 'run_1', {})).rejects.toBe(broken);
  expect([world.blobs.size, records.size]).toEqual([before, 2]);
});

test('where a blob cannot be read, nothing is deleted', async () => {
  const { world, records, context } = open([shape, shape]);
  const before = world.blobs.size;
  const readBlob = async () => {
    throw new TributaryError('STORE_UNAVAILABLE', 'the disk is away');
  };
  await expect(deleteRun({ ...context, readBlob }, 'run_1', {})).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect([world.blobs.size, records.size]).toEqual([before, 2]);
});

test('a record of its own that cannot be read goes too', async () => {
  const { records, context } = open([shape, shape]);
  const get = async (runId: string) => {
    if (runId === 'run_1') throw new TributaryError('STORE_UNAVAILABLE', 'the record run_1.json cannot be read');
    return records.get(runId) ?? null;
  };
  const receipt = await deleteRun({ ...context, records: { ...context.records!, get } }, 'run_1', {});
  expect(receipt).toMatchObject({ record: true, blobs: 0 });
  expect([...records.keys()]).toEqual(['run_2']);
});

test('a run that nobody knows is none, and one of another store is refused', async () => {
  const { records, context } = open([shape]);
  await expect(deleteRun(context, 'run_9', {})).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  records.set('run_1', { ...records.get('run_1')!, storeId: 'store_2' });
  await expect(deleteRun(context, 'run_1', {})).rejects.toMatchObject({ code: 'STORE_MISMATCH' });
  expect(records.size).toBe(1);
});
