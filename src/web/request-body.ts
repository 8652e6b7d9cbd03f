/** Bodies of requests as they travel: the contract's own schemas, with no default filled in, so that what was left out stays out. */
import { z } from 'zod';
import {
  approvalIdSchema,
  addBudgetInputSchema,
  approvePlanInputSchema,
  decideApprovalInputSchema,
  finalizeInputSchema,
  revisePlanInputSchema,
  retrySubagentInputSchema,
} from '../contract/control.ts';
import { durationSchema } from '../contract/duration.ts';
import { rerunPointSchema, reuseSchema, subagentEditSchema } from '../contract/origin.ts';
import { researchRequestSchema } from '../contract/request.ts';
import type { ChangedInput, StartInput } from '../client/research-api.ts';

const name = z.string().trim().min(1).max(200);
const reason = finalizeInputSchema.shape.reason;
const request = researchRequestSchema.omit({ runId: true, origin: true }).shape;

/** Every field as the contract has it, optional, and absent where it is left out; so are those of the objects in it. */
function withoutDefaults(shape: Readonly<Record<string, z.core.$ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(shape).map(([field, schema]) => [field, toOptional(schema as z.ZodType, field)]),
  );
}

const partlyGiven = ['budget', 'join', 'tools', 'approvals'];

function toOptional(schema: z.ZodType, field: string): z.ZodType {
  const inner = unwrap(schema);
  const isPart = partlyGiven.includes(field) && inner instanceof z.ZodObject;
  return (isPart ? z.strictObject(withoutDefaults(inner.shape)) : inner).optional();
}

function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return isWrapped ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

/** `corpus` is the name of a configured folder; the contract's field is a path, and no request carries one. */
const fields = { ...withoutDefaults(request), corpus: name.optional() };

/** The request of a run: its id is the server's to choose, unless one is given. */
export const startBodySchema = z.strictObject({
  ...fields,
  question: request.question,
  runId: researchRequestSchema.shape.runId.optional(),
}) as unknown as z.ZodType<StartInput>;

const changedSchema = z.strictObject({
  ...fields,
  models: (unwrap(request.models) as z.ZodObject).partial().optional(),
}) as unknown as z.ZodType<ChangedInput>;
const changedBudgetSchema = (fields as Record<string, z.ZodType>).budget as z.ZodType<ChangedInput['budget']>;

export const retryBodySchema = z.strictObject({
  reuse: reuseSchema.optional(),
  budget: changedBudgetSchema,
  input: changedSchema.optional(),
});
export const rerunBodySchema = z.strictObject({
  from: rerunPointSchema,
  edit: subagentEditSchema.optional(),
  budget: changedBudgetSchema,
  input: changedSchema.optional(),
});

export const cancelBodySchema = z.strictObject({
  reason,
  /** Answer once everything has stopped, or after `timeoutMs`. */
  wait: z.boolean().optional(),
  timeoutMs: durationSchema.optional(),
});
export const retrySubagentBodySchema = retrySubagentInputSchema.pick({ budget: true });
export const finalizeBodySchema = z.strictObject({ reason });
export const terminateBodySchema = z.strictObject({ reason: z.string().trim().min(1).max(1_000) });
export const budgetBodySchema = addBudgetInputSchema.omit({ by: true });
export const approvePlanBodySchema = z.strictObject({
  edits: approvePlanInputSchema.shape.edits.unwrap().optional(),
});
export const revisePlanBodySchema = revisePlanInputSchema.omit({ by: true });
export const decisionBodySchema = decideApprovalInputSchema
  .omit({ id: true, by: true })
  .extend({ remember: z.enum(['never', 'run']).optional() });

export { approvalIdSchema };
