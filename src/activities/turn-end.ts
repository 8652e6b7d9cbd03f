/** What the end of a request means for its turn at the rate limit, and a turn that does not come for its request. */
import { failureCodeOf, type FailureCode } from '../contract/failure.ts';
import type { ModelUsage } from '../contract/model.ts';
import { toApplicationFailure, toFailure } from '../temporal/failure-codec.ts';
import type { ModelRate } from '../models/model.ts';
import { backoffMs } from './back-off.ts';
import type { Turn, TurnEnd } from './rate-turn.ts';

/** After these it is not known what the provider charged; `MODEL_ATTEMPTS` stops a call that was answered in part. */
const costUnknown: readonly FailureCode[] = ['MODEL_NETWORK', 'MODEL_BAD_RESPONSE', 'MODEL_ATTEMPTS'];

export function isCostUnknown(code: FailureCode): boolean {
  return costUnknown.includes(code);
}

export function toUsed(usage: ModelUsage | null): TurnEnd {
  return usage ? { kind: 'used', tokens: usage.inputTokens + usage.outputTokens } : { kind: 'unknown' };
}

/** Of a request that was sent and failed: what it used, and what it means for those of its siblings that wait. */
export function toTurnEnd(error: unknown): TurnEnd {
  const code = failureCodeOf(error);
  if (code === 'MODEL_RATE_LIMIT' || code === 'MODEL_OVERLOADED') {
    return { kind: 'refused', waitMs: toFailure(error).retryAfterMs || backoffMs(1) };
  }
  return code === null || isCostUnknown(code) ? { kind: 'unknown' } : { kind: 'used', tokens: 0 };
}

/** The failure that ends an attempt whose turn is far off, so that it is tried again then, or one that can have none. */
export function toTurnFailure(
  turn: Exclude<Turn, { kind: 'go' }>,
  call: {
    readonly name: string;
    readonly rate: ModelRate;
    readonly requestTokens: number;
    readonly details: unknown[];
  },
): Error {
  const code = 'MODEL_RATE_LIMIT';
  const { name, rate, requestTokens, details } = call;
  if (turn.kind === 'defer') {
    const message = `model "${name}": its turn at the rate limit comes in ${Math.ceil(turn.waitMs / 1_000)} s; nothing was sent`;
    return toApplicationFailure({ code, message, retryAfterMs: turn.waitMs }, { details, isBenign: true });
  }
  const message = `model "${name}": a request may use ${requestTokens} tokens, and the limit "${rate.limitName}" is ${turn.tpm} a minute; lower the output of a call, or raise that limit`;
  return toApplicationFailure({ code, message }, { details, nonRetryable: true });
}
