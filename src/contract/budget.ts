/** What was used and what may be used: the shapes of usage, amounts and meters. */
import { z } from 'zod';

export const countSchema = z.number().int().nonnegative();

/**
 * What a call, a subagent or a run used. `usd` is `null` where a price is unknown, never 0 for "unknown"; with `estimated`
 * it holds reservations of requests whose true usage is not known.
 */
export const usageSchema = z.object({
  inputTokens: countSchema,
  outputTokens: countSchema,
  /** Input + output, as the provider meters them. */
  tokens: countSchema,
  usd: z.number().nonnegative().nullable(),
  toolCalls: countSchema,
  wallClockMs: countSchema,
  /** `true` where any part is a charge for something whose true usage is not known. */
  estimated: z.boolean(),
});
export type Usage = Readonly<z.infer<typeof usageSchema>>;

/**
 * The dimensions that a ledger holds. Time is not among them: it is a deadline, not a pool. Money is counted in millionths
 * of a USD, so that sums are exact; where there is no price there is none to count.
 */
export const amountsSchema = z.object({
  tokens: countSchema,
  toolCalls: countSchema,
  microUsd: countSchema.default(0),
});
export type Amounts = Readonly<z.infer<typeof amountsSchema>>;
export type Dimension = keyof Amounts;

/** One budgeted dimension: `spent + reserved + remaining = limit`. */
export const meterSchema = z.object({
  spent: countSchema,
  reserved: countSchema,
  remaining: countSchema,
  limit: countSchema,
});
export type Meter = Readonly<z.infer<typeof meterSchema>>;

/** The same for money, in USD with six decimals. */
export const usdMeterSchema = z.object({
  spent: z.number().nonnegative(),
  reserved: z.number().nonnegative(),
  remaining: z.number().nonnegative(),
  limit: z.number().nonnegative(),
});
export type UsdMeter = Readonly<z.infer<typeof usdMeterSchema>>;

export const budgetStateSchema = z.object({
  tokens: meterSchema,
  toolCalls: meterSchema,
  wallClockMs: meterSchema,
  /** Absent where no limit on money was set. */
  usd: usdMeterSchema.optional(),
});
export type BudgetState = Readonly<z.infer<typeof budgetStateSchema>>;

/** Limits of a run, or the most that its limits may be raised to; wall clock in milliseconds, absent = no limit. */
export const budgetCeilingSchema = z.object({
  tokens: countSchema.optional(),
  usd: z.number().nonnegative().optional(),
  toolCalls: countSchema.optional(),
  wallClockMs: countSchema.optional(),
});
export type BudgetCeiling = Readonly<z.infer<typeof budgetCeilingSchema>>;

/** What one model call cost: requests that left, what they cost, and how many ended with their usage unknown. */
export const callUsageSchema = z.object({
  requests: countSchema,
  inputTokens: countSchema,
  outputTokens: countSchema,
  /** Of the requests whose usage is known; `null` where the price is not. */
  usd: z.number().nonnegative().nullable(),
  /** Requests whose answer was lost (crash, cut connection): each is charged at the reservation of one request. */
  lost: countSchema,
  /** The reservation of one request in tokens, by which a lost one is charged. */
  requestTokens: countSchema,
  /** The same in USD; `null` where the price is unknown. */
  requestUsd: z.number().nonnegative().nullable(),
});
export type CallUsage = Readonly<z.infer<typeof callUsageSchema>>;
