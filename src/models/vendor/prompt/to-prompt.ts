/** From our messages to the prompt of a provider package. */
import type { LanguageModelV3Prompt, LanguageModelV3ToolResultPart } from '@ai-sdk/provider';
import type { PromptMessage } from '../../model.ts';
import type { VendorTarget } from '../vendor.ts';
import { pairResults } from './pair-results.ts';
import { toAssistantParts } from './to-assistant-parts.ts';

type Result = Extract<PromptMessage, { role: 'tool' }>['results'][number];

/** Empty results are refused by some providers and read as a failure by some models (CASES B08). */
const noOutput = '(no output)';
const noErrorText = 'The call failed without a message.';

/**
 * System messages first, then the conversation. Messages in which nothing is left are dropped. Throws a plain error where
 * calls and results do not belong together.
 */
export function toPrompt(messages: readonly PromptMessage[], target: VendorTarget): LanguageModelV3Prompt {
  const system = messages.flatMap((message): LanguageModelV3Prompt =>
    message.role === 'system' && message.text.trim() !== '' ? [{ role: 'system', content: message.text }] : [],
  );
  // The name of a call on the wire is that in its message, whatever its result calls it.
  const wireNames = new Map<string, string>();
  const conversation = pairResults(messages).flatMap((message): LanguageModelV3Prompt => {
    switch (message.role) {
      case 'system':
        return [];
      case 'user':
        return message.text.trim() === '' ? [] : [{ role: 'user', content: [{ type: 'text', text: message.text }] }];
      case 'assistant': {
        const content = toAssistantParts(message, target);
        for (const part of content) if (part.type === 'tool-call') wireNames.set(part.toolCallId, part.toolName);
        return content.length === 0 ? [] : [{ role: 'assistant', content }];
      }
      case 'tool':
        return [{ role: 'tool', content: message.results.map((result) => toResultPart(result, wireNames)) }];
      default:
        return message satisfies never;
    }
  });
  return withoutHalfPairs([...system, ...conversation]);
}

/** An error is marked in the value itself: only Anthropic has a mark of its own (PROVIDERS §2). */
function toResultPart(result: Result, wireNames: ReadonlyMap<string, string>): LanguageModelV3ToolResultPart {
  const { callId, isError, text } = result;
  const isBlank = text.trim() === '';
  return {
    type: 'tool-result',
    toolCallId: callId,
    toolName: wireNames.get(callId)!,
    output: isError
      ? { type: 'error-json', value: { error: { message: isBlank ? noErrorText : text } } }
      : { type: 'text', value: isBlank ? noOutput : text },
  };
}

/** Providers refuse a body with half a surrogate pair in it, and would refuse it on every later turn (CASES B25). */
export function withoutHalfPairs<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (Array.isArray(value)) return value.map(withoutHalfPairs) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.toWellFormed(), withoutHalfPairs(each as unknown)]),
  ) as T;
}
