/** What a run may use, before it is started: from finished runs of the same model, or from what the request allows. */
import type { Estimate, Range } from '../contract/estimate.ts';
import type { ResearchRequest } from '../contract/request.ts';
import { estimateBounds, type RunRates } from './estimate-bounds.ts';
import { addUsd, boundMicroUsd, fromMicroUsd } from './money.ts';

/** A run that has completed, in full or in part. */
export type PastRun = {
  /** Subagents that have worked; at least one. */
  readonly subagents: number;
  readonly tokens: number;
  /** `null` where its price is not known. */
  readonly usd: number | null;
  /** `null` where it was not recorded. */
  readonly toolCalls: number | null;
  readonly wallClockMs: number | null;
};

/** Fewer say more about themselves than about the next run. */
const minRuns = 3;
/** What one run in ten stays below, and what one in ten exceeds. */
const quantiles = { low: 0.1, high: 0.9 };

/**
 * The bounds of the request, narrowed by past runs of the model of its subagents where there are at least three. What was
 * used is counted per subagent, so that small runs tell of large ones. No figure exceeds what the request allows.
 */
export function estimateRun(request: ResearchRequest, rates: RunRates, pastRuns: readonly PastRun[]): Estimate {
  const bounds = estimateBounds(request, rates);
  if (pastRuns.length < minRuns) return bounds;
  const of = (values: readonly (number | null)[]) => rangeOf(values.filter((value) => value !== null));
  const subagents = clamp(toWhole(of(pastRuns.map((run) => run.subagents))!), bounds.subagents);
  const scale = (values: readonly (number | null)[]): Range | null => {
    const each = of(values.map((value, index) => value && value / pastRuns[index]!.subagents));
    return each && { low: each.low * subagents.low, high: each.high * subagents.high };
  };
  const upTo = (range: Range, high: number) => clamp(range, { low: 0, high });
  const tokens = upTo(toWhole(scale(pastRuns.map((run) => run.tokens))!), bounds.tokens.high);
  const usd = scale(pastRuns.map((run) => run.usd)) ?? priceOf(tokens, rates);
  const toolCalls = scale(pastRuns.map((run) => run.toolCalls));
  const wallClock = of(pastRuns.map((run) => run.wallClockMs));
  return {
    subagents,
    tokens,
    usd: usd && upTo(toMoney(usd), request.budget.usd ?? Infinity),
    toolCalls: toolCalls ? upTo(toWhole(toolCalls), bounds.toolCalls.high) : bounds.toolCalls,
    wallClockMs: wallClock && upTo(toWhole(wallClock), request.budget.wallClock),
    basis: { kind: 'past-runs', runs: pastRuns.length },
  };
}

/** From all input of the cheapest model to all output of the dearest; `null` where the price of one is not known. */
function priceOf(tokens: Range, rates: RunRates): Range | null {
  const known = Object.values(rates).filter((each) => each !== null);
  if (known.length < Object.keys(rates).length) return null;
  const input = Math.min(...known.map((each) => each.input));
  const output = Math.max(...known.map((each) => Math.max(each.input, each.output)));
  return {
    low: fromMicroUsd(boundMicroUsd(tokens.low, 0, { input, output: input })),
    high: fromMicroUsd(boundMicroUsd(tokens.high, tokens.high, { input: output, output })),
  };
}

/** Quantiles with interpolation between neighbours; `null` for fewer values than tell anything. */
function rangeOf(values: readonly number[]): Range | null {
  if (values.length < minRuns) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)]!;
    return below + (sorted[Math.ceil(place)]! - below) * (place - Math.floor(place));
  };
  return { low: at(quantiles.low), high: at(quantiles.high) };
}

/** Past runs may have been larger, or smaller, than the request allows. */
function clamp({ low, high }: Range, limits: Range): Range {
  const within = (value: number) => Math.min(Math.max(value, limits.low), limits.high);
  return { low: within(low), high: within(high) };
}

const toWhole = ({ low, high }: Range): Range => ({ low: Math.floor(low), high: Math.ceil(high) });
/** To the six decimals that money has here. */
const toMoney = ({ low, high }: Range): Range => ({ low: addUsd(low, 0), high: addUsd(high, 0) });
