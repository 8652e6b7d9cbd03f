/** Everything that is asked of a provider package in one call, but for the signal. */
import type { LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { ToolDescription } from '../../../contract/tool.ts';
import { toWireName } from '../../../domain/wire-name.ts';
import type { ModelRequest, PromptMessage } from '../../model.ts';
import type { Vendor, VendorTarget } from '../vendor.ts';
import { mayCallInParallel, toParallelOffOptions } from './parallel-switch.ts';
import { toPrompt, withoutHalfPairs } from './to-prompt.ts';
import { toWireSchema } from './to-wire-schema.ts';

/** Throws a plain error where the messages are no conversation; see `toPrompt`. */
export function toCallOptions(request: ModelRequest, target: VendorTarget): LanguageModelV3CallOptions {
  const { vendor } = target;
  const offered = request.tools.map((tool) => toTool(tool, vendor));
  const tools = offered.length > 0 ? offered : namesOfHistory(request.messages, vendor);
  const mayCall = request.toolChoice === 'auto' && offered.length > 0;
  const oneAtATime = mayCall && !mayCallInParallel(target, request.parallelToolCalls);
  const off = oneAtATime ? toParallelOffOptions(vendor) : {};
  return {
    prompt: toPrompt(request.messages, target),
    maxOutputTokens: request.maxOutputTokens,
    ...(tools.length > 0 && { tools, toolChoice: { type: mayCall ? 'auto' : 'none' } }),
    // Nothing is kept at the vendor: reasoning comes back encrypted, and goes along with the next request.
    providerOptions: vendor === 'openai' ? { openai: { ...off.openai, store: false } } : off,
  };
}

function toTool(tool: ToolDescription, vendor: Vendor): LanguageModelV3FunctionTool {
  return withoutHalfPairs({
    type: 'function',
    name: toWireName(tool.name),
    description: tool.description,
    inputSchema: toWireSchema(tool.inputSchema, vendor),
    ...strictOff(vendor),
  });
}

/** Responses takes a missing `strict` for true and makes optional fields mandatory (PROVIDERS §3). */
function strictOff(vendor: Vendor): { strict?: boolean } {
  return vendor === 'anthropic' || vendor === 'google' ? {} : { strict: false };
}

/** Anthropic refuses a history with calls where no tools are named, also those that a model only made up. */
function namesOfHistory(messages: readonly PromptMessage[], vendor: Vendor): LanguageModelV3FunctionTool[] {
  const names = messages.flatMap((message) =>
    message.role === 'assistant' ? message.toolCalls.map(({ name }) => toWireName(name)) : [],
  );
  return [...new Set(names)].map((name) => ({
    type: 'function',
    name,
    description: 'Not available.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    ...strictOff(vendor),
  }));
}
