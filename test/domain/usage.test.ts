import { describe, expect, test } from '@jest/globals';
import type { CallUsage, Usage } from '../../src/contract/budget.ts';
import { addUsage, noUsage, settleCall } from '../../src/domain/usage.ts';

const call: CallUsage = {
  requests: 1,
  inputTokens: 100,
  outputTokens: 20,
  usd: 0.5,
  lost: 0,
  requestTokens: 900,
  requestUsd: 0.25,
};
const usage: Usage = {
  inputTokens: 100,
  outputTokens: 20,
  tokens: 120,
  usd: 0.5,
  toolCalls: 2,
  wallClockMs: 7,
  estimated: false,
};

describe('addUsage', () => {
  test('nothing used changes nothing', () => {
    expect(addUsage(usage, noUsage)).toEqual(usage);
    expect(addUsage(noUsage, usage)).toEqual(usage);
  });

  test('adds every part', () => {
    expect(addUsage(usage, usage)).toEqual({
      inputTokens: 200,
      outputTokens: 40,
      tokens: 240,
      usd: 1,
      toolCalls: 4,
      wallClockMs: 14,
      estimated: false,
    });
  });

  test('one unknown price makes the price of the sum unknown, not smaller', () => {
    expect(addUsage(usage, { ...usage, usd: null }).usd).toBeNull();
    expect(addUsage({ ...usage, usd: null }, noUsage).usd).toBeNull();
  });

  test('one estimated part makes the sum estimated', () => {
    expect(addUsage(usage, { ...usage, estimated: true }).estimated).toBe(true);
  });
});

describe('settleCall', () => {
  test('charges what the provider counted', () => {
    expect(settleCall(call)).toEqual({
      tokens: 120,
      usage: {
        inputTokens: 100,
        outputTokens: 20,
        tokens: 120,
        usd: 0.5,
        toolCalls: 0,
        wallClockMs: 0,
        estimated: false,
      },
    });
  });

  test('charges each lost request at the reservation of one request, marked as estimated', () => {
    const settled = settleCall({ ...call, requests: 3, lost: 2 });
    expect(settled.tokens).toBe(100 + 20 + 2 * 900);
    expect(settled.usage).toMatchObject({ inputTokens: 1_900, outputTokens: 20, tokens: 1_920, estimated: true });
  });

  test('charges a lost request at the price of its reservation, and says nothing where that is not known', () => {
    expect(settleCall({ ...call, lost: 2 }).usage).toMatchObject({ usd: 1, estimated: true });
    expect(settleCall({ ...call, lost: 1, requestUsd: null }).usage.usd).toBeNull();
    expect(settleCall({ ...call, lost: 1, usd: null }).usage.usd).toBeNull();
  });
});
