/** What a subagent takes along when its history has grown long and it goes on in a new one. Nothing is open then. */
import { z } from 'zod';
import { amountsSchema, countSchema, usageSchema } from './budget.ts';
import { subagentIdSchema } from './ids.ts';
import { outcomeReasonSchema, sourceSchema } from './outcome.ts';
import { blobRefSchema, toolResultSchema, transcriptHeadSchema } from './transcript.ts';

/** Signal `subagentContinued`, to whoever started it, just before. */
export const continuedSchema = z.object({ id: subagentIdSchema });
export type Continued = Readonly<z.infer<typeof continuedSchema>>;

export const carriedAgentSchema = z.object({
  maxTurns: countSchema,
  turns: countSchema,
  stopping: outcomeReasonSchema.nullable(),
  truncatedTurns: countSchema,
  malformedTurns: countSchema,
  recentBatches: z.array(z.string()),
  toolCalls: countSchema,
  toolCallMessages: countSchema,
});

export const carriedLedgerSchema = z.object({
  total: amountsSchema,
  accounts: z.record(z.string(), z.object({ reserved: amountsSchema, spent: amountsSchema, overdrawn: amountsSchema })),
});

export const carrySchema = z.object({
  startedAtMs: countSchema,
  /** Of its wall clock, without the time in which people were waited for. */
  workedMs: countSchema,
  agent: carriedAgentSchema,
  ledger: carriedLedgerSchema,
  /** What is still kept for the hand-back turn. */
  handBack: amountsSchema,
  usage: usageSchema,
  head: transcriptHeadSchema.nullable(),
  results: z.array(toolResultSchema),
  note: z.enum(['truncated', 'malformed-call']).optional(),
  sources: z.array(sourceSchema),
  below: z.array(blobRefSchema),
  /** Subtasks that were handed on, and top-ups that were asked for: their numbers go on. */
  delegated: countSchema,
  topUps: countSchema,
});
export type Carry = Readonly<z.infer<typeof carrySchema>>;
