import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openLedger, remainingOf, reserve } from '../../src/domain/budget-ledger.ts';
import { decideNext, type FanOutState, planAllotment } from '../../src/domain/fan-out.ts';

describe('planAllotment', () => {
  test('is an equal share of what remains, rounded down', () => {
    expect(planAllotment({ tokens: 100_000, toolCalls: 200, microUsd: 600 }, 6, undefined)).toEqual({
      tokens: 16_666,
      toolCalls: 33,
      microUsd: 100,
    });
  });

  test('takes the tokens that the caller set', () => {
    expect(planAllotment({ tokens: 100_000, toolCalls: 200, microUsd: 600 }, 6, 15_000)).toEqual({
      tokens: 15_000,
      toolCalls: 33,
      microUsd: 100,
    });
    expect(
      planAllotment({ tokens: 100_000, toolCalls: 200, microUsd: 600 }, 6, 500, { tokens: 3_000, microUsd: 0 }).tokens,
    ).toBe(500);
  });

  test('raises a share that is too small to work with, so that fewer subagents run rather than none', () => {
    expect(
      planAllotment({ tokens: 10_000, toolCalls: 200, microUsd: 600 }, 6, undefined, { tokens: 3_000, microUsd: 250 }),
    ).toMatchObject({
      tokens: 3_000,
      microUsd: 250,
    });
  });
});

const state: FanOutState = {
  remaining: { tokens: 45_000, toolCalls: 100, microUsd: 600 },
  allotment: { tokens: 15_000, toolCalls: 33, microUsd: 600 },
  min: { tokens: 3_000, microUsd: 50 },
  running: 0,
  stopped: null,
};

describe('decideNext', () => {
  test('starts what the remainder can fund', () => {
    expect(decideNext(state)).toEqual({ kind: 'start', allotment: { tokens: 15_000, toolCalls: 33, microUsd: 600 } });
    expect(decideNext({ ...state, remaining: { tokens: 15_000, toolCalls: 33, microUsd: 600 } }).kind).toBe('start');
  });

  test('waits while a running subagent may hand something back', () => {
    expect(decideNext({ ...state, running: 1, remaining: { tokens: 14_999, toolCalls: 33, microUsd: 600 } })).toEqual({
      kind: 'wait',
    });
    expect(decideNext({ ...state, running: 1, remaining: { tokens: 45_000, toolCalls: 0, microUsd: 600 } })).toEqual({
      kind: 'wait',
    });
  });

  test('skips what nothing can fund any more', () => {
    const skip = { kind: 'skip', reason: 'budget' };
    expect(decideNext({ ...state, remaining: { tokens: 14_999, toolCalls: 33, microUsd: 600 } })).toEqual(skip);
    expect(decideNext({ ...state, remaining: { tokens: 45_000, toolCalls: 0, microUsd: 600 } })).toEqual(skip);
  });

  test('treats money like tokens', () => {
    const poor = { ...state.remaining, microUsd: 599 };
    expect(decideNext({ ...state, remaining: poor })).toEqual({ kind: 'skip', reason: 'budget' });
    expect(decideNext({ ...state, remaining: poor, running: 1 })).toEqual({ kind: 'wait' });
    const tooSmall = { ...state.allotment, microUsd: 49 };
    expect(decideNext({ ...state, running: 1, allotment: tooSmall })).toEqual({ kind: 'skip', reason: 'budget' });
  });

  test('skips an allotment that does not pay for a single turn, without waiting', () => {
    expect(decideNext({ ...state, running: 3, allotment: { tokens: 2_999, toolCalls: 33, microUsd: 600 } })).toEqual({
      kind: 'skip',
      reason: 'budget',
    });
  });

  test('lets the tool calls shrink to what remains, to at least one', () => {
    expect(decideNext({ ...state, remaining: { tokens: 45_000, toolCalls: 2, microUsd: 600 } })).toMatchObject({
      allotment: { toolCalls: 2 },
    });
    expect(decideNext({ ...state, allotment: { tokens: 15_000, toolCalls: 0, microUsd: 600 } })).toMatchObject({
      allotment: { toolCalls: 1 },
    });
  });

  test('starts nothing once the time is up, or the key has no quota left', () => {
    const after = (stopped: FanOutState['stopped']) => decideNext({ ...state, running: 2, stopped });
    expect(after('wall-clock')).toEqual({ kind: 'skip', reason: 'wall-clock' });
    expect(after('quota')).toEqual({ kind: 'skip', reason: 'quota' });
  });

  test('never starts what the ledger denies', () => {
    const amounts = fc.record({ tokens: fc.nat(50_000), toolCalls: fc.nat(50), microUsd: fc.nat(5_000) });
    fc.assert(
      fc.property(amounts, amounts, fc.nat(5_000), (remaining, allotment, tokens) => {
        const ledger = openLedger(remaining);
        const decision = decideNext({
          ...state,
          remaining: remainingOf(ledger),
          allotment,
          min: { tokens, microUsd: 0 },
        });
        if (decision.kind === 'start') expect(reserve(ledger, 's1', decision.allotment).status).toBe('reserved');
      }),
    );
  });
});
