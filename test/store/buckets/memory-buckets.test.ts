import { expect, test } from '@jest/globals';
import { createMemoryBuckets } from '../../../src/store/buckets/memory-buckets.ts';
import { defineBucketLaws, takeStart } from './bucket-laws.ts';

const shared = createMemoryBuckets();
defineBucketLaws(() => shared);

test('starts come due as its clock goes on', async () => {
  let nowMs = 1_000_000;
  const buckets = createMemoryBuckets(() => nowMs);
  await takeStart(buckets, 'k', 0, { rpm: 61 });
  const { start, waitMs } = await takeStart(buckets, 'k', 0, { rpm: 61 });
  expect(waitMs).toBe(1_000);
  expect(await buckets.check('k', start)).toEqual({ kind: 'wait', waitMs: 1_000 });
  nowMs += 1_000;
  expect(await buckets.check('k', start)).toEqual({ kind: 'go' });
  nowMs += 5_000;
  expect(await buckets.check('k', start)).toEqual({ kind: 'lost' });
});
