/** What people and subagents ask of a run that is going on: inputs and answers of its updates and signals. */
import { z } from 'zod';
import { amountsSchema } from './budget.ts';
import { durationSchema } from './duration.ts';
import { subagentIdSchema } from './ids.ts';
import { maxGoalChars } from './plan.ts';

const positiveInteger = z.number().int().min(1);
const reason = z.string().trim().max(1_000);
/** Who acts: the user of the operating system for the command line, the label of a token over HTTP. */
const by = z.string().min(1).max(200);

/** What is added to the limits; at least one of them. Adding, not setting: two callers cannot undo each other. */
export const budgetRaiseSchema = z
  .strictObject({
    tokens: positiveInteger.optional(),
    usd: z.number().positive().max(1_000_000).optional(),
    toolCalls: positiveInteger.optional(),
    wallClock: durationSchema.optional(),
  })
  .refine(
    (raise) => Object.values(raise).some((value) => value !== undefined),
    'wanted at least one of tokens, usd, toolCalls, wallClock',
  );
export type BudgetRaise = Readonly<z.infer<typeof budgetRaiseSchema>>;
export type BudgetRaiseInput = Readonly<z.input<typeof budgetRaiseSchema>>;

/** `addBudget`. With a `subagentId` the run's limit and that subagent's allotment rise together. */
export const addBudgetInputSchema = z.strictObject({
  add: budgetRaiseSchema,
  subagentId: subagentIdSchema.optional(),
  reason: reason.optional(),
  by,
});
export type AddBudgetInput = Readonly<z.infer<typeof addBudgetInputSchema>>;

/** `retrySubagent`: one that has ended is started again while the others go on. */
export const retrySubagentInputSchema = z.strictObject({
  id: subagentIdSchema,
  /** What it may use, out of what the run has left; absent = as much as the others got, or what is left of that. */
  budget: z.strictObject({ tokens: positiveInteger.optional() }).optional(),
  by,
});
export type RetrySubagentInput = Readonly<z.infer<typeof retrySubagentInputSchema>>;

/** `finalize`: no new work, hand back what is there, write the report. */
export const finalizeInputSchema = z.strictObject({ reason: reason.optional(), by });
export type FinalizeInput = Readonly<z.infer<typeof finalizeInputSchema>>;

const goal = z.string().trim().min(1).max(maxGoalChars);
export const planEditSchema = z.discriminatedUnion('op', [
  /** At the end, or behind the subtask `after`. */
  z.strictObject({ op: z.literal('add'), goal, after: subagentIdSchema.optional() }),
  z.strictObject({ op: z.literal('edit'), id: subagentIdSchema, goal }),
  z.strictObject({ op: z.literal('remove'), id: subagentIdSchema }),
]);
export type PlanEdit = Readonly<z.infer<typeof planEditSchema>>;

/** `approvePlan`: the edits in their order, then the fan-out begins. */
export const approvePlanInputSchema = z.strictObject({ edits: z.array(planEditSchema).max(1_000).default([]), by });
export type ApprovePlanInput = Readonly<z.infer<typeof approvePlanInputSchema>>;

/** `revisePlan`: the planner is asked again, and told why. */
export const revisePlanInputSchema = z.strictObject({ feedback: z.string().trim().min(1).max(4_000), by });
export type RevisePlanInput = Readonly<z.infer<typeof revisePlanInputSchema>>;

export const approvalIdSchema = z.string().regex(/^ap_[1-9]\d{0,6}$/, 'wanted an id of an approval such as ap_3');

/** Calls of `tool` whose arguments hold all of `args` need not be asked for. */
export const approvalRuleSchema = z.strictObject({
  tool: z.string().min(1).max(200),
  args: z.record(z.string(), z.json()).optional(),
});
export type ApprovalRule = Readonly<z.infer<typeof approvalRuleSchema>>;

/** From a subagent to its run: a call that a person must decide on. */
export const approvalAskSchema = z.object({
  subagentId: subagentIdSchema,
  callId: z.string(),
  tool: z.string(),
  /** First characters of the arguments. */
  input: z.string(),
});
export type ApprovalAsk = Readonly<z.infer<typeof approvalAskSchema>>;

/** Arguments that a person wrote: they stand in histories, so they are small. */
const argumentsSchema = z
  .record(z.string(), z.json())
  .refine((args) => JSON.stringify(args).length <= 64_000, 'wanted at most 64,000 characters of JSON');

export const approvalDecisions = ['approved', 'denied', 'expired', 'withdrawn'] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

/** `decideApproval` */
export const decideApprovalInputSchema = z.strictObject({
  id: approvalIdSchema,
  decision: z.enum(['approved', 'denied']),
  /** Edited arguments, instead of the model's. Only with `approved`. */
  args: argumentsSchema.optional(),
  /** `run`: the same tool is not asked for again in this run. Only with `approved`. */
  remember: z.enum(['never', 'run']).default('never'),
  reason: reason.optional(),
  by,
});
export type DecideApprovalInput = Readonly<z.infer<typeof decideApprovalInputSchema>>;

/** How a request for approval ended. Expiry is nobody's denial. */
export const approvalOutcomeSchema = z.object({
  id: approvalIdSchema,
  decision: z.enum(approvalDecisions),
  by: z.string(),
  /** ISO 8601. */
  at: z.string(),
  reason: z.string().optional(),
});
export type ApprovalOutcome = Readonly<z.infer<typeof approvalOutcomeSchema>>;

/** From a run to the subagent that asked. */
export const approvalAnswerSchema = approvalOutcomeSchema.extend({
  callId: z.string(),
  args: z.record(z.string(), z.json()).optional(),
});
export type ApprovalAnswer = Readonly<z.infer<typeof approvalAnswerSchema>>;

/** From a subagent to its run: its allotment does not pay for what comes next. */
export const topUpAskSchema = z.object({
  subagentId: subagentIdSchema,
  ordinal: positiveInteger,
  wanted: amountsSchema,
});
export type TopUpAsk = Readonly<z.infer<typeof topUpAskSchema>>;
/** From a subagent to the one that started it: it waits for a person, or it does so no longer. */
export const personWaitSchema = z.object({ subagentId: subagentIdSchema, isWaiting: z.boolean() });
export type PersonWait = Readonly<z.infer<typeof personWaitSchema>>;

/** The answer: all that was asked for, or nothing. */
export const topUpAnswerSchema = z.object({ ordinal: positiveInteger, granted: amountsSchema.nullable() });
export type TopUpAnswer = Readonly<z.infer<typeof topUpAnswerSchema>>;

/** A person raised this subagent's allotment. */
export type AllotmentRaise = { readonly added: z.infer<typeof amountsSchema>; readonly by: string };
