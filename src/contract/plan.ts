/** A plan: the subtasks of a run, in the order in which the report takes them. */
import { z } from 'zod';
import { subagentIdSchema } from './ids.ts';

export const maxGoalChars = 4_000;

export const subtaskSchema = z.object({ id: subagentIdSchema, goal: z.string().min(1).max(maxGoalChars) });
export type Subtask = Readonly<z.infer<typeof subtaskSchema>>;

export const planSchema = z.object({
  subtasks: z.array(subtaskSchema).min(1),
  /** What was changed or cut in the model's plan, for the report. */
  notes: z.array(z.string()),
});
export type Plan = Readonly<z.infer<typeof planSchema>>;
