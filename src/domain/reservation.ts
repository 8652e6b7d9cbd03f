/** How many tokens to set aside before a model call: the safe bound of its input plus its whole output (PROVIDERS §9). */
import type { ToolResult, TranscriptHead } from '../contract/transcript.ts';
import { utf8Bytes } from './text.ts';
import { boundFirstTurnTokens, boundNextTurnTokens } from './token-bound.ts';

/** Our own prompts and the tools' schemas, in bytes: a generous constant, since the exact text is not known here. */
const promptBytes = 10_000;
/** A note that asks for the hand-back. */
const noteBytes = 300;

/** Less than this pays for no turn: nothing is reserved and nothing is sent. */
export const minTurnTokens = 600;

/** What a subagent's next call may cost at most. The activity sends nothing that could cost more than is granted. */
export function boundReservation(call: {
  readonly head: TranscriptHead | null;
  readonly results: readonly ToolResult[];
  /** Texts of the first message. */
  readonly opening: readonly string[];
  readonly maxOutputTokens: number;
}): number {
  if (!call.head) {
    const bytes = promptBytes + call.opening.reduce((sum, text) => sum + utf8Bytes(text), 0);
    return boundFirstTurnTokens(bytes, 0, 0, 2) + call.maxOutputTokens;
  }
  const added = call.results.reduce(
    (sum, { content }) => sum + ('ref' in content ? content.ref.bytes : utf8Bytes(content.text)),
    0,
  );
  return boundNextTurnTokens(call.head.knownTokens, added + noteBytes, 2) + call.maxOutputTokens;
}

/** What one call over given texts (a plan, a synthesis) may cost at most. */
export function boundOpeningReservation(bytes: number, maxOutputTokens: number): number {
  return boundFirstTurnTokens(promptBytes + bytes, 0, 0, 2) + maxOutputTokens;
}
