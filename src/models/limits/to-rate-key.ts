/** The name of a bucket: it is stored and logged, so the key of the API is in it as a hash only. */
import { createHash } from 'node:crypto';
import type { ModelVendor } from '../model-settings.ts';

/** One bucket for each vendor, address, API key and family of models: what a provider counts together. */
export function toRateKey(parts: {
  readonly vendor: ModelVendor;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly family: string;
}): string {
  const { vendor, baseUrl, apiKey, family } = parts;
  const account = createHash('sha256')
    .update(JSON.stringify([vendor, baseUrl, apiKey]))
    .digest('hex')
    .slice(0, 16);
  return `${vendor} ${account} ${family}`;
}
