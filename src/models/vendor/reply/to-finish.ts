/** Why a reply ended: the content first, then the vendor's own word by one table (CASES B11, B15, B16). A word that is not in it means nothing. */
import type { FinishReason } from '../../../contract/model.ts';

/** The words of all vendors, in lower case. */
const words: Readonly<Record<string, FinishReason>> = {
  // Responses, Chat Completions and the servers that speak them
  completed: 'stop',
  stop: 'stop',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  max_output_tokens: 'length',
  content_filter: 'content-filter',
  failed: 'error',
  error: 'error',
  // Anthropic
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  refusal: 'refusal',
  pause_turn: 'pause',
  model_context_window_exceeded: 'context-exceeded',
  // Gemini
  continuation: 'length',
  safety: 'content-filter',
  recitation: 'content-filter',
  blocklist: 'content-filter',
  prohibited_content: 'content-filter',
  spii: 'content-filter',
  image_safety: 'content-filter',
  image_prohibited_content: 'content-filter',
  image_recitation: 'content-filter',
  model_armor: 'content-filter',
  malformed_function_call: 'malformed-call',
  unexpected_tool_call: 'malformed-call',
};

/** After these words calls may be cut, or withdrawn by the provider: none of them is to be executed. */
const breakingOff: readonly FinishReason[] = ['length', 'refusal', 'content-filter', 'context-exceeded', 'error'];

export type FinishFacts = {
  /** The vendor's word; `null` = it said none. */
  readonly raw: string | null;
  readonly hasCalls: boolean;
  /** A part of the reply is a refusal, whatever the word is. */
  readonly hasRefusal: boolean;
  /** The prompt was blocked, and `raw` is the reason for it. */
  readonly isBlocked: boolean;
};

export function toFinish({ raw, hasCalls, hasRefusal, isBlocked }: FinishFacts): FinishReason {
  const said = raw === null ? 'unknown' : ownWord(raw);
  if (isBlocked) return 'content-filter';
  if (breakingOff.includes(said)) return said;
  if (hasCalls) return 'tool-calls';
  if (hasRefusal) return 'refusal';
  // It says that there are calls, and there are none.
  return said === 'tool-calls' ? 'unknown' : said;
}

function ownWord(raw: string): FinishReason {
  const word = raw.toLowerCase();
  return Object.hasOwn(words, word) ? words[word]! : 'unknown';
}
