/** What a run is asked to do: one schema for the CLI, the client and a workflow started by hand. Parsing is idempotent. */
import { z } from 'zod';
import { defaults } from './defaults.ts';
import { durationSchema } from './duration.ts';
import { runIdSchema } from './ids.ts';
import { maxGoalChars } from './plan.ts';
import { toolOptionsSchema } from './tool.ts';

export const maxQuestionChars = 20_000;
/** On POSIX and on Windows: which of them reads it is not known here. */
const absolutePath = /^(?:[\\/]|[A-Za-z]:[\\/])/;
const positiveInteger = z.number().int().min(1);
const text = (maxChars: number) =>
  z
    .string()
    // A lone surrogate would pass every check here and be refused by a provider later.
    .overwrite((value) => value.toWellFormed())
    .trim()
    .min(1)
    .max(maxChars)
    .refine((value) => !value.includes('\0'), 'wanted text without NUL');

/** `scripted:FILE`, `extractive`, or `<vendor>/<model>`. */
export const modelNameSchema = z
  .string()
  .max(4_200)
  .regex(/^(extractive|scripted:.+|[a-z-]+\/\S+)$/, 'wanted "extractive", "scripted:FILE" or "<vendor>/<model>"');

const wantedMinSuccess = 'wanted a whole number of at least 1, or a share such as "50%"';
export const minSuccessSchema = z.union(
  [
    positiveInteger,
    z
      .string()
      .regex(/^(100|[1-9]\d?)%$/, wantedMinSuccess)
      .transform((value) => value as `${number}%`),
  ],
  { error: wantedMinSuccess },
);

export const joinSchema = z.strictObject({
  kind: z.enum(['all', 'partial', 'first']).default(defaults.join.kind),
  minSuccess: minSuccessSchema.default(defaults.join.minSuccess),
  /** From the start of the fan-out; what still runs then is cancelled and becomes `timed-out`. */
  deadline: durationSchema.optional(),
});
export type JoinOptions = Readonly<z.infer<typeof joinSchema>>;

export const budgetOptionsSchema = z.strictObject({
  tokens: positiveInteger.default(defaults.budgetTokens),
  toolCalls: positiveInteger.default(defaults.budgetToolCalls),
  wallClock: durationSchema.default(defaults.budgetWallClockMs),
  onExhausted: z.literal('finalize').default(defaults.onExhausted),
  /** Share of the tokens that is kept for the report. */
  synthesisReserve: z.number().min(0).max(0.9).default(defaults.synthesisReserve),
});

export const researchRequestSchema = z.strictObject({
  runId: runIdSchema,
  question: text(maxQuestionChars),
  instructions: text(maxQuestionChars).optional(),
  title: text(200).optional(),
  tags: z.array(text(100)).max(20).default([]),
  /** One subagent per entry, without planning. */
  subtasks: z
    .array(z.strictObject({ goal: text(maxGoalChars) }))
    .min(1)
    .max(1_000)
    .optional(),
  /** Absolute path of a folder of documents: a relative one would mean another folder to each worker. */
  corpus: text(4_096)
    .refine((path) => absolutePath.test(path), 'wanted an absolute path')
    .optional(),
  models: z
    .strictObject({ planner: modelNameSchema, subagent: modelNameSchema, synthesis: modelNameSchema })
    .default({ planner: defaults.model, subagent: defaults.model, synthesis: defaults.model }),
  budget: budgetOptionsSchema.prefault({}),
  /** Tokens of one subagent; absent = an equal share of what remains after the reserves. */
  subagentTokens: positiveInteger.optional(),
  subagentWallClock: durationSchema.default(defaults.subagentWallClockMs),
  maxSubagents: positiveInteger.max(1_000).default(defaults.maxSubagents),
  maxConcurrency: positiveInteger.max(1_000).optional(),
  join: joinSchema.prefault({}),
  tools: toolOptionsSchema.prefault({}),
  maxTurns: z.number().int().min(1).max(100).default(defaults.maxTurns),
  modelAttempts: z.number().int().min(1).max(20).default(defaults.modelAttempts),
});
/** What callers may write: everything but `question` and `runId` has a default. */
export type ResearchRequestInput = z.input<typeof researchRequestSchema>;
/** The same with every default filled in; what the workflow runs on. Durations are milliseconds. */
export type ResearchRequest = Readonly<z.infer<typeof researchRequestSchema>>;
