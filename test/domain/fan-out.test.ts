import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openLedger, remainingOf, reserve } from '../../src/domain/budget-ledger.ts';
import { decideNext, type FanOutState, planAllotment } from '../../src/domain/fan-out.ts';

describe('planAllotment', () => {
  test('is an equal share of what remains, rounded down', () => {
    expect(planAllotment({ tokens: 100_000, toolCalls: 200 }, 6, undefined)).toEqual({ tokens: 16_666, toolCalls: 33 });
  });

  test('takes the tokens that the caller set', () => {
    expect(planAllotment({ tokens: 100_000, toolCalls: 200 }, 6, 15_000)).toEqual({ tokens: 15_000, toolCalls: 33 });
    expect(planAllotment({ tokens: 100_000, toolCalls: 200 }, 6, 500, 3_000).tokens).toBe(500);
  });

  test('raises a share that is too small to work with, so that fewer subagents run rather than none', () => {
    expect(planAllotment({ tokens: 10_000, toolCalls: 200 }, 6, undefined, 3_000).tokens).toBe(3_000);
  });
});

const state: FanOutState = {
  remaining: { tokens: 45_000, toolCalls: 100 },
  allotment: { tokens: 15_000, toolCalls: 33 },
  minTokens: 3_000,
  running: 0,
  finalize: false,
};

describe('decideNext', () => {
  test('starts what the remainder can fund', () => {
    expect(decideNext(state)).toEqual({ kind: 'start', allotment: { tokens: 15_000, toolCalls: 33 } });
    expect(decideNext({ ...state, remaining: { tokens: 15_000, toolCalls: 33 } }).kind).toBe('start');
  });

  test('waits while a running subagent may hand something back', () => {
    expect(decideNext({ ...state, running: 1, remaining: { tokens: 14_999, toolCalls: 33 } })).toEqual({
      kind: 'wait',
    });
    expect(decideNext({ ...state, running: 1, remaining: { tokens: 45_000, toolCalls: 0 } })).toEqual({ kind: 'wait' });
  });

  test('skips what nothing can fund any more', () => {
    const skip = { kind: 'skip', reason: 'budget' };
    expect(decideNext({ ...state, remaining: { tokens: 14_999, toolCalls: 33 } })).toEqual(skip);
    expect(decideNext({ ...state, remaining: { tokens: 45_000, toolCalls: 0 } })).toEqual(skip);
  });

  test('skips an allotment that does not pay for a single turn, without waiting', () => {
    expect(decideNext({ ...state, running: 3, allotment: { tokens: 2_999, toolCalls: 33 } })).toEqual({
      kind: 'skip',
      reason: 'budget',
    });
  });

  test('lets the tool calls shrink to what remains, to at least one', () => {
    expect(decideNext({ ...state, remaining: { tokens: 45_000, toolCalls: 2 } })).toMatchObject({
      allotment: { toolCalls: 2 },
    });
    expect(decideNext({ ...state, allotment: { tokens: 15_000, toolCalls: 0 } })).toMatchObject({
      allotment: { toolCalls: 1 },
    });
  });

  test('starts nothing once the run finalizes', () => {
    expect(decideNext({ ...state, running: 2, finalize: true })).toEqual({ kind: 'skip', reason: 'wall-clock' });
  });

  test('never starts what the ledger denies', () => {
    const amounts = fc.record({ tokens: fc.nat(50_000), toolCalls: fc.nat(50) });
    fc.assert(
      fc.property(amounts, amounts, fc.nat(5_000), (remaining, allotment, minTokens) => {
        const ledger = openLedger(remaining);
        const decision = decideNext({ ...state, remaining: remainingOf(ledger), allotment, minTokens });
        if (decision.kind === 'start') expect(reserve(ledger, 's1', decision.allotment).status).toBe('reserved');
      }),
    );
  });
});
