/** One model call as data: what is asked and what comes back. Adapters and the models without a vendor share it. */
import { z } from 'zod';
import { countSchema } from './budget.ts';
import { outcomeReasonSchema, outcomeStatusSchema, subagentReportSchema } from './outcome.ts';
import { subagentIdSchema } from './ids.ts';

/** A document of the corpus as a planner sees it. */
export const outlineEntrySchema = z.object({
  url: z.string(),
  title: z.string(),
  headings: z.array(z.string()),
  score: z.number(),
});
export type OutlineEntry = Readonly<z.infer<typeof outlineEntrySchema>>;

/** One subagent's share in what the synthesizer sees. Claims are cited as `[<claimId>]`. */
export const synthesisInputSchema = z.object({
  id: subagentIdSchema,
  goal: z.string(),
  status: outcomeStatusSchema,
  reason: outcomeReasonSchema.optional(),
  report: subagentReportSchema.nullable(),
  /** Id of each claim, in the order of `report.claims`: `s1.2` is the second claim of `s1`. */
  claimIds: z.array(z.string()),
});
export type SynthesisInput = Readonly<z.infer<typeof synthesisInputSchema>>;

/** What the call is for. The messages say the same in words; models without language read this. */
export type ModelTask =
  | {
      readonly kind: 'plan';
      readonly question: string;
      readonly maxSubagents: number;
      readonly outline: readonly OutlineEntry[];
      /** 1 for the first time of asking; more when an earlier plan could not be read. */
      readonly attempt: number;
    }
  | {
      readonly kind: 'research';
      readonly subagentId: string;
      readonly question: string;
      readonly goal: string;
      /** 1 for the first model call of the subagent. */
      readonly turn: number;
      /** No tools are offered: hand back what is there. */
      readonly handBack: boolean;
    }
  | {
      readonly kind: 'synthesize';
      readonly question: string;
      readonly inputs: readonly SynthesisInput[];
      /** Titles by source id, for those that claims name. */
      readonly titles: Readonly<Record<string, string>>;
    };

/** Why the model stopped. Decided from the content first: a reply with calls is `tool-calls` whatever the vendor says. */
export const finishReasons = [
  'stop',
  'tool-calls',
  'length',
  'refusal',
  'content-filter',
  'context-exceeded',
  'pause',
  /** The call that the model made cannot be read, by the provider's own word; nothing of it arrived. */
  'malformed-call',
  'error',
  'unknown',
] as const;
export const finishReasonSchema = z.enum(finishReasons);
export type FinishReason = z.infer<typeof finishReasonSchema>;

/** As every vendor's numbers are brought to one meaning (PROVIDERS §4): caches are inside the input, reasoning inside the output. */
export const modelUsageSchema = z.object({
  inputTokens: countSchema,
  outputTokens: countSchema,
  cacheReadTokens: countSchema.optional(),
  cacheWriteTokens: countSchema.optional(),
  reasoningTokens: countSchema.optional(),
});
export type ModelUsage = Readonly<z.infer<typeof modelUsageSchema>>;

/** What one model call brought back. `usage: null` = not stated or not to be believed, to be charged at the reservation. */
export type ModelReply = {
  readonly text: string;
  /** In the order of the reply. Arguments as they came: a JSON text of the provider, or an object. */
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finish: FinishReason;
  /** The vendor's own word for the stop, for people. */
  readonly rawFinish?: string;
  readonly usage: ModelUsage | null;
  /** The provider's parts (reasoning, signatures), plain JSON, to be sent back unchanged. */
  readonly provider?: unknown;
  /** What the adapter had to leave out or the provider changed, for the log. Never holds text of the conversation. */
  readonly warnings?: readonly string[];
};
