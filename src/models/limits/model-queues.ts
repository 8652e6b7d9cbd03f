/** The task queue of each provider and key: what runs on it shares one limit of requests a minute in the server. */
import { createHash } from 'node:crypto';
import type { RateLimit, RateLimits } from '../../contract/rate-limits.ts';
import { modelVendors, type ModelSettings, type ModelVendor } from '../model-settings.ts';
import { parseModelName } from '../vendor/parse-model-name.ts';
import { resolveBaseUrl, vendorFacts } from '../vendor/vendor.ts';
import { limitsFor } from './limits-for.ts';

export type ModelQueue = {
  readonly taskQueue: string;
  /** The entry of the limits that holds for the whole queue: a provider, or a model with a limit of its own. */
  readonly limitName: string;
  /** `null` where nobody knows the limit. */
  readonly limit: RateLimit | null;
};

/** Every queue that a worker with these settings polls: one a key, and one for each model of it with a limit of its own. */
export function listModelQueues(settings: ModelSettings, limits: RateLimits): readonly ModelQueue[] {
  return modelVendors.flatMap((payee) => {
    const base = toKeyQueue(payee, settings);
    if (base === null) return [];
    const ofModels = Object.entries(limits)
      .filter(([name, limit]) => name.startsWith(`${payee}/`) && hasRequestLimit(limit))
      .map(([name, limit]) => ({ taskQueue: base + name.slice(payee.length), limitName: name, limit }));
    return [{ taskQueue: base, limitName: payee, limit: limits[payee] ?? null }, ...ofModels];
  });
}

/**
 * Where the calls of a model are put; `null` = the run's own queue: a model without a provider, or one at an address that
 * the run names and the worker is not configured with.
 */
export function findModelQueue(
  choice: { readonly model: string; readonly baseUrl?: string | undefined },
  settings: ModelSettings,
  limits: RateLimits,
): string | null {
  const parsed = parseModelName(choice.model);
  if (!parsed) return null;
  const { payee } = vendorFacts[parsed.vendor];
  const own = settings.baseUrls.compatible;
  const isElsewhere = payee === 'compatible' && choice.baseUrl !== undefined && !isSameAddress(choice.baseUrl, own);
  const base = isElsewhere ? null : toKeyQueue(payee, settings);
  if (base === null) return null;
  const { name, limit } = limitsFor(choice.model, limits)!;
  return name !== null && name !== payee && hasRequestLimit(limit) ? base + name.slice(payee.length) : base;
}

function isSameAddress(asked: string, own: string | null): boolean {
  return own !== null && resolveBaseUrl('compatible', asked) === resolveBaseUrl('compatible', own);
}

/** The queue that carries an entry of the limits; `null` where these settings cannot call its provider. */
export function findLimitQueue(limitName: string, settings: ModelSettings): string | null {
  const payee = modelVendors.find((each) => limitName === each || limitName.startsWith(`${each}/`));
  const base = payee ? toKeyQueue(payee, settings) : null;
  return base === null ? null : base + limitName.slice(payee!.length);
}

/** Tokens a minute are no business of a queue. */
function hasRequestLimit({ rpm, tenantRpm }: RateLimit): boolean {
  return rpm !== undefined || tenantRpm !== undefined;
}

/** `null` where this provider cannot be called with these settings. The name tells keys apart and gives none away. */
function toKeyQueue(payee: ModelVendor, { keys, baseUrls }: ModelSettings): string | null {
  const key = keys[payee];
  if (payee === 'compatible' ? baseUrls.compatible === null : key === null) return null;
  const hash = createHash('sha256')
    .update(JSON.stringify([key, resolveBaseUrl(payee, baseUrls[payee])]))
    .digest('hex')
    .slice(0, 8);
  return `tributary-model-${payee}-${key === null ? `nokey-${hash}` : hash}`;
}
