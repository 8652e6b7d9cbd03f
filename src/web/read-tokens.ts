/** Tokens as an operator writes them: `TOKEN` or `LABEL:TOKEN`, several with commas between them. None is ever shown. */
import { TributaryError } from '../contract/failure.ts';
import type { WebToken } from './web-options.ts';

const minChars = 16;
const unnamed = 'token';

/** `INVALID_REQUEST` for one that could be guessed or not be sent. */
export function readTokens(text: string): WebToken[] {
  return text.split(',').map((each, index) => {
    const [, label = unnamed, token = ''] = /^(?:([A-Za-z0-9._-]{1,40}):)?(.*)$/s.exec(each.trim()) ?? [];
    if (/^[\x21-\x7e]+$/.test(token) && token.length >= minChars) return { label, token };
    throw new TributaryError(
      'INVALID_REQUEST',
      `token ${index + 1}: wanted at least ${minChars} printable characters without spaces, optionally behind a label as in alice:TOKEN, came ${token.length}`,
    );
  });
}
