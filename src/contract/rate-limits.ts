/** What a provider allows in a minute, as the user states it: by vendor (`anthropic`) or by model (`openai/gpt-5`). */
import { z } from 'zod';

const perMinute = z.number().int().min(1).max(1_000_000_000_000).optional();

/** Requests and tokens that may be used in any minute; the one that is left out is not limited. */
export const rateLimitSchema = z
  .strictObject({ rpm: perMinute, tpm: perMinute })
  .refine(({ rpm, tpm }) => rpm !== undefined || tpm !== undefined, 'wanted "rpm", "tpm" or both');
export type RateLimit = Readonly<z.infer<typeof rateLimitSchema>>;

/** A vendor, or a vendor and its name of a model. */
export const rateLimitNameSchema = z
  .string()
  .regex(
    /^(openai|openai-chat|anthropic|google|compatible)(\/[^\s\p{C}]+)?$/u,
    'wanted openai, openai-chat, anthropic, google or compatible, alone or with "/" and the name of a model',
  );

export const rateLimitsSchema = z.record(rateLimitNameSchema, rateLimitSchema);
export type RateLimits = Readonly<Record<string, RateLimit>>;
