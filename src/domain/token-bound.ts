/**
 * How many tokens a request can cost before it is sent. No tokenizer: a byte-level token covers at least one byte, so
 * UTF-8 bytes bound any text in any language, cost nothing to count and cannot be made slow by a hostile text.
 */
import { utf8Bytes } from './text.ts';

/** What providers add around a request, measured generously: once, per tool and per message. */
const overheadTokens = { request: 700, tool: 64, message: 16 };
const bytesPerToken = 4;
const calibrationMargin = { numerator: 5, denominator: 4 };

/** Upper bound of the input of a first request: all of its bytes, with what the provider's framing may add. */
export function boundFirstTurnTokens(
  openingBytes: number,
  toolSchemaBytes: number,
  tools: number,
  messages: number,
): number {
  return (
    overheadTokens.request +
    openingBytes +
    toolSchemaBytes +
    overheadTokens.tool * tools +
    overheadTokens.message * messages
  );
}

/** Upper bound of the input of a later request: exact for what the provider has counted, bytes for what is new. */
export function boundNextTurnTokens(knownTokens: number, newBytes: number, newMessages: number): number {
  return knownTokens + newBytes + overheadTokens.message * newMessages;
}

/** Our stated unit where nobody meters a text: a quarter of its UTF-8 bytes, rounded up. Not a bound. */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8Bytes(text) / bytesPerToken);
}

/**
 * Estimate for `bytes` from what the same transcript has cost so far, with a quarter on top, rounded up. It is never
 * above `bytes`, which is a bound already, and is `bytes` while nothing is known.
 */
export function calibrateTokens(bytes: number, known: { readonly bytes: number; readonly tokens: number }): number {
  if (known.tokens === 0 || known.bytes === 0) return bytes;
  const { numerator, denominator } = calibrationMargin;
  return Math.min(bytes, Math.ceil((bytes * known.tokens * numerator) / (known.bytes * denominator)));
}
