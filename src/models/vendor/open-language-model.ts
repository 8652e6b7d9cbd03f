/** The model of a provider package behind our own fetch. Everything is given, so that no package looks into the environment. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { VendorTarget } from './vendor.ts';

export function openLanguageModel(target: VendorTarget, fetch: typeof globalThis.fetch): LanguageModelV3 {
  const { vendor, modelId, baseUrl: baseURL } = target;
  // An empty key is still one that was given: only `undefined` makes a package search for another.
  const apiKey = target.apiKey ?? '';
  switch (vendor) {
    case 'openai':
      return createOpenAI({ baseURL, apiKey, fetch }).responses(modelId);
    case 'openai-chat':
      return createOpenAI({ baseURL, apiKey, fetch }).chat(modelId);
    case 'anthropic':
      return createAnthropic({ baseURL, apiKey, fetch })(modelId);
    case 'google':
      return createGoogleGenerativeAI({ baseURL, apiKey, fetch })(modelId);
    case 'compatible':
      return createOpenAICompatible({ name: 'compatible', baseURL, apiKey, fetch }).chatModel(modelId);
    default:
      return vendor satisfies never;
  }
}
