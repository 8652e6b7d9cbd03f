/**
 * The ledger of a run or of one subagent: plain data, moved only by `reserve`, `settle` and `release`.
 * Invariant at every step and in each dimension: spent + reserved + remaining = total + overrun.
 */
import type { Amounts, Dimension, Meter } from '../contract/budget.ts';
import { formatCount } from './text.ts';

export type Account = {
  /** Held for work that has not settled yet. */
  readonly reserved: Amounts;
  readonly spent: Amounts;
  /** How far overruns of this account have eaten into its other reservations. */
  readonly overdrawn: Amounts;
};

/** Accounts of a run are `planner`, `s1` … and `synthesis`; those of a subagent are its purposes. */
export type Ledger = { readonly total: Amounts; readonly accounts: Readonly<Record<string, Account>> };

const dimensions = ['tokens', 'toolCalls', 'microUsd'] as const satisfies readonly Dimension[];
const words: Readonly<Record<Dimension, string>> = {
  tokens: 'tokens',
  toolCalls: 'tool calls',
  microUsd: 'millionths of a USD',
};
const nothing: Amounts = { tokens: 0, toolCalls: 0, microUsd: 0 };
const emptyAccount: Account = { reserved: nothing, spent: nothing, overdrawn: nothing };

/** A ledger of which nothing is spent or reserved. Throws on amounts that are not non-negative safe integers. */
export function openLedger(total: Amounts): Ledger {
  requireAmounts(total, 'total');
  return { total, accounts: {} };
}

/** The ledger with a higher total: what is added may be reserved at once. Throws on amounts as `openLedger` does. */
export function raise(ledger: Ledger, added: Amounts): Ledger {
  requireAmounts(added, 'raise');
  return { ...ledger, total: mapAmounts((dimension) => ledger.total[dimension] + added[dimension]) };
}

/** What may still be reserved. Never negative: what was used beyond the total is in `overrunOf`. */
export function remainingOf(ledger: Ledger): Amounts {
  return mapAmounts((dimension) => remainingIn(ledger, dimension));
}

/** By how much spent and reserved exceed the total: zeros, unless a settlement was above its reservation. */
export function overrunOf(ledger: Ledger): Amounts {
  return mapAmounts((dimension) => Math.max(0, committed(ledger, dimension) - ledger.total[dimension]));
}

/** Zeros for an account that never reserved anything. */
export function spentBy(ledger: Ledger, account: string): Amounts {
  return accountOf(ledger, account).spent;
}

/** One dimension over all accounts. Without an overrun `spent + reserved + remaining = limit`. */
export function meterOf(ledger: Ledger, dimension: Dimension): Meter {
  return {
    spent: sumOf(ledger, 'spent', dimension),
    reserved: sumOf(ledger, 'reserved', dimension),
    remaining: remainingIn(ledger, dimension),
    limit: ledger.total[dimension],
  };
}

export type ReserveResult =
  | { readonly status: 'reserved'; readonly ledger: Ledger }
  | { readonly status: 'denied'; readonly shortBy: Amounts; readonly message: string };

/** Sets `amounts` aside for `account`: all of it or nothing. A denial says who asked for what, and what remains. */
export function reserve(ledger: Ledger, account: string, amounts: Amounts): ReserveResult {
  requireAmounts(amounts, `reservation of ${account}`);
  const remaining = remainingOf(ledger);
  const short = dimensions.filter((dimension) => amounts[dimension] > remaining[dimension]);
  if (short.length > 0) {
    const parts = short.map((dimension) => {
      const left = `${formatCount(remaining[dimension])} of ${formatCount(ledger.total[dimension])} remain`;
      return `${formatCount(amounts[dimension])} ${words[dimension]}; ${left}`;
    });
    const shortBy = mapAmounts((dimension) => Math.max(0, amounts[dimension] - remaining[dimension]));
    return { status: 'denied', shortBy, message: `${account} asked for ${parts.join(', and for ')}` };
  }
  const before = accountOf(ledger, account);
  const reserved = mapAmounts((dimension) => before.reserved[dimension] + amounts[dimension]);
  return { status: 'reserved', ledger: withAccount(ledger, account, { ...before, reserved }) };
}

/**
 * Ends a reservation and books what was really used. What was not used is free again. More than was reserved is charged
 * in full: it comes out of the account's other reservations first, then out of the pool (`overrunOf`); what those others
 * then leave unused makes them whole again.
 * Throws when the account does not hold that reservation, or on amounts that are not non-negative safe integers.
 */
export function settle(ledger: Ledger, account: string, reservation: Amounts, used: Amounts): Ledger {
  requireAmounts(reservation, `reservation of ${account}`);
  requireAmounts(used, `use of ${account}`);
  const before = accountOf(ledger, account);
  const othersOf = (dimension: Dimension): number => {
    const held = before.reserved[dimension] + before.overdrawn[dimension];
    if (reservation[dimension] > held) {
      throw new Error(
        `${account} settles a reservation of ${formatCount(reservation[dimension])} ${words[dimension]}, but holds ${formatCount(held)}`,
      );
    }
    return held - reservation[dimension];
  };
  const overdrawn = mapAmounts((dimension) => {
    const excess = before.overdrawn[dimension] + used[dimension] - reservation[dimension];
    return Math.min(othersOf(dimension), Math.max(0, excess));
  });
  const reserved = mapAmounts((dimension) => othersOf(dimension) - overdrawn[dimension]);
  const spent = mapAmounts((dimension) => before.spent[dimension] + used[dimension]);
  return withAccount(ledger, account, { reserved, spent, overdrawn });
}

/** Ends a reservation of which nothing was used. Throws like `settle`. */
export function release(ledger: Ledger, account: string, reservation: Amounts): Ledger {
  return settle(ledger, account, reservation, nothing);
}

function accountOf(ledger: Ledger, account: string): Account {
  return Object.hasOwn(ledger.accounts, account) ? ledger.accounts[account]! : emptyAccount;
}

function withAccount(ledger: Ledger, account: string, value: Account): Ledger {
  return { ...ledger, accounts: { ...ledger.accounts, [account]: value } };
}

function sumOf(ledger: Ledger, part: 'spent' | 'reserved', dimension: Dimension): number {
  return Object.values(ledger.accounts).reduce((sum, account) => sum + account[part][dimension], 0);
}

function committed(ledger: Ledger, dimension: Dimension): number {
  let sum = 0;
  for (const { spent, reserved } of Object.values(ledger.accounts)) sum += spent[dimension] + reserved[dimension];
  return sum;
}

function remainingIn(ledger: Ledger, dimension: Dimension): number {
  return Math.max(0, ledger.total[dimension] - committed(ledger, dimension));
}

function mapAmounts(compute: (dimension: Dimension) => number): Amounts {
  return { tokens: compute('tokens'), toolCalls: compute('toolCalls'), microUsd: compute('microUsd') };
}

function requireAmounts(amounts: Amounts, whose: string): void {
  for (const dimension of dimensions) {
    const amount = amounts[dimension];
    if (!Number.isSafeInteger(amount) || amount < 0) {
      throw new Error(`${whose}: wanted a whole number of ${words[dimension]} of at least 0, came ${amount}`);
    }
  }
}
