/** What each vendor calls the tokens that it counts, and which of them it counts together. */
import type { Json, UsageShape } from './provider-api.ts';

type Counts = Extract<UsageShape, { readonly input: number }>;
type Names = { readonly field: string; readonly input: string; readonly output: string; readonly total?: string };

const usual: Counts = { input: 100, output: 20 };

function render({ field, input, output, total }: Names, usage: UsageShape | undefined, all: (counts: Counts) => Json) {
  const shape = usage ?? usual;
  const plain = (read: number, written: number, as: (count: number) => unknown = (count) => count) => ({
    [field]: { [input]: as(read), [output]: as(written), ...(total && { [total]: as(read + written) }) },
  });
  switch (shape) {
    case 'missing':
      return {};
    case 'null':
      return { [field]: null };
    case 'zeros':
      return plain(0, 0);
    case 'negative':
      return plain(-1, 20);
    case 'strings':
      return plain(12, 3, String);
    default:
      return { [field]: 'raw' in shape ? shape.raw : all(shape) };
  }
}

/** Cached tokens are part of the prompt, reasoning is part of the completion. */
export function chatUsage(usage: UsageShape | undefined): Json {
  const names = { field: 'usage', input: 'prompt_tokens', output: 'completion_tokens', total: 'total_tokens' };
  return render(names, usage, ({ input, output, cacheRead, reasoning }) => ({
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cacheRead !== undefined && { prompt_tokens_details: { cached_tokens: cacheRead } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }));
}

/** As in chat, under other names. */
export function responsesUsage(usage: UsageShape | undefined): Json {
  const names = { field: 'usage', input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' };
  return render(names, usage, ({ input, output, cacheRead, reasoning }) => ({
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { cached_tokens: cacheRead ?? 0 },
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  }));
}

/** What was read from and written to caches is beside the input, thinking is part of the output. */
export function anthropicUsage(usage: UsageShape | undefined): Json {
  const names = { field: 'usage', input: 'input_tokens', output: 'output_tokens' };
  return render(names, usage, ({ input, output, cacheRead = 0, cacheWrite = 0 }) => ({
    input_tokens: input - cacheRead - cacheWrite,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  }));
}

/** Cached tokens are part of the prompt, thoughts are beside the candidates, and what tools read is in the total alone. */
export function geminiUsage(usage: UsageShape | undefined): Json {
  const names = {
    field: 'usageMetadata',
    input: 'promptTokenCount',
    output: 'candidatesTokenCount',
    total: 'totalTokenCount',
  };
  return render(names, usage, ({ input, output, cacheRead, reasoning, toolUse }) => ({
    promptTokenCount: input,
    candidatesTokenCount: output - (reasoning ?? 0),
    ...(reasoning !== undefined && { thoughtsTokenCount: reasoning }),
    ...(cacheRead !== undefined && { cachedContentTokenCount: cacheRead }),
    ...(toolUse !== undefined && { toolUsePromptTokenCount: toolUse }),
    totalTokenCount: input + output + (toolUse ?? 0),
  }));
}
