/** Tokens of the model without a vendor: ⌈UTF-8 bytes / 4⌉ of what would be sent. */
import type { ModelRequest, PromptMessage } from '../model.ts';

/** ⌈UTF-8 bytes / 4⌉ (REQUIREMENTS, "One token"). */
export function countTextTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

function renderMessage(message: PromptMessage): string {
  switch (message.role) {
    case 'system':
    case 'user':
      return `${message.role}: ${message.text}`;
    case 'assistant': {
      const calls = message.toolCalls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`);
      return [`assistant: ${message.text}`, ...calls].join('\n');
    }
    case 'tool':
      return message.results.map((result) => `${result.name}: ${result.text}`).join('\n');
    default:
      throw new Error(`unknown message ${JSON.stringify(message satisfies never)}`);
  }
}

/** Exact input tokens of a request: its messages and the tools that it offers. */
export function countRequestTokens({ messages, tools }: ModelRequest): number {
  return countTextTokens([...messages.map(renderMessage), JSON.stringify(tools)].join('\n'));
}
