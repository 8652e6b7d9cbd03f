/** The schema of one event line, for `help events --json`. Fields are only ever added. */
import { z } from 'zod';
import { budgetStateSchema, usageSchema } from '../../contract/budget.ts';
import { approvalOutcomeSchema } from '../../contract/control.ts';
import { lineageSchema } from '../../contract/origin.ts';
import { outcomeStatuses } from '../../contract/outcome.ts';
import { runResultSchema, terminalRunStatuses, terminalRunStatusSchema } from '../../contract/result.ts';
import { blockedStatuses, type RunEvent } from '../../contract/run-view.ts';

const runStatus = z.enum([
  'queued',
  'planning',
  'running',
  'synthesizing',
  'cancelling',
  ...blockedStatuses,
  ...terminalRunStatuses,
]);
const subagentStatus = z.enum([
  'queued',
  'running',
  'retrying',
  'awaiting-approval',
  'paused-budget',
  'cancelling',
  ...outcomeStatuses,
]);

const base = {
  cursor: z.string().describe('opaque'),
  at: z.string().describe('ISO 8601, the clock of the server'),
  runId: z.string(),
  subagentId: z.string().optional(),
  parentId: z.string().optional(),
};

/** `run` of a snapshot is what `show --json` prints. */
const snapshotRun = z.looseObject({
  runId: z.string(),
  title: z.string(),
  status: runStatus,
  startedAt: z.string(),
  budget: budgetStateSchema,
  usage: usageSchema,
  origin: lineageSchema.optional().describe('whose work it takes over'),
  earlier: usageSchema.optional().describe('what that had used; part of usage'),
  successors: z
    .array(lineageSchema.extend({ status: runStatus }))
    .optional()
    .describe('runs that took over its work'),
  tree: z.array(
    z.looseObject({
      id: z.string(),
      goal: z.string(),
      status: subagentStatus,
      usage: usageSchema,
      reusedFrom: z.string().optional(),
      again: z.string().optional(),
    }),
  ),
});

const approval = z.object({
  id: z.string(),
  subagentId: z.string(),
  tool: z.string(),
  input: z.string(),
  requestedAt: z.string(),
  expiresAt: z.string().nullable(),
  outcome: approvalOutcomeSchema.optional(),
});

export const eventSchema = z.discriminatedUnion('type', [
  z.object({ ...base, type: z.literal('snapshot'), run: snapshotRun }),
  z.object({ ...base, type: z.literal('run-status'), status: runStatus, reason: z.string().optional() }),
  z.object({
    ...base,
    type: z.literal('plan-proposed'),
    subtasks: z.array(z.object({ id: z.string(), goal: z.string() })),
  }),
  z.object({
    ...base,
    type: z.literal('plan-approved'),
    subtasks: z.array(z.object({ id: z.string(), goal: z.string() })),
  }),
  z.object({
    ...base,
    type: z.literal('subagent-status'),
    status: subagentStatus,
    attempt: z.number(),
    reason: z.string().optional(),
    goal: z.string().optional().describe('of a subagent that another one started'),
    reusedFrom: z.string().optional().describe('the run that did the work, where it was taken over'),
    again: z.string().optional().describe('why a run that takes over another one does it again, or goes on with it'),
  }),
  z.object({
    ...base,
    type: z.literal('tool-call-started'),
    toolCallId: z.string(),
    tool: z.string(),
    input: z.string(),
  }),
  z.object({
    ...base,
    type: z.literal('tool-call-finished'),
    toolCallId: z.string(),
    tool: z.string(),
    ok: z.boolean(),
    durationMs: z.number(),
    output: z.string().optional(),
    error: z.string().optional(),
  }),
  z.object({
    ...base,
    type: z.literal('source-found'),
    source: z.object({ id: z.string(), url: z.string(), title: z.string() }),
  }),
  z.object({
    ...base,
    type: z.literal('finding-added'),
    findingId: z.string(),
    text: z.string(),
    sourceIds: z.array(z.string()),
  }),
  z.object({ ...base, type: z.literal('budget-updated'), budget: budgetStateSchema, usage: usageSchema.optional() }),
  z.object({
    ...base,
    type: z.literal('budget-raised'),
    budget: budgetStateSchema,
    by: z.string(),
    reason: z.string().optional(),
  }),
  z.object({ ...base, type: z.literal('draft-written'), number: z.number().int(), subagents: z.array(z.string()) }),
  z.object({ ...base, type: z.literal('finalize-requested'), by: z.string(), reason: z.string().optional() }),
  z.object({ ...base, type: z.literal('approval-requested'), approval }),
  z.object({ ...base, type: z.literal('approval-resolved'), outcome: approvalOutcomeSchema }),
  z.object({ ...base, type: z.literal('subagent-live'), live: z.string().nullable() }),
  z.object({ ...base, type: z.literal('resync'), reason: z.string() }),
  z.object({
    ...base,
    type: z.literal('result'),
    status: terminalRunStatusSchema.or(runStatus).optional().describe('absent where the run was never seen'),
    exitCode: z.number().int(),
    result: runResultSchema.optional().describe('absent where the run was left before its end'),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  }),
]);

// A kind of event that is missing here does not compile.
type Described = z.infer<typeof eventSchema>['type'];
null as unknown as RunEvent['type'] satisfies Described;
