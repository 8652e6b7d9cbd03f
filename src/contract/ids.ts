/** Ids of runs and subagents: what is legal, and how a subagent's workflow id follows from its run's. */
import { z } from 'zod';

/** Safe in a path, a URL, a log line and a Temporal workflow id. */
export const runIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'wanted a run id: 1 to 64 letters, digits, "_" or "-"');
export type RunId = z.infer<typeof runIdSchema>;

/** A path inside the run: `s2`, and `s2.1` below it. */
export const subagentIdSchema = z
  .string()
  .regex(/^s[1-9]\d{0,3}(\.[1-9]\d{0,3}){0,2}$/, 'wanted a subagent id such as "s2"');
export type SubagentId = z.infer<typeof subagentIdSchema>;

/** Workflow id of a subagent: `<run id>/s1`. */
export function toSubagentWorkflowId(runId: RunId, subagentId: SubagentId): string {
  return `${runId}/${subagentId}`;
}
