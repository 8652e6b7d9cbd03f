import { describe, expect, test } from '@jest/globals';
import type { Amounts } from '../../src/contract/budget.ts';
import {
  type Ledger,
  meterOf,
  openLedger,
  overrunOf,
  release,
  remainingOf,
  reserve,
  settle,
  spentBy,
} from '../../src/domain/budget-ledger.ts';

const amounts = (tokens: number, toolCalls = 0, microUsd = 0): Amounts => ({ tokens, toolCalls, microUsd });

function grant(ledger: Ledger, account: string, wanted: Amounts): Ledger {
  const result = reserve(ledger, account, wanted);
  if (result.status !== 'reserved') throw new Error(result.message);
  return result.ledger;
}

test('50,000 in all, three subagents of 15,000 that use 12,000, 14,000 and 8,000 = 34,000, leave 16,000 for a synthesis of about 5,000', () => {
  let ledger = grant(openLedger(amounts(50_000)), 'synthesis', amounts(5_000));
  for (const id of ['s1', 's2', 's3']) ledger = grant(ledger, id, amounts(15_000));
  expect(remainingOf(ledger).tokens).toBe(0);
  ledger = settle(ledger, 's2', amounts(15_000), amounts(14_000));
  ledger = settle(ledger, 's1', amounts(15_000), amounts(12_000));
  ledger = settle(ledger, 's3', amounts(15_000), amounts(8_000));
  expect(meterOf(ledger, 'tokens')).toEqual({ spent: 34_000, reserved: 5_000, remaining: 11_000, limit: 50_000 });
  ledger = release(ledger, 'synthesis', amounts(5_000));
  expect(remainingOf(ledger).tokens).toBe(16_000);
  ledger = settle(grant(ledger, 'synthesis', amounts(5_000)), 'synthesis', amounts(5_000), amounts(4_800));
  expect(meterOf(ledger, 'tokens')).toEqual({ spent: 38_800, reserved: 0, remaining: 11_200, limit: 50_000 });
  expect(overrunOf(ledger)).toEqual(amounts(0));
});

test('B38 · five children ask for 500 each with 100 left: none is admitted', () => {
  const ledger = settle(
    grant(openLedger(amounts(10_000)), 'planner', amounts(9_900)),
    'planner',
    amounts(9_900),
    amounts(9_900),
  );
  const admitted = ['s1', 's2', 's3', 's4', 's5'].filter(
    (id) => reserve(ledger, id, amounts(500)).status === 'reserved',
  );
  expect(admitted).toEqual([]);
});

describe('reserve', () => {
  test('a denial names who asked for what, and what remains', () => {
    const ledger = grant(openLedger(amounts(50_000, 10)), 's1', amounts(48_800, 9));
    expect(reserve(ledger, 's3', amounts(8_000, 1))).toEqual({
      status: 'denied',
      shortBy: amounts(6_800),
      message: 's3 asked for 8,000 tokens; 1,200 of 50,000 remain',
    });
    expect(reserve(ledger, 's3', amounts(1_200, 4))).toEqual({
      status: 'denied',
      shortBy: amounts(0, 3),
      message: 's3 asked for 4 tool calls; 1 of 10 remain',
    });
    expect(reserve(ledger, 's3', amounts(1_300, 4))).toMatchObject({
      message: 's3 asked for 1,300 tokens; 1,200 of 50,000 remain, and for 4 tool calls; 1 of 10 remain',
    });
  });

  test('grants exactly what remains', () => {
    expect(remainingOf(grant(openLedger(amounts(100, 3)), 's1', amounts(100, 3)))).toEqual(amounts(0, 0));
  });

  test('leaves the ledger that it was given as it was', () => {
    const ledger = openLedger(amounts(100));
    grant(ledger, 's1', amounts(60));
    expect(remainingOf(ledger).tokens).toBe(100);
  });

  test('an account may have any name', () => {
    const ledger = grant(openLedger(amounts(100)), '__proto__', amounts(60));
    expect(meterOf(ledger, 'tokens').reserved).toBe(60);
    expect(meterOf(JSON.parse(JSON.stringify(ledger)) as Ledger, 'tokens').reserved).toBe(60);
    expect(spentBy(ledger, 'constructor')).toEqual(amounts(0));
  });
});

describe('settle', () => {
  test('what was not used is free for others', () => {
    const ledger = settle(
      grant(openLedger(amounts(100, 5)), 's1', amounts(100, 5)),
      's1',
      amounts(100, 5),
      amounts(30, 1),
    );
    expect(spentBy(ledger, 's1')).toEqual(amounts(30, 1));
    expect(remainingOf(ledger)).toEqual(amounts(70, 4));
  });

  test('a use above the reservation shrinks the other reservations of the account before it touches the pool', () => {
    let ledger = grant(grant(openLedger(amounts(300)), 's1', amounts(100)), 's1', amounts(100));
    ledger = settle(ledger, 's1', amounts(100), amounts(150));
    expect(meterOf(ledger, 'tokens')).toEqual({ spent: 150, reserved: 50, remaining: 100, limit: 300 });
    ledger = settle(ledger, 's1', amounts(100), amounts(100));
    expect(meterOf(ledger, 'tokens')).toEqual({ spent: 250, reserved: 0, remaining: 50, limit: 300 });
  });

  test('a reservation that an overrun has shrunk is made whole by what the next one leaves', () => {
    let ledger = openLedger(amounts(300));
    for (let count = 0; count < 3; count += 1) ledger = grant(ledger, 's1', amounts(100));
    ledger = settle(ledger, 's1', amounts(100), amounts(150));
    ledger = settle(ledger, 's1', amounts(100), amounts(40));
    expect(meterOf(ledger, 'tokens')).toEqual({ spent: 190, reserved: 100, remaining: 10, limit: 300 });
    ledger = release(ledger, 's1', amounts(100));
    expect(meterOf(ledger, 'tokens')).toEqual({ spent: 190, reserved: 0, remaining: 110, limit: 300 });
  });

  test('overruns of one account add up', () => {
    let ledger = openLedger(amounts(300));
    for (let count = 0; count < 3; count += 1) ledger = grant(ledger, 's1', amounts(100));
    ledger = settle(ledger, 's1', amounts(100), amounts(150));
    ledger = settle(ledger, 's1', amounts(100), amounts(120));
    expect(meterOf(ledger, 'tokens')).toEqual({ spent: 270, reserved: 30, remaining: 0, limit: 300 });
  });

  test('a use above all that was there is charged in full and shows as an overrun', () => {
    const ledger = settle(grant(openLedger(amounts(100)), 's1', amounts(100)), 's1', amounts(100), amounts(130));
    expect(spentBy(ledger, 's1').tokens).toBe(130);
    expect(remainingOf(ledger).tokens).toBe(0);
    expect(overrunOf(ledger).tokens).toBe(30);
    expect(reserve(ledger, 's2', amounts(1))).toMatchObject({ status: 'denied', shortBy: { tokens: 1 } });
  });

  test('throws when the account does not hold the reservation', () => {
    const ledger = grant(openLedger(amounts(100)), 's1', amounts(40));
    expect(() => settle(ledger, 's1', amounts(41), amounts(0))).toThrow(
      's1 settles a reservation of 41 tokens, but holds 40',
    );
    expect(() => release(ledger, 's2', amounts(1))).toThrow('s2 settles a reservation of 1 tokens, but holds 0');
    expect(() => release(release(ledger, 's1', amounts(40)), 's1', amounts(40))).toThrow('but holds 0');
  });
});

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '12' as unknown as number])(
  'an amount of %p is a broken invariant',
  (broken) => {
    const ledger = grant(openLedger(amounts(100)), 's1', amounts(40));
    const wanted = 'of at least 0, came';
    expect(() => openLedger(amounts(broken))).toThrow(wanted);
    expect(() => reserve(ledger, 's1', amounts(0, broken))).toThrow(wanted);
    expect(() => settle(ledger, 's1', amounts(40), amounts(broken))).toThrow(wanted);
    expect(() => settle(ledger, 's1', amounts(broken), amounts(0))).toThrow(wanted);
  },
);
