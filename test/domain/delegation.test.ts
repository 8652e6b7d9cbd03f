import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ToolTraits } from '../../src/contract/tool.ts';
import { toDelegationText } from '../../src/domain/delegation-text.ts';
import { fundDelegation } from '../../src/domain/fund-delegation.ts';
import { offerDelegation, withoutDelegate } from '../../src/domain/offer-delegation.ts';
import { readGoals } from '../../src/domain/plan.ts';
import { depthOf, ofRun, parentOf, rootOf, toTreeOrder } from '../../src/domain/subagent-tree.ts';
import { toOutcome } from '../support/fact-builder.ts';

const look: ToolTraits = { name: 'look', effect: 'read', session: false, idempotent: false };
const named = (...ids: string[]) => ids.map((id) => ({ id }));

describe('what a subagent gives to those below it', () => {
  const amount = fc.integer({ min: 0, max: 1e9 });
  const amounts = fc.record({ tokens: amount, toolCalls: fc.integer({ min: 0, max: 500 }), microUsd: amount });

  test('is at most half of what it has left, equal for each, and enough to work with', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 50 }), amount, amount, (open, wanted, tokens, microUsd) => {
        const { count, allotment } = fundDelegation(open, wanted, { tokens, microUsd });
        expect(count).toBeLessThanOrEqual(wanted);
        for (const key of ['tokens', 'toolCalls', 'microUsd'] as const) {
          expect(allotment[key] * count * 2).toBeLessThanOrEqual(open[key]);
          // Nothing is held back beyond the remainders of two divisions.
          if (count > 0) expect(allotment[key] * count * 2).toBeGreaterThan(open[key] - 2 * count - 2);
        }
        if (count === 0) return;
        expect(allotment.tokens).toBeGreaterThanOrEqual(tokens);
        expect(allotment.microUsd).toBeGreaterThanOrEqual(microUsd);
        expect(allotment.toolCalls).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test('goes to fewer where it would be too little for all, and to nobody where it is too little for one', () => {
    const open = { tokens: 10_000, toolCalls: 20, microUsd: 0 };
    expect(fundDelegation(open, 4, { tokens: 2_000, microUsd: 0 })).toMatchObject({
      count: 2,
      allotment: { tokens: 2_500, toolCalls: 5 },
    });
    expect(fundDelegation(open, 4, { tokens: 6_000, microUsd: 0 }).count).toBe(0);
    expect(fundDelegation({ ...open, toolCalls: 1 }, 4, { tokens: 0, microUsd: 0 }).count).toBe(0);
  });
});

describe('delegate', () => {
  const bounds = { maxDepth: 2, maxSubtasks: 3 };

  test('is offered while there is a level below', () => {
    expect(offerDelegation('s1', [look], bounds)).toMatchObject({ delegation: bounds });
    expect(offerDelegation('s1', [look], bounds).tools.map(({ name }) => name)).toEqual(['look', 'delegate']);
    expect(offerDelegation('s1.2', [look], bounds)).toEqual({ tools: [look] });
    expect(offerDelegation('s1', [look], { ...bounds, maxDepth: 1 })).toEqual({ tools: [look] });
    expect(offerDelegation('s1.2', [look], { ...bounds, maxDepth: 3 }).delegation).toBeDefined();
  });

  test('gives way to a tool of that name that the run has', () => {
    const own = { ...look, name: 'delegate' };
    expect(offerDelegation('s1', [own], bounds)).toEqual({ tools: [own] });
  });

  test('is taken away again from what goes further down', () => {
    expect(withoutDelegate(offerDelegation('s1', [look], bounds).tools)).toEqual([look]);
  });

  test('takes goals with a text, each once, at the length of a goal', () => {
    expect(readGoals(['a', ' ', 'a ', 'b  c', 'b c', 'x'.repeat(5_000)]).map((goal) => goal.length)).toEqual([
      1, 3, 4_000,
    ]);
  });
});

describe('what a subagent reads of those below it', () => {
  const bounds = { maxChars: 16_000, maxTokens: 1_500 };

  test('names each with its end and what it found, and what was not started', () => {
    const parts = [
      { goal: 'one', outcome: toOutcome('s1.1') },
      {
        goal: 'two',
        outcome: toOutcome('s1.2', { status: 'failed', reason: 'provider', message: 'gone', report: null }),
      },
    ];
    const text = toDelegationText(parts, ['1 subtask was not started.'], bounds);
    const [first, second, note] = text.split('\n\n');
    expect(first).toMatch(/^s1\.1 done: one\n\{"summary":"found"/);
    expect(second).toMatch(/^s1\.2 failed \(provider: gone\): two\nIt handed nothing back/);
    expect(note).toBe('1 subtask was not started.');
  });

  test('is cut to its room, and every report in it stays whole JSON', () => {
    const claims = Array.from({ length: 60 }, (_, index) => ({
      text: `claim ${index} ${'x'.repeat(100)}`,
      sourceId: 'd',
      quote: 'q',
    }));
    const report = { summary: 's'.repeat(3_000), claims, tried: [], failed: [] };
    const parts = Array.from({ length: 6 }, (_, index) => ({
      goal: `goal ${index}`,
      outcome: toOutcome(`s1.${index + 1}`, { report }),
    }));
    const text = toDelegationText(parts, [], bounds);
    expect(text.length).toBeLessThanOrEqual(16_000);
    const reports = text.split('\n').filter((line) => line.startsWith('{'));
    expect(reports.map((line) => (JSON.parse(line) as { claims: unknown[] }).claims.length > 0)).toEqual(
      Array.from({ length: 6 }, () => true),
    );
  });
});

describe('ids as paths', () => {
  test('tell who is above', () => {
    expect(['s2', 's2.1', 's2.1.3'].map((id) => [parentOf(id), rootOf(id), depthOf(id)])).toEqual([
      [null, 's2', 1],
      ['s2', 's2', 2],
      ['s2.1', 's2', 3],
    ]);
    expect(ofRun(named('s1', 's1.1', 's2'))).toEqual(named('s1', 's2'));
  });

  test('give the order of a tree: those below stand behind, by number; the run keeps its own order', () => {
    const seen = named('s3', 's1', 's10', 's1.10', 's3.1', 's1.2', 's1.2.1');
    expect(toTreeOrder(seen)).toEqual(named('s3', 's3.1', 's1', 's1.2', 's1.2.1', 's1.10', 's10'));
  });
});
