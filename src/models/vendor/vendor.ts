/** The vendors' APIs that the adapter speaks, and where each is served. */
import { baseUrlVariables, keyVariables, type ModelVendor } from '../model-settings.ts';

/** `openai` is the Responses API, `openai-chat` Chat Completions of the same vendor, `compatible` any server that speaks it. */
export const vendors = ['openai', 'openai-chat', 'anthropic', 'google', 'compatible'] as const;
export type Vendor = (typeof vendors)[number];

type VendorFacts = {
  /** In messages for people. */
  readonly label: string;
  readonly payee: ModelVendor;
  /** `null`: there is no usual place. */
  readonly baseUrl: string | null;
};

export const vendorFacts: Readonly<Record<Vendor, VendorFacts>> = {
  openai: { label: 'OpenAI', payee: 'openai', baseUrl: 'https://api.openai.com/v1' },
  'openai-chat': { label: 'OpenAI', payee: 'openai', baseUrl: 'https://api.openai.com/v1' },
  anthropic: { label: 'Anthropic', payee: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' },
  google: { label: 'Gemini', payee: 'google', baseUrl: 'https://generativelanguage.googleapis.com/v1beta' },
  compatible: { label: 'the compatible server', payee: 'compatible', baseUrl: null },
};

/** One model at one address with one key: what every part of a call needs to know. */
export type VendorTarget = {
  readonly vendor: Vendor;
  readonly modelId: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** `null`: the server wants none. */
  readonly apiKey: string | null;
};

/**
 * The address to use. Clients of some vendors leave the version out of theirs, so an address of a vendor's API without any
 * path gets the usual one; that of a compatible server is taken as it is.
 */
export function resolveBaseUrl(vendor: Vendor, configured: string | null): string {
  const usual = vendorFacts[vendor].baseUrl;
  const given = configured ?? usual;
  if (given === null) throw new Error('a compatible server has no usual address: one must be given');
  const url = given.replace(/\/+$/, '');
  return usual !== null && new URL(url).pathname === '/' ? url + new URL(usual).pathname : url;
}

/** The variables to look at when the key is refused: `OPENAI_API_KEY`. */
export function keyVariablesOf(vendor: Vendor): string {
  return keyVariables[vendorFacts[vendor].payee].join(' or ');
}

export function baseUrlVariableOf(vendor: Vendor): string {
  return baseUrlVariables[vendorFacts[vendor].payee];
}
