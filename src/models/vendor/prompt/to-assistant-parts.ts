/** One message of the assistant, as a provider package takes it back: rebuilt from the provider's own parts where they are its own. */
import type { LanguageModelV3Content, LanguageModelV3Message, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import type { ToolCall } from '../../../contract/transcript.ts';
import { toWireName } from '../../../domain/wire-name.ts';
import type { PromptMessage } from '../../model.ts';
import type { Vendor, VendorTarget } from '../vendor.ts';
import { isOwnCall, readProviderParts } from './provider-parts.ts';

type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;
export type AssistantParts = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
type AssistantPart = AssistantParts[number];
type TextPart = Extract<AssistantPart, { type: 'text' }>;

/**
 * The parts in their order, with our ids and the vendor's names for tools. Blank texts are left out, and reasoning that
 * nothing follows, since providers refuse both; an empty list means that there is nothing to send.
 */
export function toAssistantParts(message: AssistantMessage, target: VendorTarget): AssistantParts {
  const stored = readProviderParts(message.provider, target);
  const parts = stored ? fromStored(stored, message.toolCalls, target.vendor) : fromWords(message);
  const kept = parts.filter((part) => part.type !== 'text' || !isDroppable(part, target.vendor));
  const end = kept.findLastIndex((part) => part.type !== 'reasoning');
  return target.vendor === 'google' && end >= 0 ? kept : kept.slice(0, end + 1);
}

/** Blank texts say nothing and some providers refuse them. Gemini may have signed one, though. */
function isDroppable({ text, providerOptions }: TextPart, vendor: Vendor): boolean {
  if (text.trim() !== '') return false;
  return text === '' || vendor !== 'google' || providerOptions === undefined;
}

function fromWords({ text, toolCalls }: AssistantMessage): AssistantPart[] {
  return [
    { type: 'text', text },
    ...toolCalls.map((call): AssistantPart => ({
      type: 'tool-call',
      toolCallId: call.callId,
      toolName: toWireName(call.name),
      input: call.malformed === undefined ? call.arguments : {},
    })),
  ];
}

function fromStored(
  stored: readonly LanguageModelV3Content[],
  calls: readonly ToolCall[],
  vendor: Vendor,
): AssistantPart[] {
  const left = [...calls];
  const parts = stored.flatMap((part): AssistantPart[] => {
    const providerOptions = toOptions(part.providerMetadata, vendor);
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return [{ type: part.type, text: part.text, ...providerOptions }];
      case 'file':
        return [{ type: 'file', data: part.data, mediaType: part.mediaType, ...providerOptions }];
      case 'tool-result': {
        const output = { type: part.isError === true ? 'error-json' : 'json', value: part.result } as const;
        return [
          { type: 'tool-result', toolCallId: part.toolCallId, toolName: part.toolName, output, ...providerOptions },
        ];
      }
      case 'tool-call': {
        const { toolCallId, toolName, input } = part;
        if (!isOwnCall(part)) {
          const parsed = readArguments(input);
          return [
            { type: 'tool-call', toolCallId, toolName, input: parsed, providerExecuted: true, ...providerOptions },
          ];
        }
        const call = left.shift();
        if (!call) throw new Error('the stored parts of a reply hold more calls than the reply');
        const kept = call.malformed === undefined ? readArguments(input) : {};
        return [
          {
            type: 'tool-call',
            toolCallId: call.callId,
            toolName: toWireName(toolName),
            input: kept,
            ...providerOptions,
          },
        ];
      }
      // Citations and approvals are no part of a request.
      case 'source':
      case 'tool-approval-request':
        return [];
      default:
        return part satisfies never;
    }
  });
  if (left.length > 0) throw new Error('the stored parts of a reply hold fewer calls than the reply');
  return parts;
}

/**
 * The text as it came, so that its bytes stay the same where the API carries a text; an object where the packages would
 * refuse the text, or where it hides what may not leave: half a surrogate pair behind an escape.
 */
function readArguments(input: string): unknown {
  if (input.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const mayHide = /\\u[dD][89a-fA-F]|proto/.test(input) || !input.isWellFormed();
  return mayHide ? value : input;
}

/** Signatures that come through a compatible server are sent back under the name of the vendor who made them. */
function toOptions(metadata: SharedV3ProviderMetadata | undefined, vendor: Vendor) {
  if (metadata === undefined) return {};
  const signature = vendor === 'compatible' ? metadata.compatible?.thoughtSignature : undefined;
  return {
    providerOptions: signature === undefined ? metadata : { ...metadata, google: { thoughtSignature: signature } },
  };
}
