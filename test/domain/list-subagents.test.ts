import { expect, test } from '@jest/globals';
import { listSubagents } from '../../src/domain/list-subagents.ts';

test.each([
  [[], ''],
  [['s1'], 's1'],
  [['s1', 's2'], 's1, s2'],
  [['s1', 's2', 's3'], 's1 to s3'],
  [['s9', 's10', 's11', 's13', 's15', 's16'], 's9 to s11, s13, s15, s16'],
  [['s3', 's2', 's1'], 's3, s2, s1'],
  [['s2.1', 's2.2', 's2.3'], 's2.1, s2.2, s2.3'],
])('%j is said as %j', (ids, text) => {
  expect(listSubagents(ids)).toBe(text);
});
