/** Exact input tokens by the vendors' counting endpoints (PROVIDERS §9), for the very body that a call would send. */
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { openLanguageModel } from './open-language-model.ts';
import type { VendorTarget } from './vendor.ts';
import { createGuardedFetch, type Door } from './wire/guarded-fetch.ts';

/** A count is a help, not worth waiting for. */
const maxWaitMs = 15_000;

type Json = Readonly<Record<string, unknown>>;
type Captured = { readonly url: string; readonly headers: RequestInit['headers']; readonly body: Json };

/** `null` where there is no endpoint, or where it does not answer. Rejects with `signal.reason` alone. */
export async function countTokens(
  options: LanguageModelV3CallOptions,
  target: VendorTarget,
  door: Door,
  signal: AbortSignal,
): Promise<number | null> {
  signal.throwIfAborted();
  if (target.vendor === 'openai-chat' || target.vendor === 'compatible') return null;
  try {
    const captured = await captureRequest(options, target);
    const { url, body } = toCountRequest(captured, target);
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
    // It costs nothing, so it is no request of the call.
    const { fetch } = createGuardedFetch(target, door, { signal: bounded, onRequest: () => {} });
    const response = await fetch(url, { headers: captured.headers, body: JSON.stringify(body) });
    return readCount((await response.json()) as Json);
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** Has the package build its request, and keeps it. */
async function captureRequest(options: LanguageModelV3CallOptions, target: VendorTarget): Promise<Captured> {
  let captured: Captured | undefined;
  const capture = async (url: string, init: RequestInit) => {
    captured = { url, headers: init.headers, body: JSON.parse(init.body as string) as Json };
    throw new Error('captured');
  };
  await openLanguageModel(target, capture as unknown as typeof fetch)
    .doGenerate(options)
    .then(undefined, () => {});
  if (!captured) throw new Error('the package did not build a request');
  return captured;
}

function toCountRequest({ url, body }: Captured, { vendor, modelId }: VendorTarget): { url: string; body: Json } {
  switch (vendor) {
    case 'openai':
      return {
        url: `${url}/input_tokens`,
        body: pick(body, ['model', 'input', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text']),
      };
    case 'anthropic':
      return {
        url: `${url}/count_tokens`,
        body: pick(body, ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking']),
      };
    case 'google': {
      const model = modelId.includes('/') ? modelId : `models/${modelId}`;
      const counted = pick(body, ['contents', 'systemInstruction', 'tools', 'toolConfig']);
      return {
        url: url.replace(/:generateContent$/, ':countTokens'),
        body: { generateContentRequest: { model, ...counted } },
      };
    }
    case 'openai-chat':
    case 'compatible':
      throw new Error('no endpoint');
    default:
      return vendor satisfies never;
  }
}

function readCount({ input_tokens: inputTokens, totalTokens }: Json): number | null {
  const count = inputTokens ?? totalTokens;
  return Number.isSafeInteger(count) && (count as number) > 0 ? (count as number) : null;
}

function pick(body: Json, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(body).filter(([key]) => keys.includes(key)));
}
