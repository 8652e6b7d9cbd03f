/** Money as a ledger holds it: whole millionths of a USD. USD per million tokens is the same number as these per token. */
import type { Meter, UsdMeter } from '../contract/budget.ts';
import type { ModelPrice, Rates } from '../contract/price.ts';

/** What stands for "no limit", so that a ledger needs no special case: a billion USD, more than any run can spend. */
export const unlimitedMicroUsd = 1_000_000_000_000_000;

const microPerUsd = 1_000_000;
/** Binary fractions: 0.29 USD is 290000.00000000006 millionths, and must not become one more. The error grows with the amount. */
const rounding = { least: 1e-6, share: 4 * Number.EPSILON };

/** Rounded up: a charge is never less than its price. `null`, an unknown price, counts as nothing. */
export function toMicroUsd(usd: number | null): number {
  return usd === null ? 0 : roundUp(usd * microPerUsd);
}

export function fromMicroUsd(microUsd: number): number {
  return microUsd / microPerUsd;
}

/** A meter of money as people read it. */
export function toUsdMeter({ spent, reserved, remaining, limit }: Meter): UsdMeter {
  return {
    spent: fromMicroUsd(spent),
    reserved: fromMicroUsd(reserved),
    remaining: fromMicroUsd(remaining),
    limit: fromMicroUsd(limit),
  };
}

/** To six decimals, so that sums of the same amounts are equal in any order. */
export function addUsd(a: number, b: number): number {
  return Math.round((a + b) * microPerUsd) / microPerUsd;
}

/** The most that a token of each kind costs at a price that has caches. */
export function toRates({ input, output, cacheRead = input, cacheWrite = input }: ModelPrice): Rates {
  return { input: Math.max(input, cacheRead, cacheWrite), output };
}

/**
 * The most that `tokens` tokens can cost when at most `maxOutputTokens` of them are output, in millionths of a USD,
 * rounded up. Without rates, 0: the price is unknown and nothing can be set aside.
 */
export function boundMicroUsd(tokens: number, maxOutputTokens: number, rates: Rates | undefined): number {
  if (!rates) return 0;
  const output = Math.min(tokens, maxOutputTokens);
  return roundUp((tokens - output) * rates.input + output * Math.max(rates.input, rates.output));
}

/** The most tokens that `microUsd` pays for in any case: `boundMicroUsd` of them is never more than it. */
export function tokensFor(microUsd: number, maxOutputTokens: number, rates: Rates | undefined): number {
  if (!rates) return Number.MAX_SAFE_INTEGER;
  const output = Math.max(rates.input, rates.output);
  const allOutput = maxOutputTokens * output;
  // What pays for all of the output pays for free input too. The bound, since `allOutput` has the error of a fraction.
  const isShort = microUsd < boundMicroUsd(maxOutputTokens, maxOutputTokens, rates);
  const tokens = isShort
    ? divide(microUsd, output)
    : maxOutputTokens + divide(Math.max(0, microUsd - allOutput), rates.input);
  const whole = Math.min(Number.MAX_SAFE_INTEGER, Math.floor(tokens));
  // The quotient of large amounts may be rounded up to the next whole token.
  return boundMicroUsd(whole, maxOutputTokens, rates) > microUsd ? whole - 1 : whole;
}

/** Never -0, and never more than a ledger can count, whatever a server claims to have used. */
function roundUp(microUsd: number): number {
  const whole = Math.ceil(microUsd - Math.max(rounding.least, microUsd * rounding.share));
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, whole));
}

function divide(microUsd: number, rate: number): number {
  return rate === 0 ? Number.MAX_SAFE_INTEGER : microUsd / rate;
}
