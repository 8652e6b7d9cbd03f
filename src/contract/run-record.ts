/** All that a later run, and whoever asks for the result, needs of a run that has ended. Outlives its histories. */
import { z } from 'zod';
import { countSchema } from './budget.ts';
import { runIdSchema, subagentIdSchema } from './ids.ts';
import { subagentOutcomeSchema } from './outcome.ts';
import { researchRequestSchema } from './request.ts';
import { recordedResultSchema } from './result.ts';
import { resumeSchema } from './resume.ts';

export const subagentRecordSchema = z.object({
  id: subagentIdSchema,
  goal: z.string(),
  /** By its own history, which may know of an end that its run did not live to see. */
  outcome: subagentOutcomeSchema,
  /** The run that did the work, where it was taken over. */
  reusedFrom: runIdSchema.optional(),
  /** Where its work can be taken up; `null` where it has not begun, or where nobody can tell. */
  resume: resumeSchema.nullable(),
});
export type SubagentRecord = Readonly<z.infer<typeof subagentRecordSchema>>;

const belowRecordSchema = subagentOutcomeSchema.pick({ id: true, transcript: true, reportRef: true });

export const runRecordSchema = z.object({
  runId: runIdSchema,
  firstRunId: z.string(),
  title: z.string(),
  tags: z.array(z.string()),
  /** ISO 8601. */
  startedAt: z.string(),
  closedAt: z.string(),
  /** `null` where the run was started with something that is no request. */
  request: researchRequestSchema.nullable(),
  /** Which store holds what it refers to; `null` where it ended before it knew. */
  storeId: z.string().nullable(),
  /** Names of the tools that its subagents had. */
  tools: z.array(z.string()),
  /** Of the prompts that its subagents were made with; 1 where it is not known. */
  promptVersion: countSchema,
  result: recordedResultSchema,
  /** In plan order; only those that the run itself planned. */
  subagents: z.array(subagentRecordSchema),
  /** What those that they started have in the store. */
  below: z.array(belowRecordSchema).optional(),
});
export type RunRecord = Readonly<z.infer<typeof runRecordSchema>>;
