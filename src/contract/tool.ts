/** Tools as data: what a model is told of one, and how a run executes a batch of calls. */
import { z } from 'zod';
import { defaults } from './defaults.ts';
import { durationSchema } from './duration.ts';

/** `read` may be repeated and run beside others; `write` changes something and runs alone. */
export const toolEffectSchema = z.enum(['read', 'write']);
export type ToolEffect = z.infer<typeof toolEffectSchema>;

/** What a workflow must know of a tool to plan a batch. It stands in histories, so it is small. */
export const toolTraitsSchema = z.object({
  /** As the user knows it; vendors that refuse some characters get a name of their own for it. */
  name: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\s\p{C}]+$/u, 'wanted a name without spaces and control characters'),
  effect: toolEffectSchema,
  /** Holds state between calls (a browser, a screen): always in call order, stops at the first failure. */
  session: z.boolean(),
  /** A write that may be repeated under the same idempotency key. */
  idempotent: z.boolean(),
  /** A person decides on each call, unless the run allows it beforehand. */
  asksFirst: z.boolean().optional(),
});
export type ToolTraits = Readonly<z.infer<typeof toolTraitsSchema>>;

/** What a model is told of a tool. */
export type ToolDescription = ToolTraits & {
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
};

/** The tool by which a subagent fans out itself. */
export const delegateToolName = 'delegate';

/** How a subagent may fan out: levels of subagents below the run, and subtasks over all its calls of `delegate`. */
export const delegationSchema = z.object({
  maxDepth: z.number().int().min(1).max(3),
  maxSubtasks: z.number().int().min(1),
  /** Of one call at once; absent = all. */
  maxConcurrency: z.number().int().min(1).optional(),
});
export type Delegation = Readonly<z.infer<typeof delegationSchema>>;

export const toolPolicySchema = z.enum(['parallel', 'bounded', 'sequential', 'serialize-writes']);
export type ToolPolicy = z.infer<typeof toolPolicySchema>;

/** How one run executes the tool calls of a turn. */
export const toolOptionsSchema = z
  .strictObject({
    policy: toolPolicySchema.default(defaults.toolPolicy),
    /** Calls of one batch in flight at once; absent = unbounded. Two batches never share permits. */
    maxConcurrency: z.number().int().min(1).optional(),
    maxToolCallsPerTurn: z.number().int().min(1).max(1_000).default(defaults.maxToolCallsPerTurn),
    overflow: z.enum(['batches', 'reject']).default(defaults.overflow),
    onFailure: z.enum(['collect', 'cancel-siblings']).default(defaults.onToolFailure),
    /** With `sequential`: the calls after a failed one are answered as skipped. */
    stopOnFailure: z.boolean().default(false),
    /** Off: the providers' own switch where there is one; of several calls the first runs and the others are sent back (R1.7). */
    parallelToolCalls: z.boolean().default(defaults.parallelToolCalls),
    /** A line in the system prompt that asks for all independent calls at once. */
    encourageBatching: z.boolean().default(defaults.encourageBatching),
    /** Characters of one result that a model gets; what is longer is cut, with a note. */
    maxOutputChars: z.number().int().min(200).max(400_000).default(defaults.toolOutputChars),
    callDeadline: durationSchema.default(defaults.toolDeadlineMs),
    batchDeadline: durationSchema.optional(),
  })
  .superRefine((options, context) => {
    if (options.policy === 'bounded' && options.maxConcurrency === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['maxConcurrency'],
        input: undefined,
        message: 'wanted a whole number of at least 1, since the policy is "bounded"',
      });
    }
  });
export type ToolOptions = Readonly<z.infer<typeof toolOptionsSchema>>;
