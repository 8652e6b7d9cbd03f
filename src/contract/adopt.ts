/** `adoptRunActivity`: what a run takes over from the one that it retries or reruns, and why the rest is done again. */
import { z } from 'zod';
import { countSchema, usageSchema } from './budget.ts';
import { runIdSchema, subagentIdSchema } from './ids.ts';
import { originSchema } from './origin.ts';
import { subagentOutcomeSchema } from './outcome.ts';
import { subtaskSchema } from './plan.ts';
import { webPolicySchema } from './request.ts';
import { draftSchema } from './result.ts';
import { blobRefSchema } from './transcript.ts';

/** All that a subagent's answer depends on but its goal. Equal specifications and goals: equal work. Budgets are no part. */
export const specificationSchema = z.object({
  question: z.string(),
  instructions: z.string().optional(),
  corpus: z.string().optional(),
  web: webPolicySchema.optional(),
  /** Names, sorted. */
  tools: z.array(z.string()),
  model: z.string(),
  baseUrl: z.string().optional(),
  maxDepth: countSchema,
  promptVersion: countSchema,
});
export type Specification = Readonly<z.infer<typeof specificationSchema>>;

export const adoptStepSchema = z.object({
  /** The new run. */
  runId: runIdSchema,
  storeId: z.string(),
  origin: originSchema,
  specification: specificationSchema,
  /** Goals of the new run's own subtasks, where its caller named them. */
  goals: z.array(z.string()).optional(),
});
export type AdoptStep = Readonly<z.infer<typeof adoptStepSchema>>;

/** What becomes of one subtask. `why` is for people. */
export const adoptionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reuse'), id: subagentIdSchema, reusedFrom: runIdSchema, outcome: subagentOutcomeSchema }),
  /** Goes on where the earlier one stood; the blob is a `Resume`. */
  z.object({ kind: z.literal('continue'), id: subagentIdSchema, why: z.string(), resumeRef: blobRefSchema }),
  z.object({ kind: z.literal('anew'), id: subagentIdSchema, why: z.string() }),
]);
export type Adoption = Readonly<z.infer<typeof adoptionSchema>>;

export const adoptResultSchema = z.object({
  /** All that the earlier run and those before it have used; no clock. */
  spent: usageSchema,
  /** `null`: there is none to take over, and one is made. */
  plan: z.array(subtaskSchema).nullable(),
  /** One for each subtask of the plan. */
  subagents: z.array(adoptionSchema),
  drafts: z.array(draftSchema),
  notes: z.array(z.string()),
});
export type AdoptResult = Readonly<z.infer<typeof adoptResultSchema>>;

/** `loadResumeActivity`: answers the `Resume`. */
export const loadResumeStepSchema = z.object({ storeId: z.string(), resumeRef: blobRefSchema });
export type LoadResumeStep = Readonly<z.infer<typeof loadResumeStepSchema>>;
