/** What tokens of a model cost. USD per million tokens is the same number as millionths of a USD per token. */
import { z } from 'zod';

const usdPerMillionTokens = z.number().finite().nonnegative();

/** A price that the user gives, for a model that the catalogue does not know or prices otherwise. */
export const modelPriceSchema = z.strictObject({
  input: usdPerMillionTokens,
  output: usdPerMillionTokens,
  /** Input that the provider read from its cache; absent = as `input`. */
  cacheRead: usdPerMillionTokens.optional(),
  /** Input that the provider wrote to its cache; absent = as `input`. */
  cacheWrite: usdPerMillionTokens.optional(),
});
export type ModelPrice = Readonly<z.infer<typeof modelPriceSchema>>;

/** The most that one token of each kind can cost, over all tiers and caches: what reservations are made with. */
export const ratesSchema = z.object({ input: usdPerMillionTokens, output: usdPerMillionTokens });
export type Rates = Readonly<z.infer<typeof ratesSchema>>;

/** Says what the most is that tokens of a model cost, by the price that the run gives it, if any; `null` = nobody knows. */
export type RatesOf = (choice: {
  readonly model: string;
  readonly price?: ModelPrice | undefined;
}) => Rates | null | Promise<Rates | null>;
