/** What is known of a cancel: what an activity saw of it, and what people are told of a subagent's and of a run's. */
import { z } from 'zod';
import { countSchema } from './budget.ts';
import { subagentIdSchema } from './ids.ts';

/**
 * The last of a cancelled activity's details. A socket counts while a request of that activity is in flight on it: one that
 * idles in a pool after its answer holds nothing that could be stopped.
 */
export const cancelProofSchema = z.object({
  /** ISO 8601, by the worker's clock, as is the other time. */
  abortedAt: z.string(),
  /** Closed since the abort; the operating system has let go of them. */
  socketsClosed: countSchema,
  /** Still open when the activity had waited long enough. */
  socketsOpen: countSchema,
  /** `null` where none was open at the abort. */
  lastSocketClosedAt: z.string().nullable(),
});
export type CancelProof = Readonly<z.infer<typeof cancelProofSchema>>;

const callSchema = z.object({ callId: z.string(), tool: z.string() });

/** Times are by the server's clock or brought between the events of the history that they lie between. */
const cancelTimesSchema = z.object({
  requestedAt: z.string(),
  /** When everything that was at work knew of it; `null`: not yet, or it never said so. */
  acknowledgedAt: z.string().nullable(),
  /** `null`: none was open, or none has closed. */
  lastSocketClosedAt: z.string().nullable(),
  /** Sockets that were still open when their activity was given up. */
  openSockets: countSchema,
  /** Paid for calls that ended after the request. */
  tokensAfter: countSchema,
  /** `true` where part of `tokensAfter` is a charge for something whose true usage is not known. */
  estimated: z.boolean(),
});

/** The cancel of one subagent. */
export const subagentCancelSchema = cancelTimesSchema.extend({
  /** Tool calls that ignored their abort signal and were let go. */
  mayStillRun: z.array(callSchema),
});
export type SubagentCancel = Readonly<z.infer<typeof subagentCancelSchema>>;

/** The cancel of a run: the latest times of all, and the sum of the tokens, its own calls among them. */
export const runCancelSchema = cancelTimesSchema.extend({
  /** Subagents that the request reached, and how many of them have ended. */
  subagents: countSchema,
  stopped: countSchema,
  /** When the run itself had ended. */
  stoppedAt: z.string().nullable(),
  mayStillRun: z.array(callSchema.extend({ subagentId: subagentIdSchema.nullable() })),
});
export type RunCancel = Readonly<z.infer<typeof runCancelSchema>>;
