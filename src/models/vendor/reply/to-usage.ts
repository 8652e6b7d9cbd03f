/**
 * One meaning for every vendor's counts (PROVIDERS §4; CASES B39, B40, B42). What was really stated decides: the packages
 * turn a missing count into 0, and a reply that seems free would make a budget inert.
 */
import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { ModelUsage } from '../../../contract/model.ts';
import type { Vendor } from '../vendor.ts';

type Counts = Readonly<Record<string, unknown>>;

/** `null` where a count is missing, is no whole number of at least 0, or where all are 0. */
export function toUsage(vendor: Vendor, usage: LanguageModelV3Usage): ModelUsage | null {
  const raw = usage.raw as Counts | undefined;
  if (raw === undefined || !isStated(vendor, raw)) return null;
  const outputTokens = usage.outputTokens.total;
  const inputTokens = inputOf(vendor, usage.inputTokens.total, outputTokens, raw);
  if (!isCount(inputTokens) || !isCount(outputTokens) || inputTokens + outputTokens === 0) return null;
  const { cacheRead, cacheWrite } = usage.inputTokens;
  const { reasoning } = usage.outputTokens;
  return {
    inputTokens,
    outputTokens,
    // Parts that are larger than the whole say nothing.
    ...(isPart(cacheRead, inputTokens - (cacheWrite ?? 0)) && { cacheReadTokens: cacheRead }),
    ...(isPart(cacheWrite, inputTokens - (cacheRead ?? 0)) && { cacheWriteTokens: cacheWrite }),
    ...(isPart(reasoning, outputTokens) && { reasoningTokens: reasoning }),
  };
}

/** Every count that is there must be one, and those that a total needs must be there. */
function isStated(vendor: Vendor, raw: Counts): boolean {
  const { required, optional } = keysOf(vendor);
  return (
    required.every((anyOf) => anyOf.some((key) => isCount(raw[key]))) &&
    [...required.flat(), ...optional].every((key) => raw[key] === undefined || raw[key] === null || isCount(raw[key]))
  );
}

/** `required`: of each list one at least. */
function keysOf(vendor: Vendor): { required: readonly (readonly string[])[]; optional: readonly string[] } {
  switch (vendor) {
    case 'openai':
      return { required: [['input_tokens'], ['output_tokens']], optional: [] };
    case 'openai-chat':
    case 'compatible':
      return { required: [['prompt_tokens'], ['completion_tokens']], optional: [] };
    case 'anthropic':
      return {
        required: [['input_tokens'], ['output_tokens']],
        optional: ['cache_read_input_tokens', 'cache_creation_input_tokens'],
      };
    case 'google':
      // Gemini leaves out what is 0, so the candidates may be missing where nothing came but thoughts.
      return {
        required: [['promptTokenCount'], ['candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount']],
        optional: ['toolUsePromptTokenCount', 'cachedContentTokenCount'],
      };
    default:
      return vendor satisfies never;
  }
}

/** The package leaves out the tokens of tool use prompts; the total holds them. */
function inputOf(vendor: Vendor, input: number | undefined, output: number | undefined, raw: Counts) {
  if (vendor !== 'google' || input === undefined || output === undefined) return input;
  const total = raw.totalTokenCount;
  return isCount(total) ? Math.max(input, total - output) : input;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPart(value: number | undefined, whole: number): value is number {
  return isCount(value) && value > 0 && value <= whole;
}
