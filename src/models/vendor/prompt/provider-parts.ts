/** The parts of a reply as a provider package made them: what a transcript keeps, and what goes back to the same model unchanged. */
import type { LanguageModelV3Content } from '@ai-sdk/provider';
import type { VendorTarget } from '../vendor.ts';

export type ProviderParts = {
  readonly api: VendorTarget['vendor'];
  readonly modelId: string;
  readonly content: readonly LanguageModelV3Content[];
};

/** The parts that a message keeps, where they come from this very model: signatures mean nothing to another one. */
export function readProviderParts(stored: unknown, target: VendorTarget): ProviderParts['content'] | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { api, modelId, content } = stored as Partial<Record<keyof ProviderParts, unknown>>;
  if (api !== target.vendor || modelId !== target.modelId || !Array.isArray(content)) return null;
  return content as ProviderParts['content'];
}

/** A call that we are to execute; those that a provider executes by itself are parts like any other. */
export function isOwnCall(
  part: LanguageModelV3Content,
): part is Extract<LanguageModelV3Content, { type: 'tool-call' }> {
  return part.type === 'tool-call' && part.providerExecuted !== true;
}
