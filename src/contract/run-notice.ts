/** What a run tells a command or a webhook: small plain JSON that holds no question, no report and no key. */
import { z } from 'zod';
import { approvalIdSchema } from './control.ts';
import { runIdSchema, subagentIdSchema } from './ids.ts';
import { onEventSchema } from './request.ts';
import { terminalRunStatusSchema } from './result.ts';
import { blockedStatuses } from './run-view.ts';

/** What a person is needed for. */
export const runNeedSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('plan') }),
  z.object({ kind: z.literal('approval'), approvalId: approvalIdSchema, subagentId: subagentIdSchema }),
  /** Of several subagents that wait, the first one; absent where the run itself, or a subtask not yet started, waits. */
  z.object({ kind: z.literal('budget'), subagentId: subagentIdSchema.optional() }),
]);
export type RunNeed = Readonly<z.infer<typeof runNeedSchema>>;

const common = {
  runId: runIdSchema,
  /** The run's title; `null` where it was given none, since the question is nobody's to pass on. */
  title: z.string().nullable(),
  /** 1 for the first notice of the run. One that arrives twice is one that was sent again. */
  ordinal: z.number().int().min(1),
  /** ISO 8601: when it happened. */
  at: z.string(),
};

export const runNoticeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run-needs-person'), ...common, status: z.enum(blockedStatuses), need: runNeedSchema }),
  /** A run that is terminated, or that the server ends, can tell nobody. */
  z.object({
    type: z.literal('run-ended'),
    ...common,
    status: terminalRunStatusSchema.extract(['completed', 'partial', 'failed', 'cancelled']),
  }),
]);
export type RunNotice = Readonly<z.infer<typeof runNoticeSchema>>;

export const notifyStepSchema = z.object({ onEvent: onEventSchema, notice: runNoticeSchema });
export type NotifyStep = Readonly<z.infer<typeof notifyStepSchema>>;
