/** Inputs and outputs of workflows, activities and signals: one object each, plain JSON. */
import { z } from 'zod';
import { amountsSchema, budgetCeilingSchema, callUsageSchema, countSchema } from './budget.ts';
import { carrySchema } from './carry.ts';
import { runIdSchema, subagentIdSchema } from './ids.ts';
import { finishReasonSchema } from './model.ts';
import { outcomeReasonSchema, outcomeStatusSchema, subagentReportSchema } from './outcome.ts';
import { maxGoalChars, planSchema } from './plan.ts';
import { modelChoiceSchema } from './model-choice.ts';
import { ratesSchema } from './price.ts';
import { plannedCallSchema } from './resume.ts';
import { approvalOptionsSchema, webPolicySchema } from './request.ts';
import { gapSchema, reportDocumentSchema } from './result.ts';
import { delegationSchema, toolTraitsSchema, toolOptionsSchema } from './tool.ts';
import { blobRefSchema, toolResultSchema, transcriptHeadSchema } from './transcript.ts';

/** What every model call must know about its bounds. */
const modelBoundsSchema = modelChoiceSchema.extend({
  maxOutputTokens: z.number().int().min(1),
  /** The reservation: all requests of this call together may not cost more. */
  maxSpendTokens: z.number().int().min(1),
  /** The same in money; absent = no limit. */
  maxSpendMicroUsd: countSchema.optional(),
  /** HTTP requests at most. */
  attempts: z.number().int().min(1),
});

/** `planActivity` */
export const planStepSchema = modelBoundsSchema.extend({
  runId: runIdSchema,
  question: z.string(),
  instructions: z.string().optional(),
  maxSubagents: z.number().int().min(1),
  corpus: z.string().optional(),
  web: webPolicySchema.optional(),
  offeredTools: z.array(z.string()).optional(),
  /** 1, or more when an earlier reply was no plan. */
  attempt: z.number().int().min(1),
  /** What was wrong with the last one. */
  problem: z.string().optional(),
});
export type PlanStep = Readonly<z.infer<typeof planStepSchema>>;
export const planStepResultSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plan'), plan: planSchema, usage: callUsageSchema }),
  /** Paid for, but not a plan. */
  z.object({ kind: z.literal('again'), problem: z.string(), usage: callUsageSchema }),
  z.object({ kind: z.literal('does-not-fit'), neededTokens: countSchema, usage: callUsageSchema }),
]);
export type PlanStepResult = Readonly<z.infer<typeof planStepResultSchema>>;

/** `openRunActivity`: before anything is spent. Answers which store this is and which tools the run has. */
export const openRunStepSchema = z.object({
  runId: runIdSchema,
  corpus: z.string().optional(),
  web: webPolicySchema.optional(),
  offeredTools: z.array(z.string()).optional(),
  /** Each model of the run once. */
  models: z.array(modelChoiceSchema.omit({ rates: true })),
  /** `BUDGET_CEILING` where it is above what the server allows. */
  budget: budgetCeilingSchema.optional(),
  /** `MODEL_PRICE_UNKNOWN` where a model has no price. */
  needsPrices: z.boolean(),
});
export type OpenRunStep = Readonly<z.infer<typeof openRunStepSchema>>;
export const openRunResultSchema = z.object({
  storeId: z.string(),
  tools: z.array(toolTraitsSchema),
  /** Of the models whose price is known, by name. */
  rates: z.record(z.string(), ratesSchema),
  notes: z.array(z.string()),
  /** The most that anybody may let this run spend, where the server's configuration says so. */
  ceiling: budgetCeilingSchema.optional(),
  /** Of the prompts that its subagents are made with; absent = 1. */
  promptVersion: countSchema.optional(),
  /** Absent = `defaults.maxHistoryEvents`. */
  maxHistoryEvents: countSchema.optional(),
  /** Task queues by model name; a model that is not here, and every one of runs opened before, is on the run's own. */
  queues: z.record(z.string(), z.string()).optional(),
  /** By model name where requests a minute are known: the limit, and the calls at once that it pays for. */
  bounds: z.record(z.string(), z.object({ rpm: countSchema, maxConcurrency: z.number().int().min(1) })).optional(),
});
export type OpenRunResult = Readonly<z.infer<typeof openRunResultSchema>>;

/** Input of `subagentWorkflow`. */
export const subagentTaskSchema = modelChoiceSchema.extend({
  runId: runIdSchema,
  id: subagentIdSchema,
  storeId: z.string(),
  question: z.string(),
  instructions: z.string().optional(),
  goal: z.string().min(1).max(maxGoalChars),
  corpus: z.string().optional(),
  web: webPolicySchema.optional(),
  tools: z.array(toolTraitsSchema),
  toolOptions: toolOptionsSchema,
  /** All that this subagent may use; the hand-back reserve is inside. */
  allotment: amountsSchema,
  /** Whether `allotment.microUsd` is a limit. */
  limitsUsd: z.boolean().default(false),
  handBackReserveTokens: countSchema,
  wallClockMs: z.number().int().min(1),
  maxTurns: z.number().int().min(1),
  maxOutputTokens: z.number().int().min(1),
  modelAttempts: z.number().int().min(1),
  /** Whether the run answers a subagent that asks for more; runs from before there were top-ups do not. */
  canTopUp: z.boolean().optional(),
  /** Where a tool asks first. */
  approvals: approvalOptionsSchema.optional(),
  personTimeoutMs: countSchema.optional(),
  /** Where its model calls are put; absent = its own queue. */
  modelQueue: z.string().optional(),
  tenant: z.string().optional(),
  /** Where it may fan out itself. */
  delegation: delegationSchema.optional(),
  /** Where it goes on, in the place of a subagent of an earlier run (a `Resume`); its turns count from there. */
  resumeRef: blobRefSchema.optional(),
  /** From 2 on: it was started before and is tried again. */
  attempt: countSchema.optional(),
  /** Subtasks of its own that its earlier attempts gave ids: the numbers go on. */
  delegatedBefore: countSchema.optional(),
  /** Where its history has grown to about so many events, it goes on in a new one. */
  maxHistoryEvents: countSchema.optional(),
  /** Of its own earlier history. */
  carry: carrySchema.optional(),
  /** Workflow id of the subagent that started it; absent = the run did. */
  parentWorkflowId: z.string().optional(),
});
export type SubagentTask = Readonly<z.infer<typeof subagentTaskSchema>>;

/** `callModelActivity` */
export const modelStepSchema = modelBoundsSchema.extend({
  runId: runIdSchema,
  subagentId: subagentIdSchema,
  storeId: z.string(),
  turn: z.number().int().min(1),
  /** `null` on the first turn, which writes the opening messages. */
  head: transcriptHeadSchema.nullable(),
  question: z.string(),
  instructions: z.string().optional(),
  goal: z.string(),
  corpus: z.string().optional(),
  web: webPolicySchema.optional(),
  tools: z.array(toolTraitsSchema),
  parallelToolCalls: z.boolean(),
  encourageBatching: z.boolean(),
  /** What the last reply must be told of before the model goes on. */
  note: z.enum(['truncated', 'malformed-call']).optional(),
  /** Answers to every call of the last assistant message, in the order of its calls. */
  results: z.array(toolResultSchema),
  /** Which calls need no person; absent = no tool asks first. */
  approvals: approvalOptionsSchema.optional(),
  /** Where `delegate` is among the tools. */
  delegation: delegationSchema.optional(),
  /** No tools: hand back, for this reason. */
  handBack: outcomeReasonSchema.optional(),
});
export type ModelStep = Readonly<z.infer<typeof modelStepSchema>>;

export const modelStepResultSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('reply'),
    head: transcriptHeadSchema,
    calls: z.array(plannedCallSchema),
    finish: finishReasonSchema,
    rawFinish: z.string().optional(),
    warnings: z.array(z.string()).optional(),
    /** The final answer, when there are no calls; `null` where it was empty, and where it is only in the store. */
    report: subagentReportSchema.nullable(),
    /** The same in the store, where it is too long for a history. */
    reportRef: blobRefSchema.optional(),
    usage: callUsageSchema,
  }),
  /** Not even with results cut to their previews: nothing was sent. */
  z.object({ kind: z.literal('does-not-fit'), neededTokens: countSchema, usage: callUsageSchema }),
]);
export type ModelStepResult = Readonly<z.infer<typeof modelStepResultSchema>>;

/** `callToolActivity` */
export const toolStepSchema = z.object({
  runId: runIdSchema,
  subagentId: subagentIdSchema,
  storeId: z.string(),
  /** The transcript whose last message holds the call. */
  head: transcriptHeadSchema,
  callId: z.string(),
  name: z.string(),
  /** From 2 on, of a subagent that is tried again: its calls are others than those before, though their ids are the same. */
  attempt: countSchema.optional(),
  deadlineMs: z.number().int().min(1),
  maxOutputChars: z.number().int().min(1),
  /** A person's, instead of the model's. */
  editedArguments: z.record(z.string(), z.json()).optional(),
  corpus: z.string().optional(),
  web: webPolicySchema.optional(),
  delegation: delegationSchema.optional(),
});
export type ToolStep = Readonly<z.infer<typeof toolStepSchema>>;
export const toolStepResultSchema = z.object({
  callId: z.string(),
  isError: z.boolean(),
  /** The text that the model gets, in the store. */
  ref: blobRefSchema,
  /** Its first characters, for people. */
  preview: z.string(),
  /** Documents that were read, with the blob of what was read. */
  sources: z.array(z.object({ id: z.string(), url: z.string(), title: z.string() })),
  durationMs: countSchema,
  /** Goals of the subtasks that the call asks to have worked on. */
  delegated: z.array(z.string()).optional(),
});
export type ToolStepResult = Readonly<z.infer<typeof toolStepResultSchema>>;

/** `storeReportActivity`: checks a subagent's quotes against what it read and keeps the whole report. */
export const storeReportStepSchema = z.object({
  storeId: z.string(),
  /** One of the two. */
  report: subagentReportSchema.optional(),
  reportRef: blobRefSchema.optional(),
  sources: z.array(z.object({ id: z.string(), url: z.string(), title: z.string(), contents: z.array(blobRefSchema) })),
  /** Whole reports of subagents below it: their sources are its own too. */
  below: z.array(blobRefSchema).optional(),
});
export type StoreReportStep = Readonly<z.infer<typeof storeReportStepSchema>>;

/** `synthesizeActivity` */
export const synthesisStepSchema = modelBoundsSchema.extend({
  runId: runIdSchema,
  storeId: z.string(),
  question: z.string(),
  instructions: z.string().optional(),
  subagents: z.array(
    z.object({
      id: subagentIdSchema,
      goal: z.string(),
      status: outcomeStatusSchema,
      reason: outcomeReasonSchema.optional(),
      reportRef: blobRefSchema.nullable(),
    }),
  ),
  gaps: z.array(gapSchema),
  notes: z.array(z.string()),
  /** Assemble the report from the findings, without asking the model: what it would cost is not there, or it failed. */
  withoutModel: z.boolean(),
  /** Number of a draft of a progressive run; absent = the report itself. */
  draft: z.number().int().min(1).optional(),
});
export type SynthesisStep = Readonly<z.infer<typeof synthesisStepSchema>>;
export const synthesisStepResultSchema = z.object({
  documentRef: blobRefSchema,
  /** The document itself while it is under 64 kB. */
  document: reportDocumentSchema.nullable(),
  /** What was trimmed to fit, and whether a model wrote it at all. */
  notes: z.array(z.string()),
  usage: callUsageSchema,
});
export type SynthesisStepResult = Readonly<z.infer<typeof synthesisStepResultSchema>>;
