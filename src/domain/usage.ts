/** Adds up what was used, and turns the record of one model call into what it is charged. */
import type { CallUsage, Usage } from '../contract/budget.ts';
import { addUsd } from './money.ts';

/** Nothing used: the neutral element of `addUsage`. */
export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  tokens: 0,
  usd: 0,
  toolCalls: 0,
  wallClockMs: 0,
  estimated: false,
};

/**
 * The sum of two usages. `usd` is `null` as soon as one of the prices is unknown, and `estimated` holds for the sum when
 * it holds for a part. `wallClockMs` is summed too: for things that ran side by side the caller replaces it.
 */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    tokens: a.tokens + b.tokens,
    usd: a.usd === null || b.usd === null ? null : addUsd(a.usd, b.usd),
    toolCalls: a.toolCalls + b.toolCalls,
    wallClockMs: a.wallClockMs + b.wallClockMs,
    estimated: a.estimated || b.estimated,
  };
}

/**
 * What one model call is charged: what the provider counted, and the reservation of one request for every request whose
 * answer was lost. The lost part counts as input, so that `tokens = inputTokens + outputTokens` always holds. `usd` is
 * `null` where a price that is needed is not known.
 */
export function settleCall(call: CallUsage): { readonly tokens: number; readonly usage: Usage } {
  const inputTokens = call.inputTokens + call.lost * call.requestTokens;
  const tokens = inputTokens + call.outputTokens;
  const estimated = call.lost > 0;
  const usd = estimated ? addLost(call) : call.usd;
  return {
    tokens,
    usage: { inputTokens, outputTokens: call.outputTokens, tokens, usd, toolCalls: 0, wallClockMs: 0, estimated },
  };
}

function addLost({ usd, lost, requestUsd }: CallUsage): number | null {
  // Calls that were recorded before there were prices say nothing of theirs.
  return usd === null || requestUsd === null || requestUsd === undefined ? null : addUsd(usd, lost * requestUsd);
}
