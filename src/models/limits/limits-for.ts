/** Which limit a model has, and with which other models it shares one. */
import type { RateLimit, RateLimits } from '../../contract/rate-limits.ts';
import { parseModelName } from '../vendor/parse-model-name.ts';
import { vendorFacts } from '../vendor/vendor.ts';

export type LimitFor = {
  /** What the file calls it; `null` = no limit is known. */
  readonly name: string | null;
  readonly limit: RateLimit;
  /** Models of one family and key draw on one bucket. */
  readonly family: string;
};

/**
 * The most specific entry wins: the model as it is named, its family, its vendor. Dated versions of a model are of its
 * family, unless the file names one. `openai-chat/` is another way to the models of `openai/`.
 *
 * @param model the name of a vendor's model, such as `openai/gpt-5-2025-08-07`
 */
export function limitsFor(model: string, limits: RateLimits): LimitFor | null {
  const parsed = parseModelName(model);
  if (!parsed) return null;
  const { vendor, modelId } = parsed;
  const { payee } = vendorFacts[vendor];
  const family = toFamily(modelId);
  const candidates = [`${payee}/${modelId}`, `${payee}/${family}`, payee];
  const name = candidates.find((each) => Object.hasOwn(limits, each)) ?? null;
  const isOwn = name === `${payee}/${modelId}`;
  return { name, limit: name === null ? {} : limits[name]!, family: isOwn ? modelId : family };
}

/** Without the date or the `latest` of a version: `gpt-5-2025-08-07`, `claude-sonnet-4-5-20250929`, `gemini-2.5-flash-001`. */
function toFamily(modelId: string): string {
  return modelId.replace(/-(\d{4}-\d{2}-\d{2}|\d{8}|latest|00\d)$/, '') || modelId;
}
