/** What a subagent used that handed back no outcome. */
import { z } from 'zod';
import { countSchema, usageSchema } from './budget.ts';
import { runIdSchema, subagentIdSchema } from './ids.ts';
import { transcriptHeadSchema } from './transcript.ts';

/** `settleStoppedActivity`: what subagents used that closed without saying so (terminated, timed out). */
export const settleStoppedStepSchema = z.object({ runId: runIdSchema, subagentIds: z.array(subagentIdSchema) });
export type SettleStoppedStep = Readonly<z.infer<typeof settleStoppedStepSchema>>;
export const stoppedUsageSchema = z.object({
  id: subagentIdSchema,
  usage: usageSchema,
  turns: countSchema,
  toolCalls: countSchema,
  toolCallMessages: countSchema,
  transcript: transcriptHeadSchema.nullable(),
});
/** Also the signal `subagentStopped`: a cancelled child returns nothing, so it says this before it closes. */
export type StoppedUsage = Readonly<z.infer<typeof stoppedUsageSchema>>;
