/** Where the work of a subagent can be taken up again: after its last complete turn, or amid the calls of its last reply. */
import { z } from 'zod';
import { countSchema } from './budget.ts';
import { sourceSchema } from './outcome.ts';
import { blobRefSchema, toolResultSchema, transcriptHeadSchema } from './transcript.ts';

/** A call as the workflow sees it: the arguments stay in the transcript, a preview is for people. */
export const plannedCallSchema = z.object({
  callId: z.string(),
  name: z.string(),
  argumentsPreview: z.string(),
  /** SHA-256 of the canonical arguments: equal calls have equal hashes (loop guard). */
  argumentsHash: z.string(),
  /** Why it must not be executed: unknown tool, malformed or invalid arguments. */
  problem: z.string().optional(),
  /** A person decides first: this is what the call would be made with. */
  ask: z.object({ input: z.string() }).optional(),
});
export type PlannedCall = Readonly<z.infer<typeof plannedCallSchema>>;

export const resumeSchema = z.object({
  /** Ends with the last reply; nothing up to there is paid for again. */
  head: transcriptHeadSchema,
  /** Turns up to there. */
  turns: countSchema,
  /** All calls of the last reply; none where `results` answers them all, or where it had none. */
  calls: z.array(plannedCallSchema),
  /** Answers that are known. */
  results: z.array(toolResultSchema),
  /** Ids of calls that were begun and whose end nobody knows. */
  begun: z.array(z.string()),
  /** What it has read so far. */
  sources: z.array(sourceSchema),
  /** Whole reports of subagents below it. */
  below: z.array(blobRefSchema),
});
export type Resume = Readonly<z.infer<typeof resumeSchema>>;
