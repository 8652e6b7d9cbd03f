/** What a provider lets a key do, by provider (`anthropic`) or model (`openai/gpt-5`): the operator knows it, no API tells. */
import { z } from 'zod';

const perMinute = z.number().int().min(1).max(1_000_000_000_000).optional();

/** In any minute; the one that is left out is not limited. */
export const rateLimitSchema = z
  .strictObject({
    /** Requests. */
    rpm: perMinute,
    /** Tokens, input and output together. */
    tpm: perMinute,
    /** Requests of one tenant. */
    tenantRpm: perMinute,
  })
  .refine(
    (limit) => Object.values(limit).some((value) => value !== undefined),
    'wanted at least one of "rpm", "tpm", "tenantRpm"',
  );
export type RateLimit = Readonly<z.infer<typeof rateLimitSchema>>;

/** A vendor, or a vendor and its name of a model. The limits of `openai-chat/` models are those of `openai`. */
export const rateLimitNameSchema = z
  .string()
  .max(300)
  .regex(
    /^(openai|anthropic|google|compatible)(\/[^\s\p{C}]+)?$/u,
    'wanted openai, anthropic, google or compatible, alone or with "/" and the name of a model',
  );

export const rateLimitsSchema = z.record(rateLimitNameSchema, rateLimitSchema);
export type RateLimits = Readonly<Record<string, RateLimit>>;
