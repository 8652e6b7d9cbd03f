import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ToolOptions, toolOptionsSchema } from '../../src/contract/tool.ts';
import { type BatchCall, planToolBatch } from '../../src/domain/tool-batch.ts';

const options = (given: Partial<ToolOptions>): ToolOptions => toolOptionsSchema.parse(given);

/** `'r w r'` → calls t1c1 … of these effects; `s` is a read of a session tool. */
function calls(text: string): BatchCall[] {
  return text.split(' ').map((letter, index) => ({
    callId: `t1c${index + 1}`,
    effect: letter === 'w' ? 'write' : 'read',
    session: letter === 's',
  }));
}

const stagesOf = (text: string, given: Partial<ToolOptions>, remaining = 100) =>
  planToolBatch(calls(text), options(given), remaining).stages.map(({ callIds, maxConcurrency, stopOnFailure }) => [
    callIds.map((id) => id.slice('t1c'.length)).join(' '),
    maxConcurrency,
    stopOnFailure,
  ]);

describe('policies', () => {
  test('parallel runs every call at once', () => {
    expect(stagesOf('r w r w', { policy: 'parallel' })).toEqual([['1 2 3 4', null, false]]);
  });

  test('bounded runs one stage under the bound', () => {
    expect(stagesOf('r r r r r r', { policy: 'bounded', maxConcurrency: 2 })).toEqual([['1 2 3 4 5 6', 2, false]]);
  });

  test('sequential runs one call at a time in call order, and stops at a failure only where that is asked for', () => {
    expect(stagesOf('r w', { policy: 'sequential' })).toEqual([
      ['1', 1, false],
      ['2', 1, false],
    ]);
    expect(stagesOf('w w', { policy: 'sequential', stopOnFailure: true })).toEqual([
      ['1', 1, true],
      ['2', 1, true],
    ]);
  });

  test('serialize-writes is the default: a write waits for all before it, runs alone, and holds back all after it', () => {
    expect(stagesOf('r r w w r', {})).toEqual([
      ['1 2', null, false],
      ['3', 1, false],
      ['4', 1, false],
      ['5', null, false],
    ]);
  });

  test('serialize-writes keeps the reads under the bound', () => {
    expect(stagesOf('r r r w', { maxConcurrency: 2 })).toEqual([
      ['1 2 3', 2, false],
      ['4', 1, false],
    ]);
  });

  test.each(['parallel', 'sequential', 'serialize-writes'] as const)(
    'one session call makes a batch under %s sequential, and stops it at the first failure',
    (policy) => {
      expect(stagesOf('r s r', { policy })).toEqual([
        ['1', 1, true],
        ['2', 1, true],
        ['3', 1, true],
      ]);
    },
  );

  test('a batch without calls has no stages', () => {
    expect(planToolBatch([], options({}), 10)).toEqual({ stages: [], refused: [] });
  });
});

describe('caps', () => {
  test('more calls than the cap run in groups, one after the other', () => {
    expect(stagesOf('r r r r r r r', { policy: 'parallel', maxToolCallsPerTurn: 3 })).toEqual([
      ['1 2 3', null, false],
      ['4 5 6', null, false],
      ['7', null, false],
    ]);
  });

  test('with overflow reject the surplus is answered, not dropped', () => {
    const plan = planToolBatch(calls('r r r r'), options({ maxToolCallsPerTurn: 2, overflow: 'reject' }), 100);
    expect(plan.stages.map((stage) => stage.callIds)).toEqual([['t1c1', 't1c2']]);
    expect(plan.refused.map(({ callId, why }) => [callId, why])).toEqual([
      ['t1c3', 'over-cap'],
      ['t1c4', 'over-cap'],
    ]);
    expect(plan.refused[0]!.text).toContain('at most 2 calls are executed per turn');
  });

  test('calls beyond the budget are answered as such, the first ones run', () => {
    const plan = planToolBatch(calls('r w r'), options({}), 1);
    expect(plan.stages.map((stage) => stage.callIds)).toEqual([['t1c1']]);
    expect(plan.refused.map(({ callId, why }) => [callId, why])).toEqual([
      ['t1c2', 'no-budget'],
      ['t1c3', 'no-budget'],
    ]);
    expect(planToolBatch(calls('r'), options({}), 0).stages).toEqual([]);
  });
});

const anyOptions = fc
  .record({
    policy: fc.constantFrom(...(['parallel', 'bounded', 'sequential', 'serialize-writes'] as const)),
    maxConcurrency: fc.integer({ min: 1, max: 5 }),
    maxToolCallsPerTurn: fc.integer({ min: 1, max: 10 }),
    overflow: fc.constantFrom(...(['batches', 'reject'] as const)),
    stopOnFailure: fc.boolean(),
  })
  .map(options);
const anyCalls = fc
  .array(fc.constantFrom('r', 'r', 'w', 's'), { maxLength: 30 })
  .map((letters) => (letters.length === 0 ? [] : calls(letters.join(' '))));

describe('every batch', () => {
  test('places each call exactly once, in call order, and refuses none without a text', () => {
    fc.assert(
      fc.property(anyCalls, anyOptions, fc.nat(40), (batch, given, remaining) => {
        const { stages, refused } = planToolBatch(batch, given, remaining);
        const run = stages.flatMap((stage) => stage.callIds);
        const placed = [...run, ...refused.map((refusal) => refusal.callId)];
        expect(placed).toEqual(batch.map((call) => call.callId));
        expect(run.length).toBeLessThanOrEqual(remaining);
        expect(refused.every((refusal) => refusal.text.trim() !== '')).toBe(true);
        expect(stages.every((stage) => stage.callIds.length > 0)).toBe(true);
        expect(stages.every((stage) => stage.callIds.length <= given.maxToolCallsPerTurn)).toBe(true);
      }),
    );
  });

  test('under serialize-writes never runs a write beside another call', () => {
    fc.assert(
      fc.property(anyCalls, fc.nat(40), (batch, remaining) => {
        const writes = new Set(batch.filter((call) => call.effect === 'write').map((call) => call.callId));
        const { stages } = planToolBatch(batch, options({}), remaining);
        for (const { callIds } of stages) {
          if (callIds.some((id) => writes.has(id))) expect(callIds).toHaveLength(1);
        }
      }),
    );
  });
});

describe('with parallel calls switched off', () => {
  test('the first call runs, and each of the others is refused with a request for one at a time', () => {
    const plan = planToolBatch(calls('r w r'), options({ parallelToolCalls: false }), 100);
    expect(plan.stages.flatMap(({ callIds }) => callIds)).toEqual(['t1c1']);
    expect(plan.refused.map(({ callId, why }) => [callId, why])).toEqual([
      ['t1c2', 'one-at-a-time'],
      ['t1c3', 'one-at-a-time'],
    ]);
    expect(plan.refused[0]!.text).toMatch(/one tool call at a time/);
  });

  test('a single call runs as ever', () => {
    expect(stagesOf('w', { parallelToolCalls: false })).toEqual([['1', 1, false]]);
  });
});
