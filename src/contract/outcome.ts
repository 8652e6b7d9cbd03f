/** How a subagent ended, and what it hands its parent. */
import { z } from 'zod';
import { countSchema, usageSchema } from './budget.ts';
import { subagentIdSchema } from './ids.ts';
import { blobRefSchema, transcriptHeadSchema } from './transcript.ts';

export const outcomeStatuses = ['done', 'partial', 'failed', 'cancelled', 'skipped', 'timed-out', 'reused'] as const;
export const outcomeStatusSchema = z.enum(outcomeStatuses);
export type OutcomeStatus = z.infer<typeof outcomeStatusSchema>;

/** Why it ended so. One list for every status, so that reports, exit texts and filters use the same words. */
export const outcomeReasons = [
  'max-turns',
  'loop',
  'budget',
  'wall-clock',
  'truncated',
  'refusal',
  'content-filter',
  'context-exceeded',
  'rate-limit',
  'quota',
  'provider',
  'tool',
  'terminated',
  'operator',
  'join',
  'no-worker',
] as const;
export const outcomeReasonSchema = z.enum(outcomeReasons);
export type OutcomeReason = z.infer<typeof outcomeReasonSchema>;

/** One thing found: a sentence, the source that a tool read, and the words of the source that bear it out. */
export const claimSchema = z.object({
  text: z.string().min(1),
  sourceId: z.string().min(1),
  quote: z.string().min(1),
});
export type Claim = Readonly<z.infer<typeof claimSchema>>;

/** What a subagent found, tried and could not do. The model writes it as its last message, as JSON. */
export const subagentReportSchema = z.object({
  summary: z.string(),
  claims: z.array(claimSchema),
  tried: z.array(z.string()),
  failed: z.array(z.string()),
});
export type SubagentReport = Readonly<z.infer<typeof subagentReportSchema>>;

/** A document that a tool really read. `contents` are the blobs that hold the words that were read. */
export const sourceSchema = z.object({
  id: z.string(),
  url: z.string(),
  title: z.string(),
  contents: z.array(blobRefSchema),
});
export type Source = Readonly<z.infer<typeof sourceSchema>>;

/** The whole report of a subagent in the store; the synthesizer reads it by reference. */
export const storedReportSchema = z.object({ report: subagentReportSchema, sources: z.array(sourceSchema) });
export type StoredReport = Readonly<z.infer<typeof storedReportSchema>>;

/** What a subagent workflow returns, and what the join judges. The transcript stays in the store. */
export const subagentOutcomeSchema = z.object({
  id: subagentIdSchema,
  status: outcomeStatusSchema,
  reason: outcomeReasonSchema.optional(),
  /** What went wrong or was cut short, in a sentence for people. */
  message: z.string().optional(),
  /** Cut to the size that a parent may see; `null` where nothing was handed back. */
  report: subagentReportSchema.nullable(),
  /** The uncut report with its sources (`StoredReport`). */
  reportRef: blobRefSchema.nullable(),
  usage: usageSchema,
  turns: countSchema,
  toolCalls: countSchema,
  /** Model messages with at least one tool call: `toolCalls / toolCallMessages` measures batching. */
  toolCallMessages: countSchema,
  transcript: transcriptHeadSchema.nullable(),
});
export type SubagentOutcome = Readonly<z.infer<typeof subagentOutcomeSchema>>;
