/** Makes a request of what a caller wrote: checked, every default filled in, and named. */
import { createHash } from 'node:crypto';
import { ulid } from 'ulid';
import { TributaryError } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { type ResearchRequest, researchRequestSchema } from '../contract/request.ts';
import type { StartInput, StartOptions } from './research-api.ts';

const maxRequestIdChars = 1_000;

/** Throws `INVALID_REQUEST`, with everything that is wrong. The run id is the caller's, else that of the request id. */
export function toRequest(input: StartInput, { requestId }: StartOptions): ResearchRequest {
  checkRequestId(requestId);
  const runId = input.runId ?? (requestId === undefined ? `run_${ulid()}` : toRunId(requestId));
  return parseInput(researchRequestSchema, { ...input, runId }, 'research request');
}

/** `run_` and 26 letters of Crockford's base 32: the form of a ULID, but the same for the same request id. */
export function toRunId(requestId: string): string {
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const digest = createHash('sha256').update(requestId, 'utf8').digest();
  let bits = BigInt(`0x${digest.toString('hex')}`);
  let text = '';
  for (let place = 0; place < 26; place += 1) {
    text = alphabet[Number(bits & 31n)]! + text;
    bits >>= 5n;
  }
  return `run_${text}`;
}

function checkRequestId(requestId: string | undefined): void {
  if (requestId === undefined) return;
  if (requestId.trim() !== '' && requestId.length <= maxRequestIdChars) return;
  const came = requestId.trim() === '' ? 'an empty one' : `one of ${requestId.length}`;
  throw new TributaryError(
    'INVALID_REQUEST',
    `research request: requestId: wanted a text of 1 to ${maxRequestIdChars} characters, came ${came}`,
  );
}
