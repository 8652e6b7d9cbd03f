/** Where a run comes from that takes over the work of another one. */
import { z } from 'zod';
import { runIdSchema, subagentIdSchema } from './ids.ts';
import { maxGoalChars } from './plan.ts';

/** `finished`: every finished subagent that would be asked the same; a list: those of them alone. */
export const reuseSchema = z.union([z.enum(['finished', 'none']), z.array(subagentIdSchema).min(1).max(1_000)]);
export type Reuse = z.infer<typeof reuseSchema>;

/** The point from which a rerun does everything anew; a subagent's id: that one, and the report. */
export const rerunPointSchema = z.union([z.enum(['plan', 'synthesis']), subagentIdSchema]);
export type RerunPoint = z.infer<typeof rerunPointSchema>;

/** What is different for one subagent. */
export const subagentEditSchema = z.strictObject({
  goal: z.string().trim().min(1).max(maxGoalChars).optional(),
  model: z.string().min(1).optional(),
  instructions: z.string().trim().min(1).optional(),
});
export type SubagentEdit = Readonly<z.infer<typeof subagentEditSchema>>;

export const originSchema = z.strictObject({
  kind: z.enum(['retry', 'rerun']),
  runId: runIdSchema,
  /** Temporal's id of its first execution: a workflow id can be used again. */
  firstRunId: z.string().min(1),
  reuse: reuseSchema.default('finished'),
  /** Of a rerun. */
  from: rerunPointSchema.optional(),
  /** By subagent; those of earlier reruns stay. */
  edits: z.record(subagentIdSchema, subagentEditSchema).optional(),
});
export type Origin = Readonly<z.infer<typeof originSchema>>;

/** One line between two runs, as it is shown at either end: `runId` is the other one. */
export const lineageSchema = originSchema.pick({ kind: true, runId: true, from: true });
export type Lineage = Readonly<z.infer<typeof lineageSchema>>;
