/** What a run is asked to do: one schema for the CLI, the client and a workflow started by hand. Parsing is idempotent. */
import { z } from 'zod';
import { approvalRuleSchema } from './control.ts';
import { defaults } from './defaults.ts';
import { durationSchema } from './duration.ts';
import { runIdSchema } from './ids.ts';
import { maxGoalChars } from './plan.ts';
import { originSchema } from './origin.ts';
import { modelPriceSchema } from './price.ts';
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

/** `scripted:FILE`, `extractive`, or `<vendor>/<model>`; which vendors there are is the workers' to know. */
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
  /** Numbered drafts of the report as outcomes arrive; the last one is there if everything else is cancelled. */
  progressive: z.boolean().default(false),
});
export type JoinOptions = Readonly<z.infer<typeof joinSchema>>;

/** Where a `compatible/` model is served. Keys have no place in it: addresses stand in histories. */
export const baseUrlSchema = z
  .url({ protocol: /^https?$/, error: 'wanted an http or https address such as http://127.0.0.1:11434/v1' })
  .max(2_000)
  .refine(
    (value) => !/[?#]|^\w+:\/\/[^/]*@/.test(value),
    'wanted an address without user, password, query and fragment',
  );

const argument = z
  .string()
  .max(4_096)
  .refine((value) => !value.includes('\0'), 'wanted text without NUL');

/**
 * What a run calls when it needs a person, and when it ends. A command is an argument list, never a line for a shell. Both
 * stand in the history of the run, so neither is a place for a key.
 */
export const onEventSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('webhook'), url: baseUrlSchema }),
  z.strictObject({
    kind: z.literal('command'),
    command: z
      .array(argument)
      .min(1)
      .max(100)
      .refine(([program]) => program?.trim() !== '', 'wanted a program as the first word'),
  }),
]);
export type OnEvent = Readonly<z.infer<typeof onEventSchema>>;

const domainName = z
  .string()
  .toLowerCase()
  .max(253)
  .regex(/^(?=.)(?:[a-z0-9-]+\.)*[a-z0-9-]+$/, 'wanted a domain name such as example.org');
const sites = z.array(domainName).max(100).default([]);

/** What the web tools of a run may reach. A site covers its subdomains; no sites = any; blocked ones win. */
export const webPolicySchema = z.strictObject({ sites, blockedSites: sites });
export type WebPolicy = Readonly<z.infer<typeof webPolicySchema>>;

/** Becomes the fairness key of the run's model calls, which the server keeps to 64 bytes. */
export const tenantSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9._-]+$/, 'wanted a name of letters, digits, ".", "_" and "-"');

export const budgetOptionsSchema = z.strictObject({
  /** USD; absent = no limit. Needs a known price for every model of the run. */
  usd: z.number().positive().max(1_000_000).optional(),
  tokens: positiveInteger.default(defaults.budgetTokens),
  toolCalls: positiveInteger.default(defaults.budgetToolCalls),
  wallClock: durationSchema.default(defaults.budgetWallClockMs),
  /** When nothing is left: wait for more, write the report from what is there, or fail. */
  onExhausted: z.enum(['pause', 'finalize', 'fail']).default(defaults.onExhausted),
  /** Share of the tokens that is kept for the report. */
  synthesisReserve: z.number().min(0).max(0.9).default(defaults.synthesisReserve),
});

/** Which calls of tools that ask first are asked for, and for how long. */
export const approvalOptionsSchema = z.strictObject({
  /** `deny`: a call that no rule allows is answered as denied at once. */
  default: z.enum(['ask', 'deny']).default(defaults.approvals),
  allow: z.array(approvalRuleSchema).max(100).default([]),
});

export const researchRequestSchema = z.strictObject({
  runId: runIdSchema,
  question: text(maxQuestionChars),
  instructions: text(maxQuestionChars).optional(),
  title: text(200).optional(),
  tags: z.array(text(100)).max(20).default([]),
  /** Who it is for: tenants take turns where a limit makes calls wait. */
  tenant: tenantSchema.optional(),
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
  /** Offers `web_fetch` and, where a search service is configured, `web_search`. */
  web: webPolicySchema.optional(),
  /** Names of the tools that are offered; absent = all that the run has. */
  offeredTools: z.array(text(200)).min(1).max(100).optional(),
  models: z
    .strictObject({ planner: modelNameSchema, subagent: modelNameSchema, synthesis: modelNameSchema })
    .default({ planner: defaults.model, subagent: defaults.model, synthesis: defaults.model }),
  /** For `compatible/` models; absent = what the worker is configured with. */
  baseUrl: baseUrlSchema.optional(),
  /** Prices by model name; they win over the catalogue. */
  prices: z.record(modelNameSchema, modelPriceSchema).default({}),
  budget: budgetOptionsSchema.prefault({}),
  /** Tokens of one subagent; absent = an equal share of what remains after the reserves. */
  subagentTokens: positiveInteger.optional(),
  subagentWallClock: durationSchema.default(defaults.subagentWallClockMs),
  maxSubagents: positiveInteger.max(1_000).default(defaults.maxSubagents),
  /** Levels of subagents; above 1 those over the last level may fan out themselves. */
  maxDepth: z.number().int().min(1).max(3).default(defaults.maxDepth),
  maxConcurrency: positiveInteger.max(1_000).optional(),
  join: joinSchema.prefault({}),
  /** `review`: the plan waits for a person before a subagent starts. */
  plan: z.enum(['auto', 'review']).default(defaults.plan),
  approvals: approvalOptionsSchema.prefault({}),
  /** How long the run waits for a person: to approve a plan or a call, or to raise a budget. */
  personTimeout: durationSchema.default(defaults.personTimeoutMs),
  /** Absent = nobody is told. */
  onEvent: onEventSchema.optional(),
  tools: toolOptionsSchema.prefault({}),
  maxTurns: z.number().int().min(1).max(100).default(defaults.maxTurns),
  /** Tokens of one reply, reasoning included. */
  maxOutputTokens: z.number().int().min(256).max(200_000).default(defaults.maxOutputTokens),
  modelAttempts: z.number().int().min(1).max(20).default(defaults.modelAttempts),
  /** Whose work it takes over, by a retry or a rerun; absent = it begins with nothing. */
  origin: originSchema.optional(),
});
/** What callers may write: everything but `question` and `runId` has a default. */
export type ResearchRequestInput = z.input<typeof researchRequestSchema>;
/** The same with every default filled in; what the workflow runs on. Durations are milliseconds. */
export type ResearchRequest = Readonly<z.infer<typeof researchRequestSchema>>;
