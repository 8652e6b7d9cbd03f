/** The faults that other tools have shipped: every grave one of these sections has a test that is named after it. */
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const grave: Record<string, readonly string[]> = {
  'tool execution': ['B20', 'B21', 'B25'],
  'fan-out and joins': ['B26', 'B28', 'B29'],
  cancellation: ['B32', 'B34', 'B35', 'B37'],
  'budget and usage': ['B38', 'B39', 'B40', 'B42'],
  'rate limits and retries': ['B44', 'B46', 'B50'],
  durability: ['B52', 'B53', 'B54', 'B55', 'B58'],
};
/** Cases that are several scenarios each. */
const parts: Record<string, string> = { B32: 'abcdef', B37: 'abcd' };

/** `B32 (a) · during …`, as it opens the title of a test or of a row of its table. */
const title = /['"`](B\d\d)(?: \(([a-z])\))? · /g;
const named = new Set(
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file !== 'cases.test.ts')
    .flatMap((file) => [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(title)])
    .map(([, id, part]) => (part ? `${id} (${part})` : id)),
);

test.each(Object.entries(grave))('%s: each case has a test that is named after it', (_, ids) => {
  const wanted = ids.flatMap((id) => (parts[id] ? [...parts[id]].map((part) => `${id} (${part})`) : [id]));
  expect(wanted.filter((each) => !named.has(each))).toEqual([]);
});
