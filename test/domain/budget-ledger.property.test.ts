/** Random programs over a run's ledger and the ledgers of its subagents, with the invariant asked after every step. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Amounts, Dimension } from '../../src/contract/budget.ts';
import {
  type Ledger,
  meterOf,
  openLedger,
  overrunOf,
  remainingOf,
  release,
  reserve,
  settle,
} from '../../src/domain/budget-ledger.ts';

type Subagent = {
  readonly id: string;
  readonly allotment: Amounts;
  ledger: Ledger;
  /** Kept beside the ledger, to check it by. */
  used: Amounts;
  readonly calls: { readonly purpose: string; readonly amounts: Amounts }[];
};
type World = {
  run: Ledger;
  used: Amounts;
  readonly running: Subagent[];
  readonly ended: string[];
  readonly mayOverrun: boolean;
  overran: boolean;
};

type CallEnd = 'done' | 'fail' | 'cancel' | 'above';
type Step =
  /** Shares are percentages: of the run's total for a subagent, of its allotment for a call. */
  | { readonly kind: 'spawn'; readonly shares: Amounts }
  | { readonly kind: 'retry'; readonly pick: number; readonly shares: Amounts }
  | { readonly kind: 'call'; readonly pick: number; readonly purpose: string; readonly shares: Amounts }
  /** A call ends: `done` uses a share of its reservation, `fail` all of it, `cancel` nothing, `above` more than it. */
  | {
      readonly kind: CallEnd;
      readonly pick: number;
      readonly call: number;
      readonly share: number;
    }
  /** A subagent ends with its calls still open: each is settled or released, in any order. */
  | { readonly kind: 'end'; readonly pick: number; readonly call: number; readonly share: number };

const dimensions: readonly Dimension[] = ['tokens', 'toolCalls', 'microUsd'];
const purposes = ['turn', 'tools', 'hand-back'] as const;

const drawShares = (draw: (choices: number) => number): Amounts => ({
  tokens: draw(60),
  toolCalls: draw(60),
  microUsd: draw(60),
});

/** One number is one step: ten thousand programs of objects would take longer to draw than to run. */
function toStep(code: number, ends: readonly CallEnd[]): Step {
  let rest = code;
  const draw = (choices: number) => {
    const drawn = rest % choices;
    rest = Math.floor(rest / choices);
    return drawn;
  };
  const kind = draw(12);
  const pick = draw(8);
  if (kind < 3) return { kind: 'spawn', shares: drawShares(draw) };
  if (kind < 4) return { kind: 'retry', pick, shares: drawShares(draw) };
  if (kind < 8) {
    return { kind: 'call', pick, purpose: at(purposes, draw(3))!, shares: drawShares(draw) };
  }
  return { kind: kind < 11 ? at(ends, draw(12))! : 'end', pick, call: draw(8), share: draw(101) };
}

const programWith = (ends: readonly CallEnd[]) =>
  fc.record({
    total: fc.record({ tokens: fc.nat(60_000), microUsd: fc.nat(5_000_000), toolCalls: fc.nat(40) }),
    steps: fc
      .array(fc.noBias(fc.nat(2 ** 31 - 1)), { minLength: 10, maxLength: 30, size: 'max' })
      .map((codes) => codes.map((code) => toStep(code, ends))),
  });

const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];
const scale = (amounts: Amounts, percent: Amounts): Amounts => ({
  tokens: Math.floor((amounts.tokens * percent.tokens) / 100),
  toolCalls: Math.floor((amounts.toolCalls * percent.toolCalls) / 100),
  microUsd: Math.floor((amounts.microUsd * percent.microUsd) / 100),
});
const spentOf = (ledger: Ledger): Amounts => ({
  tokens: meterOf(ledger, 'tokens').spent,
  toolCalls: meterOf(ledger, 'toolCalls').spent,
  microUsd: meterOf(ledger, 'microUsd').spent,
});

const none: Amounts = { tokens: 0, toolCalls: 0, microUsd: 0 };
const add = (a: Amounts, b: Amounts): Amounts => ({
  tokens: a.tokens + b.tokens,
  toolCalls: a.toolCalls + b.toolCalls,
  microUsd: a.microUsd + b.microUsd,
});

/** The invariant itself, and that what is spent and reserved is what the program used and holds open. */
function requireInvariant(ledger: Ledger, used: Amounts, open: readonly Amounts[], mayOverrun: boolean): void {
  const overruns = overrunOf(ledger);
  const held = open.reduce(add, none);
  for (const dimension of dimensions) {
    const { spent, reserved, remaining, limit } = meterOf(ledger, dimension);
    const overrun = overruns[dimension];
    const isBalanced = spent + reserved + remaining === limit + overrun && remaining >= 0 && reserved >= 0;
    const isTrue =
      spent === used[dimension] && (mayOverrun ? reserved <= held[dimension] : reserved === held[dimension]);
    const isWithin = mayOverrun || (overrun === 0 && spent <= limit);
    if (!isBalanced || !isTrue || !isWithin) {
      throw new Error(
        `${dimension}: ${JSON.stringify({ spent, reserved, remaining, limit, overrun, used, held, ledger })}`,
      );
    }
  }
}

function spawn(world: World, id: string, amounts: Amounts): void {
  const before = remainingOf(world.run);
  const result = reserve(world.run, id, amounts);
  const fits = dimensions.every((dimension) => amounts[dimension] <= before[dimension]);
  if ((result.status === 'reserved') !== fits)
    throw new Error(`${id} was ${result.status}: ${JSON.stringify({ amounts, before })}`);
  if (result.status === 'denied') return;
  world.run = result.ledger;
  world.running.push({ id, allotment: amounts, ledger: openLedger(amounts), used: none, calls: [] });
}

function endCall(subagent: Subagent, index: number, kind: CallEnd, percent: number): void {
  const call = at(subagent.calls, index);
  if (!call) return;
  subagent.calls.splice(subagent.calls.indexOf(call), 1);
  const used = toUsed(call.amounts, kind, percent);
  subagent.used = add(subagent.used, used);
  subagent.ledger =
    kind === 'cancel'
      ? release(subagent.ledger, call.purpose, call.amounts)
      : settle(subagent.ledger, call.purpose, call.amounts, used);
}

function toUsed(amounts: Amounts, kind: CallEnd, percent: number): Amounts {
  const used = { done: percent, fail: 100, cancel: 0, above: 100 + percent }[kind];
  return scale(amounts, { tokens: used, toolCalls: used, microUsd: used });
}

function end(world: World, subagent: Subagent, index: number, percent: number): void {
  while (subagent.calls.length > 0) {
    endCall(subagent, index, (['done', 'fail', 'cancel'] as const)[(index + subagent.calls.length) % 3]!, percent);
    checkSubagent(subagent, world.mayOverrun);
  }
  requireNothingReserved(subagent.ledger);
  world.running.splice(world.running.indexOf(subagent), 1);
  world.ended.push(subagent.id);
  world.run = settle(world.run, subagent.id, subagent.allotment, spentOf(subagent.ledger));
  world.used = add(world.used, subagent.used);
}

function checkSubagent({ ledger, used, calls }: Subagent, mayOverrun: boolean): void {
  const open = calls.map((call) => call.amounts);
  requireInvariant(ledger, used, open, mayOverrun);
}

function checkRun({ run, used, running, mayOverrun }: World): void {
  const open = running.map((subagent) => subagent.allotment);
  requireInvariant(run, used, open, mayOverrun);
}

function take(step: Step, world: World): void {
  if (step.kind === 'spawn' || step.kind === 'retry') {
    const id = step.kind === 'spawn' ? `s${world.running.length + world.ended.length + 1}` : at(world.ended, step.pick);
    if (id !== undefined) spawn(world, id, scale(world.run.total, step.shares));
    return;
  }
  const subagent = at(world.running, step.pick);
  if (!subagent) return;
  if (step.kind === 'end') return end(world, subagent, step.call, step.share);
  if (step.kind !== 'call') return endCall(subagent, step.call, step.kind, step.share);
  const amounts = scale(subagent.allotment, step.shares);
  const result = reserve(subagent.ledger, step.purpose, amounts);
  if (result.status === 'denied') return;
  subagent.ledger = result.ledger;
  subagent.calls.push({ purpose: step.purpose, amounts });
}

function runProgram(total: Amounts, steps: readonly Step[], mayOverrun: boolean): World {
  const world: World = { run: openLedger(total), used: none, running: [], ended: [], mayOverrun, overran: false };
  // Ledgers are plain data that nobody changes in place, so one that was checked stays sound.
  const checked = new WeakSet<Ledger>();
  const once = (ledger: Ledger, checkLedger: () => void) => {
    if (checked.has(ledger)) return;
    checked.add(ledger);
    checkLedger();
    if (mayOverrun) world.overran ||= overrunOf(ledger).tokens > 0;
  };
  const check = () => {
    once(world.run, () => checkRun(world));
    for (const subagent of world.running) once(subagent.ledger, () => checkSubagent(subagent, mayOverrun));
  };
  for (const step of steps) {
    take(step, world);
    check();
  }
  while (world.running.length > 0) {
    end(world, world.running[0]!, 1, 50);
    check();
  }
  return world;
}

function requireNothingReserved(ledger: Ledger): void {
  for (const dimension of dimensions) {
    const { reserved } = meterOf(ledger, dimension);
    if (reserved !== 0) throw new Error(`${reserved} ${dimension} are still reserved`);
  }
}

describe('random programs of spawn, call, fail, cancel and retry', () => {
  test('B38 · 10,000 of them keep spent + reserved + remaining = total at every step, and leave nothing reserved', () => {
    let granted = 0;
    fc.assert(
      fc.property(programWith(['done', 'fail', 'cancel']), ({ total, steps }) => {
        const world = runProgram(total, steps, false);
        requireNothingReserved(world.run);
        granted += world.ended.length;
      }),
      { numRuns: 10_000 },
    );
    // Programs that never got a subagent to run would prove nothing.
    expect(granted).toBeGreaterThan(20_000);
  }, 120_000);

  test('with calls that cost more than was reserved, spent + reserved + remaining = total + overrun', () => {
    let overruns = 0;
    fc.assert(
      fc.property(programWith(['done', 'fail', 'above']), ({ total, steps }) => {
        const world = runProgram(total, steps, true);
        requireNothingReserved(world.run);
        if (world.overran) overruns += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(overruns).toBeGreaterThan(0);
  });
});
