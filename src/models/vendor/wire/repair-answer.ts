/**
 * An answer that was paid for must survive the schemas of the provider packages, which throw all of it away for a missing
 * count (PROVIDERS §4, §7). What is put in its place says nothing: counts become zeros or absent, which later means unknown.
 */
import type { Vendor } from '../vendor.ts';

type Json = Readonly<Record<string, unknown>>;

/** The answer with what the packages refuse put right; the same object where there was nothing to do. */
export function repairAnswer(vendor: Vendor, answer: unknown): unknown {
  if (!isRecord(answer)) return answer;
  switch (vendor) {
    case 'openai':
      return repairResponses(answer);
    case 'openai-chat':
    case 'compatible':
      return repairChat(answer);
    case 'anthropic':
      return repairMessages(answer);
    case 'google':
      return isCounted(answer.usageMetadata, []) ? answer : { ...answer, usageMetadata: null };
    default:
      return vendor satisfies never;
  }
}

function repairMessages(answer: Json): Json {
  const counted = isRecord(answer.usage) && isCounted(answer.usage, ['input_tokens', 'output_tokens']);
  if (counted && answer.type === 'message') return answer;
  return {
    ...answer,
    ...(Array.isArray(answer.content) && { type: 'message' }),
    ...(!counted && { usage: { input_tokens: 0, output_tokens: 0 } }),
  };
}

function repairResponses(answer: Json): Json {
  const counted = isCounted(answer.usage, ['input_tokens', 'output_tokens']);
  const output = mapRecords(answer.output, (item, index) => {
    if (item.type === 'message') return { ...item, content: mapRecords(item.content, addAnnotations) };
    if (item.type !== 'function_call') return item;
    return {
      ...item,
      arguments: toArgumentText(item.arguments),
      id: item.id ?? `fc_${index}`,
      call_id: item.call_id ?? `call_${index}`,
    };
  });
  return { ...answer, output, ...(!counted && { usage: null }) };
}

function addAnnotations(part: Json): Json {
  return part.type === 'output_text' && !Array.isArray(part.annotations) ? { ...part, annotations: [] } : part;
}

function repairChat(answer: Json): Json {
  const choices = mapRecords(answer.choices, (choice, index) => {
    if (!isRecord(choice.message)) return choice;
    const calls = mapRecords(choice.message.tool_calls, (call) => {
      const called: Json = isRecord(call.function) ? call.function : {};
      return { ...call, type: 'function', function: { ...called, arguments: toArgumentText(called.arguments) } };
    });
    return { index, ...choice, message: { ...choice.message, ...(calls !== undefined && { tool_calls: calls }) } };
  });
  return { ...answer, choices, ...(!isCounted(answer.usage, []) && { usage: null }) };
}

/** Some servers send an object where the API has its text. */
function toArgumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Whether a usage can be read as one: absent, or every count in it a number and the `required` ones there. */
function isCounted(usage: unknown, required: readonly string[]): boolean {
  if (usage === undefined || usage === null) return true;
  return isRecord(usage) && required.every((key) => typeof usage[key] === 'number') && hasOnlyNumbers(usage);
}

function hasOnlyNumbers(counts: Json): boolean {
  return Object.entries(counts).every(([key, value]) => {
    if (value === null || value === undefined) return true;
    if (/(tokens?|count)$/i.test(key)) return typeof value === 'number';
    if (/details$/i.test(key)) return Array.isArray(value) || (isRecord(value) && hasOnlyNumbers(value));
    return true;
  });
}

function mapRecords<T>(value: T, change: (item: Json, index: number) => unknown): T {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown, index) => (isRecord(item) ? change(item, index) : item)) as T;
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
