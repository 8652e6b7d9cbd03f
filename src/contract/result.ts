/** The result of a run: one document for `run --json`, `result` and the client. */
import { z } from 'zod';
import { budgetStateSchema, countSchema, usageSchema } from './budget.ts';
import { runCancelSchema } from './cancel-proof.ts';
import { runIdSchema, subagentIdSchema } from './ids.ts';
import { lineageSchema } from './origin.ts';
import { outcomeReasonSchema, outcomeStatusSchema } from './outcome.ts';
import { blobRefSchema } from './transcript.ts';

export const terminalRunStatuses = ['completed', 'partial', 'failed', 'cancelled', 'terminated', 'timed-out'] as const;
export const terminalRunStatusSchema = z.enum(terminalRunStatuses);
export type TerminalRunStatus = z.infer<typeof terminalRunStatusSchema>;

export const citationSchema = z.object({
  /** As it stands in the report: `[1]`. */
  marker: z.string(),
  sourceId: z.string(),
  quote: z.string(),
  /** `true` when the quote stands in what a tool read of that source. */
  verified: z.boolean(),
});
export type Citation = Readonly<z.infer<typeof citationSchema>>;

export const sourceViewSchema = z.object({ id: z.string(), url: z.string(), title: z.string(), by: subagentIdSchema });
export type SourceView = Readonly<z.infer<typeof sourceViewSchema>>;

/** A subtask whose answer is missing or incomplete. Made from run state, never by a model. */
export const gapSchema = z.object({
  subagentId: subagentIdSchema,
  goal: z.string(),
  status: outcomeStatusSchema,
  reason: outcomeReasonSchema.optional(),
});
export type Gap = Readonly<z.infer<typeof gapSchema>>;

export const subagentSummarySchema = z.object({
  id: subagentIdSchema,
  goal: z.string(),
  status: outcomeStatusSchema,
  reason: outcomeReasonSchema.optional(),
  message: z.string().optional(),
  /** A loser of `join: first`: cancelled because it was not needed, so not a gap. */
  notNeeded: z.boolean().optional(),
  usage: usageSchema,
  turns: countSchema,
  toolCalls: countSchema,
  /** The run that did the work, where it was taken over; then `usage` is what this run paid for it: nothing. */
  reusedFrom: runIdSchema.optional(),
  /** Why a run that takes over another one did it again, or went on with it. */
  again: z.string().optional(),
});
export type SubagentSummary = Readonly<z.infer<typeof subagentSummarySchema>>;

/** A draft of a progressive run, over the answers that were there. */
export const draftSchema = z.object({
  /** 1 is the first. */
  number: z.number().int().min(1),
  documentRef: blobRefSchema,
  /** Whose answers it rests on. */
  subagents: z.array(subagentIdSchema),
});
export type Draft = Readonly<z.infer<typeof draftSchema>>;

export const runResultSchema = z.object({
  type: z.literal('result'),
  runId: runIdSchema,
  status: terminalRunStatusSchema,
  exitCode: z.number().int(),
  question: z.string(),
  report: z.string().nullable(),
  citations: z.array(citationSchema),
  sources: z.array(sourceViewSchema),
  gaps: z.array(gapSchema),
  /** What was changed or cut on the way: a shortened plan, trimmed reports. */
  notes: z.array(z.string()),
  /** All that was used, with what a run that is taken over had used. */
  usage: usageSchema,
  /** Whose work this run took over, and what that had used. */
  origin: lineageSchema.extend({ spent: usageSchema }).optional(),
  budget: budgetStateSchema,
  /** Average tool calls per message with at least one call; `null` where there was none. */
  toolCallsPerMessage: z.number().nullable(),
  subagents: z.array(subagentSummarySchema),
  /** Drafts that were written on the way. The last one is the `report` of a run that ended without one. */
  drafts: z.array(draftSchema).optional(),
  /** Why the run did not complete. */
  failure: z.object({ code: z.string(), message: z.string() }).optional(),
  /** How its cancel went. */
  cancel: runCancelSchema.optional(),
});
export type RunResult = Readonly<z.infer<typeof runResultSchema>>;

/** The parts of a result that grow with the report; kept in the store, the history holds the reference. */
export const reportDocumentSchema = z.object({
  report: z.string(),
  citations: z.array(citationSchema),
  sources: z.array(sourceViewSchema),
});
export type ReportDocument = Readonly<z.infer<typeof reportDocumentSchema>>;

/** What `researchWorkflow` returns, or carries in its failure: the result without the report's bulk. */
export const recordedResultSchema = runResultSchema
  .omit({ report: true, citations: true, sources: true, type: true, exitCode: true })
  .extend({
    /** The report itself while it is under 64 kB; `null` where there is none or it is only in the store. */
    document: reportDocumentSchema.nullable(),
    /** The same in the store. */
    documentRef: blobRefSchema.nullable(),
  });
export type RecordedResult = Readonly<z.infer<typeof recordedResultSchema>>;
