/** How each vendor is told to make at most one call at a time, and for which models that is always so. */
import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Vendor, VendorTarget } from '../vendor.ts';

/** Models that their vendor documents as an exception. */
const exceptions: readonly { readonly vendors: readonly Vendor[]; readonly model: RegExp; readonly source: string }[] =
  [
    {
      // May make the same call twice in one turn. The short name is an alias of the snapshot.
      vendors: ['openai', 'openai-chat'],
      model: /^(ft:)?gpt-4\.1-nano(-2025-04-14)?(:|$)/,
      source: 'https://platform.openai.com/docs/guides/function-calling#parallel-function-calling',
    },
  ];

/** Whether several calls in one reply may be asked for. */
export function mayCallInParallel({ vendor, modelId }: VendorTarget, wanted: boolean): boolean {
  return wanted && !exceptions.some((each) => each.vendors.includes(vendor) && each.model.test(modelId));
}

/** The switch in the words of the package (PROVIDERS §1); Gemini has none, and a caller has to expect several calls from anyone. */
export function toParallelOffOptions(vendor: Vendor): SharedV3ProviderOptions {
  switch (vendor) {
    case 'openai':
    case 'openai-chat':
      return { openai: { parallelToolCalls: false } };
    case 'anthropic':
      return { anthropic: { disableParallelToolUse: true } };
    case 'compatible':
      // Unknown keys are copied to the body as they are.
      return { compatible: { parallel_tool_calls: false } };
    case 'google':
      return {};
    default:
      return vendor satisfies never;
  }
}
