/** What a worker is configured with to reach the models of vendors. Keys stay in the worker: no request and no history holds one. */

/** Who is paid: models of one vendor share a key. */
export const modelVendors = ['openai', 'anthropic', 'google', 'compatible'] as const;
export type ModelVendor = (typeof modelVendors)[number];

export type ModelSettings = {
  readonly keys: Readonly<Record<ModelVendor, string | null>>;
  /** Where they are served; `null` = the vendor's own address, and none for `compatible`. */
  readonly baseUrls: Readonly<Record<ModelVendor, string | null>>;
  /** The proxy for an address, by the usual variables; `null` = none. */
  readonly proxyFor: (url: string) => string | null;
};

/** The variables that hold the keys, the first one that is set wins. */
export const keyVariables: Readonly<Record<ModelVendor, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  compatible: ['TRIBUTARY_API_KEY'],
};

export const baseUrlVariables: Readonly<Record<ModelVendor, string>> = {
  openai: 'OPENAI_BASE_URL',
  anthropic: 'ANTHROPIC_BASE_URL',
  google: 'GOOGLE_GEMINI_BASE_URL',
  compatible: 'TRIBUTARY_BASE_URL',
};
