/** What models cost: the run's own price first, then an offline catalogue. Nobody's price is guessed. */
import { calcPrice, type ModelPrice as CataloguePrice } from '@pydantic/genai-prices';
import type { ModelUsage } from '../../contract/model.ts';
import type { ModelPrice, Rates } from '../../contract/price.ts';
import { toRates } from '../../domain/money.ts';
import { parseModelName } from '../vendor/parse-model-name.ts';

type Choice = { readonly model: string; readonly price?: ModelPrice | undefined };

const free: ModelPrice = { input: 0, output: 0 };
const perMillion = 1_000_000;
/** Names of the catalogue for the vendors that it knows. A server of one's own is not the vendor whose model it serves. */
const providerIds: Readonly<Record<string, string>> = {
  openai: 'openai',
  'openai-chat': 'openai',
  anthropic: 'anthropic',
  google: 'google',
};
const rateOf = new Map<string, Rates | null>();

/**
 * The most that a token of each kind can cost, over all tiers, caches and dated prices; `null` where nobody knows the
 * price. For every usage it is at least what `priceUsage` says.
 */
export function ratesOf(choice: Choice): Rates | null {
  const own = ownPrice(choice);
  if (own) return toRates(own);
  const known = rateOf.get(choice.model);
  if (known !== undefined) return known;
  const rates = readRates(choice.model);
  rateOf.set(choice.model, rates);
  return rates;
}

/** USD for what one call used, at today's prices; `null` where nobody knows the price. Never negative, never `NaN`. */
export function priceUsage(choice: Choice, usage: ModelUsage): number | null {
  const own = ownPrice(choice);
  const cache = readCache(usage);
  if (own) {
    const { input, output, cacheRead = input, cacheWrite = input } = own;
    const fresh = usage.inputTokens - cache.read - cache.write;
    const sum = fresh * input + cache.read * cacheRead + cache.write * cacheWrite + usage.outputTokens * output;
    return sum / perMillion;
  }
  if (!ratesOf(choice)) return null;
  const found = lookUp(choice.model, {
    input_tokens: usage.inputTokens,
    cache_read_tokens: cache.read,
    cache_write_tokens: cache.write,
    output_tokens: usage.outputTokens,
  });
  const usd = found?.total_price ?? null;
  return usd !== null && Number.isFinite(usd) && usd >= 0 ? usd : null;
}

/** Models without a vendor cost nothing, unless the run gives them a price (to try out a budget). */
function ownPrice({ model, price }: Choice): ModelPrice | null {
  if (price) return price;
  return model === 'extractive' || model.startsWith('scripted:') ? free : null;
}

/** Parts of the input; numbers that cannot be true count as no cache at all, which costs more. */
function readCache({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: ModelUsage) {
  const isTrue = cacheReadTokens + cacheWriteTokens <= inputTokens;
  return isTrue ? { read: cacheReadTokens, write: cacheWriteTokens } : { read: 0, write: 0 };
}

function lookUp(model: string, usage: Record<string, number>) {
  const parsed = parseModelName(model);
  const providerId = parsed && providerIds[parsed.vendor];
  return parsed && providerId !== undefined && providerId !== null
    ? calcPrice(usage, parsed.modelId, { providerId })
    : null;
}

function readRates(model: string): Rates | null {
  const found = lookUp(model, { input_tokens: 1, output_tokens: 1 });
  if (!found) return null;
  const { prices } = found.model;
  const all = Array.isArray(prices) ? prices.map((each) => each.prices) : [prices];
  // Priced by something else (hours, images), or not at all: for text that is no price, and least of all 0.
  if (all.some(({ input_mtok, output_mtok }) => input_mtok === undefined || output_mtok === undefined)) return null;
  const most = (keys: readonly string[]) => Math.max(...all.map((each) => dearest(each, keys)));
  return { input: most(['input_mtok', 'cache_read_mtok', 'cache_write_mtok']), output: most(['output_mtok']) };
}

function dearest(price: CataloguePrice, keys: readonly string[]): number {
  const values = keys.flatMap((key) => {
    const value = price[key];
    if (value === undefined) return [];
    return typeof value === 'number' ? [value] : [value.base, ...value.tiers.map((tier) => tier.price)];
  });
  return Math.max(0, ...values);
}
