/** A model with what a run says of it. It travels with every step that calls the model. */
import { z } from 'zod';
import { modelPriceSchema, ratesSchema } from './price.ts';

/** A model as a run names it, with what the run says of it. */
export const modelChoiceSchema = z.object({
  model: z.string(),
  /** Of a `compatible/` model; absent = the worker's. */
  baseUrl: z.string().optional(),
  /** The run's own price for it. */
  price: modelPriceSchema.optional(),
  /** What reservations in money are made with; absent = the price is unknown. */
  rates: ratesSchema.optional(),
});
export type ModelChoice = Readonly<z.infer<typeof modelChoiceSchema>>;
