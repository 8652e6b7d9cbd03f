/** From what a provider package made of an answer to our reply. */
import type { LanguageModelV3GenerateResult, SharedV3Warning } from '@ai-sdk/provider';
import type { ModelReply } from '../../../contract/model.ts';
import { fromWireName } from '../../../domain/wire-name.ts';
import { isOwnCall, type ProviderParts } from '../prompt/provider-parts.ts';
import type { VendorTarget } from '../vendor.ts';
import { toFinish } from './to-finish.ts';
import { toUsage } from './to-usage.ts';

type Json = Readonly<Record<string, unknown>>;

/** `toolNames`: as the user knows the tools of the request. */
export function toReply(
  result: LanguageModelV3GenerateResult,
  target: VendorTarget,
  toolNames: readonly string[],
): ModelReply {
  const { vendor, modelId } = target;
  const { content } = result;
  const toolCalls = content.filter(isOwnCall).map((call) => ({
    name: fromWireName(call.toolName, toolNames),
    arguments: call.input,
  }));
  const answer = asJson(result.response?.body);
  if (vendor === 'google' && !('candidates' in answer) && !isPromptBlocked(answer)) {
    throw new Error('an answer without candidates'); // the package takes any object for an empty reply
  }
  const raw = readRawFinish(vendor, result, answer);
  const finish = toFinish({
    raw,
    hasCalls: toolCalls.length > 0,
    hasRefusal: hasRefusal(vendor, answer),
    isBlocked: vendor === 'google' && isPromptBlocked(answer),
  });
  const warnings = [...new Set(result.warnings.map(toWarning))];
  return {
    text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    toolCalls,
    finish,
    ...(raw !== null && { rawFinish: raw }),
    usage: toUsage(vendor, result.usage),
    // Through JSON once: what is undefined in memory is not there when it comes back from the store.
    provider: JSON.parse(JSON.stringify({ api: vendor, modelId, content } satisfies ProviderParts)) as unknown,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** A Response has a state, and a reason where it is not complete; the package tells the reason alone. */
function readRawFinish(vendor: VendorTarget['vendor'], result: LanguageModelV3GenerateResult, answer: Json) {
  const said = result.finishReason.raw ?? (vendor === 'openai' ? answer.status : undefined);
  return typeof said === 'string' && said !== '' ? said : null;
}

/** Refusals look like text once the packages are done, and their stop like any other. */
function hasRefusal(vendor: VendorTarget['vendor'], answer: Json): boolean {
  const parts =
    vendor === 'openai'
      ? asList(answer.output).flatMap((item) => asList(asJson(item).content))
      : asList(answer.choices).map((choice) => asJson(choice).message);
  return parts.map(asJson).some(({ refusal }) => typeof refusal === 'string' && refusal !== '');
}

function isPromptBlocked(answer: Json): boolean {
  const { blockReason } = asJson(answer.promptFeedback);
  return typeof blockReason === 'string' && blockReason !== '' && asList(answer.candidates).length === 0;
}

/** Its kind and the setting it is about: the details may quote tools and messages. */
function toWarning(warning: SharedV3Warning): string {
  const feature = 'feature' in warning && /^[\w .:-]{1,60}$/.test(warning.feature) ? warning.feature : null;
  return feature === null ? warning.type : `${warning.type}: ${feature}`;
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
