import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Range } from '../../src/contract/estimate.ts';
import { type ResearchRequestInput, researchRequestSchema } from '../../src/contract/request.ts';
import { estimateRun, type PastRun } from '../../src/domain/estimate.ts';
import type { RunRates } from '../../src/domain/estimate-bounds.ts';

const toRequest = (input: Partial<ResearchRequestInput> = {}) =>
  researchRequestSchema.parse({ runId: 'run_1', question: 'Why is the sky blue?', corpus: '/docs', ...input });
const cheap = { input: 1, output: 10 };
const rates: RunRates = { planner: cheap, subagent: cheap, synthesis: cheap };
/** Of a run whose subtasks the caller gives. */
const given: RunRates = { subagent: cheap, synthesis: cheap };
const unpriced: RunRates = { planner: cheap, subagent: null, synthesis: cheap };
const past = (parts: Partial<PastRun> = {}): PastRun => ({
  subagents: 2,
  tokens: 20_000,
  usd: 0.2,
  toolCalls: 10,
  wallClockMs: 60_000,
  ...parts,
});

describe('from bounds', () => {
  test('the most is the budget, where nothing else is narrower', () => {
    const estimate = estimateRun(toRequest({ budget: { tokens: 300_000, toolCalls: 40, usd: 2 } }), rates, []);
    expect(estimate).toMatchObject({
      subagents: { low: 1, high: 6 },
      tokens: { high: 300_000 },
      usd: { high: 2 },
      toolCalls: { low: 1, high: 40 },
      wallClockMs: null,
      basis: { kind: 'bounds' },
    });
  });

  test('a cap on the tokens of a subagent, on its turns and on its replies narrows the most', () => {
    const most = (input: Partial<ResearchRequestInput>) =>
      estimateRun(toRequest({ subtasks: [{ goal: 'a' }, { goal: 'b' }], ...input }), given, []).tokens.high;
    expect(most({})).toBe(1_000_000);
    const capped = most({ subagentTokens: 10_000 });
    expect(capped).toBeLessThan(200_000);
    expect(most({ subagentTokens: 20_000 })).toBe(capped + 20_000);
    const oneTurn = most({ maxTurns: 1, maxOutputTokens: 1_000 });
    expect(oneTurn).toBeLessThan(100_000);
    expect(most({ maxTurns: 1, maxOutputTokens: 2_000 })).toBeGreaterThan(oneTurn);
  });

  test('the least is one subagent where the run plans, and all where the caller has planned', () => {
    const planned = estimateRun(toRequest(), rates, []);
    const listed = estimateRun(toRequest({ subtasks: [{ goal: 'a' }, { goal: 'b' }, { goal: 'c' }] }), given, []);
    expect(listed.subagents).toEqual({ low: 3, high: 3 });
    expect(listed.toolCalls.low).toBe(3);
    expect(listed.tokens.low).toBeGreaterThan(planned.tokens.low);
  });

  test('the least grows with the question, which every call reads', () => {
    const least = (question: string) => estimateRun(toRequest({ question }), rates, []).tokens.low;
    // The plan, two turns of a subagent and the report: 4,000 bytes are 1,000 tokens in each.
    expect(least('x'.repeat(8_000)) - least('x'.repeat(4_000))).toBe(4_000);
  });

  test('a run without tools makes no tool calls, nor does one whose only turn is the last', () => {
    const none = { low: 0, high: 0 };
    expect(estimateRun(toRequest({ corpus: undefined }), rates, []).toolCalls).toEqual(none);
    expect(estimateRun(toRequest({ maxTurns: 1 }), rates, []).toolCalls).toEqual(none);
    expect(estimateRun(toRequest({ corpus: undefined, web: {} }), rates, []).toolCalls.high).toBe(200);
  });

  test('one call a turn narrows the most of the tool calls', () => {
    const request = toRequest({ maxSubagents: 2, maxTurns: 4, tools: { parallelToolCalls: false } });
    expect(estimateRun(request, rates, []).toolCalls).toEqual({ low: 1, high: 6 });
  });

  test('without a price for one of the models there is no price for the run', () => {
    expect(estimateRun(toRequest(), unpriced, []).usd).toBeNull();
    expect(estimateRun(toRequest({ subtasks: [{ goal: 'a' }] }), given, []).usd).not.toBeNull();
  });

  test('free models cost nothing, which is known', () => {
    const free = { input: 0, output: 0 };
    const usd = estimateRun(toRequest(), { planner: free, subagent: free, synthesis: free }, []).usd;
    expect(usd).toEqual({ low: 0, high: 0 });
  });

  test('each role is priced as its own model', () => {
    const usd = (all: RunRates) => estimateRun(toRequest({ subagentTokens: 20_000 }), all, []).usd!;
    const dear = { input: 10, output: 100 };
    expect(usd({ ...rates, synthesis: dear }).high).toBeGreaterThan(usd(rates).high);
    expect(usd({ ...rates, synthesis: dear }).low).toBeGreaterThan(usd(rates).low);
    expect(usd({ ...rates, synthesis: dear }).high).toBeLessThan(usd({ ...rates, subagent: dear }).high);
  });
});

describe('from past runs', () => {
  const runs = Array.from({ length: 11 }, (_, index) =>
    past({ tokens: 20_000 + index * 2_000, usd: 0.2 + index * 0.02, wallClockMs: 60_000 + index * 1_000 }),
  );
  const two = [{ goal: 'a' }, { goal: 'b' }];

  test('says how many, and leaves out the extreme tenths', () => {
    expect(estimateRun(toRequest({ subtasks: two }), rates, runs)).toEqual({
      subagents: { low: 2, high: 2 },
      tokens: { low: 22_000, high: 38_000 },
      usd: { low: 0.22, high: 0.38 },
      toolCalls: { low: 10, high: 10 },
      wallClockMs: { low: 61_000, high: 69_000 },
      basis: { kind: 'past-runs', runs: 11 },
    });
  });

  test('counts per subagent, so that small runs tell of large ones', () => {
    const request = toRequest({ subtasks: Array.from({ length: 4 }, () => ({ goal: 'a' })) });
    const mixed = [past(), past({ subagents: 4, tokens: 40_000, usd: 0.4, toolCalls: 20 }), past()];
    expect(estimateRun(request, rates, mixed)).toMatchObject({
      tokens: { low: 40_000, high: 40_000 },
      usd: { low: 0.4, high: 0.4 },
      toolCalls: { low: 20, high: 20 },
    });
  });

  test('a run that plans is expected to plan as others did, within what it may', () => {
    const counts = [2, 3, 8].map((subagents) => past({ subagents }));
    expect(estimateRun(toRequest({ maxSubagents: 5 }), rates, counts).subagents).toEqual({ low: 2, high: 5 });
  });

  test('two runs tell nothing: the estimate is made from bounds', () => {
    expect(estimateRun(toRequest(), rates, [past(), past()])).toEqual(estimateRun(toRequest(), rates, []));
  });

  test('never says more than the request allows', () => {
    const budget = { tokens: 5_000, toolCalls: 3, usd: 0.01, wallClock: 10_000 };
    expect(estimateRun(toRequest({ budget }), rates, runs)).toMatchObject({
      tokens: { low: 5_000, high: 5_000 },
      toolCalls: { low: 3, high: 3 },
      usd: { low: 0.01, high: 0.01 },
      wallClockMs: { low: 10_000, high: 10_000 },
    });
    expect(estimateRun(toRequest({ corpus: undefined }), rates, runs).toolCalls).toEqual({ low: 0, high: 0 });
  });

  test('what they did not record comes from prices and bounds', () => {
    const old = runs.map((run) => ({ ...run, usd: null, toolCalls: null }));
    const estimate = estimateRun(toRequest({ subtasks: two }), rates, old);
    // 22,000 tokens of input, 38,000 of output.
    expect(estimate.usd).toEqual({ low: 0.022, high: 0.38 });
    expect(estimate.toolCalls).toEqual({ low: 2, high: 200 });
    expect(estimateRun(toRequest(), unpriced, old).usd).toBeNull();
  });
});

test('every range is in order, whole where it counts, and within the budget, whatever is asked for', () => {
  const count = (max: number) => fc.integer({ min: 1, max });
  const input = fc.record({
    budget: fc.record(
      { tokens: count(2_000_000), toolCalls: count(500), usd: count(50_000).map((mills) => mills / 1_000) },
      { requiredKeys: ['tokens', 'toolCalls'] },
    ),
    maxSubagents: count(1_000),
    maxTurns: count(100),
    maxOutputTokens: fc.integer({ min: 256, max: 200_000 }),
    question: fc.string({ minLength: 1, maxLength: 500 }).map((text) => `q${text.replaceAll('\0', '')}`),
  });
  const pastRun = fc.record({
    subagents: count(100),
    tokens: fc.nat(2_000_000),
    usd: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
    toolCalls: fc.option(fc.nat(500)),
    wallClockMs: fc.option(fc.nat(10_000_000)),
  });
  fc.assert(
    fc.property(input, fc.array(pastRun, { maxLength: 8 }), (asked, runs) => {
      const request = toRequest(asked);
      const { subagents, tokens, usd, toolCalls, wallClockMs } = estimateRun(request, rates, runs);
      const isOrdered = ({ low, high }: Range, max: number) => low >= 0 && low <= high && high <= max;
      expect(isOrdered(subagents, request.maxSubagents)).toBe(true);
      expect(isOrdered(tokens, request.budget.tokens)).toBe(true);
      expect(isOrdered(toolCalls, request.budget.toolCalls)).toBe(true);
      expect(isOrdered(usd!, request.budget.usd ?? Infinity)).toBe(true);
      expect(wallClockMs === null || isOrdered(wallClockMs, request.budget.wallClock)).toBe(true);
      for (const { low, high } of [subagents, tokens, toolCalls]) {
        expect(Number.isSafeInteger(low) && Number.isSafeInteger(high)).toBe(true);
      }
    }),
  );
});
