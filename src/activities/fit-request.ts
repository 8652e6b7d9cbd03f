/**
 * Makes a request fit its reservation (R3.2): the byte bound first, then the model's own count or a calibrated
 * estimate, then the newest tool results cut to what fits. Nothing is sent that could cost more.
 */
import type { ToolDescription } from '../contract/tool.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { sliceText, utf8Bytes } from '../domain/text.ts';
import { boundFirstTurnTokens, boundNextTurnTokens, calibrateTokens } from '../domain/token-bound.ts';
import type { Model, ModelRequest, PromptMessage } from '../models/model.ts';

export type FittedRequest =
  | {
      readonly kind: 'fits';
      readonly request: ModelRequest;
      /** Input and output of one request at most: what a lost one is charged. */
      readonly requestTokens: number;
      /** Positions of the tool messages whose results were cut. */
      readonly cut: readonly number[];
    }
  | { readonly kind: 'does-not-fit'; readonly neededTokens: number };

/** Below this a reply is more likely to be cut than to be useful. */
const minOutputTokens = 512;
/** A result is never cut below this: less says nothing. */
const minResultChars = 160;

export async function fitRequest(
  model: Model,
  request: ModelRequest,
  bounds: {
    readonly availableTokens: number;
    /** What the provider has counted for the first messages of the request; 0 tokens on a first turn. */
    readonly known: { readonly tokens: number; readonly messages: number };
    /** Whether anything may be cut; otherwise it fits as it is or not at all. */
    readonly mayShrink: boolean;
    readonly signal: AbortSignal;
  },
): Promise<FittedRequest> {
  const bound = boundInput(request, bounds.known);
  if (bound + request.maxOutputTokens <= bounds.availableTokens)
    return fits(request, bound, request.maxOutputTokens, []);
  if (!bounds.mayShrink) return { kind: 'does-not-fit', neededTokens: bound + request.maxOutputTokens };

  const minOutput = Math.min(minOutputTokens, request.maxOutputTokens);
  let current = request;
  const cut: number[] = [];
  let counted = await countInput(model, current, bounds);
  let position = current.messages.length - 1;
  while (position >= 0 && counted + minOutput > bounds.availableTokens) {
    const excess = counted + minOutput - bounds.availableTokens;
    const tokensPerByte = counted / Math.max(1, sizeOf(current));
    const excessBytes = Math.ceil((excess + 32) / tokensPerByte);
    const shortened = cutResults(current.messages[position]!, request.messages[position]!, excessBytes);
    if (!shortened) {
      position -= 1;
      continue;
    }
    // The same message again, where that was not enough: tokens per byte are an average, and no cut is exact.
    current = { ...current, messages: current.messages.with(position, shortened) };
    if (!cut.includes(position)) cut.push(position);
    counted = await countInput(model, current, bounds);
  }
  if (counted + minOutput > bounds.availableTokens) return { kind: 'does-not-fit', neededTokens: counted + minOutput };
  return fits(current, counted, Math.min(request.maxOutputTokens, bounds.availableTokens - counted), cut);
}

function fits(request: ModelRequest, input: number, output: number, cut: readonly number[]): FittedRequest {
  return { kind: 'fits', request: { ...request, maxOutputTokens: output }, requestTokens: input + output, cut };
}

/** The safe bound: exact for what was counted before, bytes for the rest. */
function boundInput(request: ModelRequest, known: { tokens: number; messages: number }): number {
  if (known.tokens > 0) {
    const added = request.messages.slice(known.messages);
    return boundNextTurnTokens(known.tokens, sum(added.map(messageBytes)), added.length);
  }
  return boundFirstTurnTokens(
    sum(request.messages.map(messageBytes)),
    toolBytes(request.tools),
    request.tools.length,
    request.messages.length,
  );
}

async function countInput(
  model: Model,
  request: ModelRequest,
  bounds: { known: { tokens: number; messages: number }; signal: AbortSignal },
): Promise<number> {
  const exact = await model.countTokens(request, { signal: bounds.signal });
  if (exact !== null) return exact;
  const knownBytes = sum(request.messages.slice(0, bounds.known.messages).map(messageBytes));
  return calibrateTokens(sizeOf(request), { bytes: knownBytes, tokens: bounds.known.tokens });
}

/**
 * The message with its results shortened by `excessBytes` in all, the longest most; `null` where nothing more can go.
 * `whole` is the message before any cut: notes speak of it.
 */
function cutResults(message: PromptMessage, whole: PromptMessage, excessBytes: number): PromptMessage | null {
  if (message.role !== 'tool' || whole.role !== 'tool') return null;
  const total = sum(message.results.map((result) => Math.max(0, result.text.length - minResultChars)));
  if (total === 0) return null;
  const results = message.results.map((result, index) => {
    const share = Math.max(0, result.text.length - minResultChars) / total;
    const keep = Math.max(minResultChars, Math.floor(result.text.length - share * excessBytes) - 80);
    if (keep >= result.text.length) return result;
    const { text } = whole.results[index]!;
    const kept = sliceText(text, keep);
    return {
      ...result,
      text: `${kept}\n[cut from ${text.length} to ${kept.length} characters to fit the token budget]`,
    };
  });
  const lengthOf = (texts: readonly { readonly text: string }[]) => sum(texts.map(({ text }) => text.length));
  return lengthOf(results) < lengthOf(message.results) ? { ...message, results } : null;
}

function messageBytes(message: PromptMessage): number {
  switch (message.role) {
    case 'tool':
      return sum(message.results.map((result) => utf8Bytes(result.text)));
    case 'assistant':
      return utf8Bytes(message.text) + utf8Bytes(canonicalJson([message.toolCalls, message.provider ?? null]));
    case 'system':
    case 'user':
      return utf8Bytes(message.text);
    default:
      return message satisfies never;
  }
}

function toolBytes(tools: readonly ToolDescription[]): number {
  return sum(tools.map((tool) => utf8Bytes(canonicalJson([tool.name, tool.description, tool.inputSchema]))));
}

function sizeOf(request: ModelRequest): number {
  return sum(request.messages.map(messageBytes)) + toolBytes(request.tools);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
