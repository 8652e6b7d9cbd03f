/** The memo of a run's workflow, which lists are made of. */
import { z } from 'zod';
import { countSchema } from './budget.ts';
import { lineageSchema } from './origin.ts';

/** Memo of a run: what lists show without reading a history. */
export const runMemoSchema = z.object({
  title: z.string(),
  status: z.string(),
  model: z.string(),
  requestId: z.string().optional(),
  tags: z.array(z.string()),
  /** Whose work the run takes over. */
  origin: lineageSchema.optional(),
  spentTokens: countSchema,
  limitTokens: countSchema,
  /** Absent in runs from before it was recorded. */
  toolCalls: countSchema.optional(),
  spentUsd: z.number().nullable(),
  /** Whether part of what was spent is a charge for something whose true usage is not known. */
  estimated: z.boolean().optional(),
  /** Absent where the money is not limited. */
  limitUsd: z.number().optional(),
  planned: countSchema,
  settled: z.record(z.string(), countSchema),
});
export type RunMemo = Readonly<z.infer<typeof runMemoSchema>>;
