import { describe, expect, test } from '@jest/globals';
import { adoptResultSchema, type AdoptStep } from '../../src/contract/adopt.ts';
import type { RunRecord, SubagentRecord } from '../../src/contract/run-record.ts';
import { toSpecification } from '../../src/domain/adoption/specification.ts';
import { noUsage } from '../../src/domain/usage.ts';
import { samples } from '../contract/samples.ts';
import { createWorld, memoryStore, runOnce, storeId } from './activity-world.ts';

const [sample] = samples.runRecordSchema as readonly [RunRecord];
const request = { ...sample.request!, subtasks: undefined };
const [failed, done] = samples.subagentOutcomeSchema as readonly SubagentRecord['outcome'][];
const [resume] = samples.resumeSchema as readonly NonNullable<SubagentRecord['resume']>[];

function toRecord(parts: Partial<RunRecord> = {}): RunRecord {
  return {
    ...sample,
    request,
    storeId,
    subagents: [
      { id: 's1', goal: 'one', outcome: { ...done!, id: 's1' }, resume: null },
      { id: 's2', goal: 'two', outcome: { ...failed!, id: 's2' }, resume: resume! },
      { id: 's3', goal: 'three', outcome: { ...failed!, id: 's3', reason: 'refusal' }, resume: resume! },
    ],
    ...parts,
  };
}

function adopt(record: RunRecord, parts: Partial<AdoptStep> = {}, store = memoryStore()) {
  const { activities } = createWorld({ store, readEndedRun: async () => record });
  const specification = toSpecification(request, record);
  const origin = { kind: 'retry', runId: record.runId, firstRunId: record.firstRunId, reuse: 'finished' } as const;
  const step: AdoptStep = { runId: 'run-2', storeId, origin, specification, ...parts };
  return runOnce(activities.adoptRunActivity, step);
}

describe('what a run takes over', () => {
  test('costs it nothing, is told row by row, and keeps the point to go on from in the store', async () => {
    const store = memoryStore();
    const record = toRecord();
    const result = await adopt(record, {}, store);
    expect(adoptResultSchema.parse(result)).toEqual(result);
    expect(result.spent).toEqual({ ...record.result.usage, wallClockMs: 0 });
    expect(result.plan).toEqual(record.subagents.map(({ id, goal }) => ({ id, goal })));
    const [reused, goneOn, anew] = result.subagents;
    expect(reused).toMatchObject({ kind: 'reuse', reusedFrom: 'run-1', outcome: { status: 'reused', usage: noUsage } });
    expect(anew).toEqual({ kind: 'anew', id: 's3', why: 'it failed (refusal)' });
    expect(goneOn).toMatchObject({ kind: 'continue', why: 'it failed (provider)' });
    const ref = goneOn!.kind === 'continue' ? goneOn!.resumeRef : null;
    expect(JSON.parse(store.text(ref!.hash))).toEqual(resume);
    expect(result.notes).toEqual(['it takes over run-1; reused: s1; gone on with: s2; done again: s3']);
  });

  test('fits into a result of an activity, however many reports there are: the store has them whole', async () => {
    const summary = 'x'.repeat(5_000);
    const subagents = Array.from({ length: 1_000 }, (_, index): SubagentRecord => {
      const report = { ...done!.report!, summary };
      return { id: `s${index + 1}`, goal: 'goal', outcome: { ...done!, id: `s${index + 1}`, report }, resume: null };
    });
    const result = await adopt(toRecord({ subagents }));
    expect(result.subagents).toHaveLength(1_000);
    expect(JSON.stringify(result).length).toBeLessThan(2_000_000);
    const reports = result.subagents.map((each) => (each.kind === 'reuse' ? each.outcome.report : undefined));
    expect(reports[0]).not.toBeNull();
    expect(reports.at(-1)).toBeNull();
    expect(result.subagents.every((each) => each.kind === 'reuse' && each.outcome.reportRef !== null)).toBe(true);
  });
});

describe('work that is in another store', () => {
  const elsewhere = toRecord({ storeId: 'store_elsewhere' });

  test('cannot be taken over, and the message says with which worker it could', async () => {
    await expect(adopt(elsewhere)).rejects.toMatchObject({
      type: 'STORE_MISMATCH',
      nonRetryable: true,
      message: expect.stringMatching(/store_elsewhere.*store_test.*--reuse none/),
    });
  });

  test('leaves its plan, where nothing else is to be reused', async () => {
    const origin = { kind: 'retry', runId: 'run-1', firstRunId: '0199', reuse: 'none' } as const;
    const result = await adopt(elsewhere, { origin });
    expect(result.plan).toHaveLength(3);
    expect(result.subagents.map(({ kind }) => kind)).toEqual(['anew', 'anew', 'anew']);
    expect(result.drafts).toEqual([]);
  });
});
