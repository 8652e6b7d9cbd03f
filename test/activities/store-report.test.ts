import { expect, test } from '@jest/globals';
import { storedReportSchema } from '../../src/contract/outcome.ts';
import type { StoreReportStep } from '../../src/contract/steps.ts';
import { createWorld, memoryStore, runOnce, storeId } from './activity-world.ts';

const contents = [{ hash: 'ab'.repeat(32), bytes: 10 }];
const source = (id: string) => ({ id, url: `corpus:${id}.md`, title: id, contents });
const claim = (sourceId: string) => ({ text: `${sourceId} says so`, sourceId, quote: 'words' });

async function store(claims: ReturnType<typeof claim>[], failed: string[] = []) {
  const blobs = memoryStore();
  const { activities } = createWorld({ store: blobs });
  const step: StoreReportStep = {
    storeId,
    report: { summary: 'found', claims, tried: ['the index'], failed },
    sources: [source('d-1'), source('d-2')],
  };
  const { report, reportRef } = await runOnce(activities.storeReportActivity, step);
  const stored = storedReportSchema.parse(JSON.parse(blobs.text(reportRef.hash)));
  expect(stored).toEqual({ report, sources: step.sources });
  return report;
}

test('a report whose claims all name sources that were read is kept whole', async () => {
  const report = await store([claim('d-1'), claim('d-2')], ['one file']);
  expect(report).toEqual({
    summary: 'found',
    claims: [claim('d-1'), claim('d-2')],
    tried: ['the index'],
    failed: ['one file'],
  });
});

test.each([
  [['d-9'], '1 claim named a source that was not read'],
  [['d-9', 'unread:a.md'], '2 claims named a source that was not read'],
])('claims about %j, which were not read, are dropped, and that is said', async (unread, note) => {
  const report = await store([claim('d-1'), ...unread.map(claim)], ['one file']);
  expect(report.claims).toEqual([claim('d-1')]);
  expect(report.failed).toEqual(['one file', note]);
});

test('the same report is the same blob on every attempt', async () => {
  const { activities, store: blobs } = createWorld();
  const step: StoreReportStep = {
    storeId,
    report: { summary: 'found', claims: [], tried: [], failed: [] },
    sources: [],
  };
  const first = await runOnce(activities.storeReportActivity, step);
  expect(await runOnce(activities.storeReportActivity, step, { attempt: 2 })).toEqual(first);
  expect(blobs.blobs.size).toBe(1);
});

test('another store is refused', async () => {
  const { activities } = createWorld({ store: memoryStore('store_other') });
  const step: StoreReportStep = {
    storeId,
    report: { summary: 'found', claims: [], tried: [], failed: [] },
    sources: [],
  };
  await expect(runOnce(activities.storeReportActivity, step)).rejects.toMatchObject({ type: 'STORE_MISMATCH' });
});
