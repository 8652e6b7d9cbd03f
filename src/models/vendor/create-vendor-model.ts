/**
 * A model of a vendor behind the port: one adapter over the provider packages, below everything in them that retries,
 * loops or looks into the environment. What fails comes out as one of our codes, without a word of the prompt or the key.
 */
import type { LanguageModelV3CallOptions, LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import { TributaryError } from '../../contract/failure.ts';
import type { Model } from '../model.ts';
import { countTokens } from './count-tokens.ts';
import { openLanguageModel } from './open-language-model.ts';
import { toCallOptions } from './prompt/to-call-options.ts';
import { toReply } from './reply/to-reply.ts';
import { keyVariablesOf, resolveBaseUrl, vendorFacts, type Vendor, type VendorTarget } from './vendor.ts';
import { badResponse, createGuardedFetch, type Door } from './wire/guarded-fetch.ts';

export type VendorModelSettings = {
  /** As the user named it. */
  readonly name: string;
  readonly vendor: Vendor;
  readonly modelId: string;
  /** `null` = the vendor's own address. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  /** The proxy for an address; `null` = none. */
  readonly proxyFor: (url: string) => string | null;
  /** For the times in answers; the process's clock by default. */
  readonly now?: () => number;
};

/**
 * Opens nothing and sends nothing yet. Besides what the port says, `call` and `countTokens` reject with a plain `Error`
 * where calls and results of the messages do not belong together, before anything is sent.
 */
export function createVendorModel(settings: VendorModelSettings): Model {
  const { vendor, modelId, apiKey } = settings;
  const target: VendorTarget = { vendor, modelId, apiKey, baseUrl: resolveBaseUrl(vendor, settings.baseUrl) };
  const door: Door = { proxyFor: settings.proxyFor, now: settings.now ?? Date.now };
  return {
    name: settings.name,
    countTokens: async (request, { signal }) => countTokens(toCallOptions(request, target), target, door, signal),
    async call(request, { signal, onRequest }) {
      signal.throwIfAborted();
      requireKey(target);
      const options = toCallOptions(request, target);
      const toolNames = request.tools.map(({ name }) => name);
      const guard = createGuardedFetch(target, door, { signal, onRequest });
      try {
        return toReply(await generate(target, guard.fetch, { ...options, abortSignal: signal }), target, toolNames);
      } catch (error) {
        // Packages wrap what they catch, and put the whole prompt beside it.
        if (signal.aborted) throw signal.reason;
        const failure = guard.failure();
        if (failure) throw failure.error;
        throw toPackageFailure(error, guard.sent(), target);
      }
    },
  };
}

async function generate(
  target: VendorTarget,
  fetch: typeof globalThis.fetch,
  options: LanguageModelV3CallOptions,
): Promise<LanguageModelV3GenerateResult> {
  return openLanguageModel(target, fetch).doGenerate(options);
}

/** A key that no header can carry would be quoted in the error of whoever tries. */
function requireKey({ vendor, apiKey }: VendorTarget): void {
  if (apiKey === null && vendor === 'compatible') return;
  if (apiKey !== null && /^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new TributaryError(
    'MODEL_AUTH',
    `${vendorFacts[vendor].label}: wanted a key of printable characters without spaces; check ${keyVariablesOf(vendor)}`,
  );
}

/** What a package throws by itself: before a request, that it cannot be made; after one, that its answer has another shape. */
function toPackageFailure(error: unknown, wasSent: boolean, target: VendorTarget): TributaryError {
  if (wasSent) return badResponse(target, 'answered in a shape that is not the one of its API');
  const { name } = error as { name?: unknown };
  const kind = typeof name === 'string' && /^[A-Za-z_]{1,60}$/.test(name) ? ` (${name})` : '';
  return new TributaryError(
    'MODEL_BAD_REQUEST',
    `the request for model "${target.modelId}" could not be put in the words of ${vendorFacts[target.vendor].label}${kind}`,
  );
}
