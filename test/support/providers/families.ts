/** The families of model APIs that there are stand-ins for. */
import { anthropicApi } from './anthropic-api.ts';
import { geminiApi } from './gemini-api.ts';
import { compatibleApi, openAiChatApi } from './openai-chat-api.ts';
import { openAiResponsesApi } from './openai-responses-api.ts';
import type { ProviderApi } from './provider-api.ts';

export const families = ['openai', 'openai-chat', 'anthropic', 'google', 'compatible'] as const;
export type Family = (typeof families)[number];

export const apis: Readonly<Record<Family, ProviderApi>> = {
  openai: openAiResponsesApi,
  'openai-chat': openAiChatApi,
  anthropic: anthropicApi,
  google: geminiApi,
  compatible: compatibleApi,
};

/** A model id that the provider packages know as one that reasons, where that makes a difference. */
export const modelIds: Readonly<Record<Family, string>> = {
  openai: 'gpt-5',
  'openai-chat': 'gpt-4.1',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  compatible: 'llama3.1:8b',
};
