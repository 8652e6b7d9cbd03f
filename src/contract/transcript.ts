/** A transcript is a chain of content-addressed messages in the store; a workflow holds only the head. */
import { z } from 'zod';
import { countSchema } from './budget.ts';

/** SHA-256 of the stored bytes, in hex. */
export const hashSchema = z.string().regex(/^[0-9a-f]{64}$/, 'wanted a SHA-256 in hex');

/** A blob in the store: what it is addressed by, and its size in bytes. */
export const blobRefSchema = z.object({ hash: hashSchema, bytes: countSchema });
export type BlobRef = Readonly<z.infer<typeof blobRefSchema>>;

/** One call that a model asked for. `callId` is ours: `t<turn>c<position>`, so it is the same on every replay. */
export const toolCallSchema = z.object({
  callId: z.string().regex(/^t\d+c\d+$/),
  name: z.string(),
  /** The arguments as an object; what could not be read as one is in `malformed` and is never executed. */
  arguments: z.record(z.string(), z.unknown()),
  malformed: z.string().optional(),
});
export type ToolCall = Readonly<z.infer<typeof toolCallSchema>>;

/** The answer to one call, in a message: the text itself, or the blob that holds it. */
export const toolResultSchema = z.object({
  callId: z.string(),
  name: z.string(),
  isError: z.boolean(),
  content: z.union([z.object({ text: z.string() }), z.object({ ref: blobRefSchema })]),
});
export type ToolResult = Readonly<z.infer<typeof toolResultSchema>>;

export const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), text: z.string() }),
  z.object({ role: z.literal('user'), text: z.string() }),
  z.object({
    role: z.literal('assistant'),
    text: z.string(),
    toolCalls: z.array(toolCallSchema),
    /** The provider's own parts, unchanged, to be sent back as they came. */
    provider: z.unknown().optional(),
  }),
  /** All results of one batch in one message, in the order of the calls. */
  z.object({ role: z.literal('tool'), results: z.array(toolResultSchema) }),
]);
export type Message = Readonly<z.infer<typeof messageSchema>>;

/** One link: it names the link before it, so its hash stands for the whole conversation up to here. */
export const transcriptLinkSchema = z.object({ parent: hashSchema.nullable(), message: messageSchema });
export type TranscriptLink = Readonly<z.infer<typeof transcriptLinkSchema>>;

/** The end of a chain, with what a reservation needs to know of it. */
export const transcriptHeadSchema = z.object({
  hash: hashSchema,
  messages: countSchema,
  /** UTF-8 bytes of all text up to here, results included. */
  bytes: countSchema,
  /** Tokens that the provider counted for the conversation up to here, its last answer included; 0 before the first. */
  knownTokens: countSchema,
});
export type TranscriptHead = Readonly<z.infer<typeof transcriptHeadSchema>>;
