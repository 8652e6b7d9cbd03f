/** What a subagent that has ended left to go on with, for the attempt that comes after it. */
import { z } from 'zod';
import { countSchema } from './budget.ts';
import { runIdSchema, subagentIdSchema } from './ids.ts';
import type { Resume } from './resume.ts';
import { blobRefSchema } from './transcript.ts';

/** From its history. */
export type LeftWork = {
  /** `null` where no turn was complete. */
  readonly resume: Resume | null;
  /** Subtasks of its own that it, and those before it, gave ids. */
  readonly delegated: number;
};

/** `readLeftWorkActivity` */
export const readLeftWorkStepSchema = z.object({ runId: runIdSchema, id: subagentIdSchema, storeId: z.string() });
export type ReadLeftWorkStep = Readonly<z.infer<typeof readLeftWorkStepSchema>>;
/** `resumeRef`: a `Resume` in the store. */
export const readLeftWorkResultSchema = z.object({ resumeRef: blobRefSchema.nullable(), delegated: countSchema });
export type ReadLeftWorkResult = Readonly<z.infer<typeof readLeftWorkResultSchema>>;
