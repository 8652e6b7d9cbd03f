/**
 * Counts the requests of one model call over all attempts of its activity, so that N configured attempts are N requests
 * and no crash can spend more than the reservation (TEMPORAL 1).
 */
import { TributaryError } from '../contract/failure.ts';
import { failureCodeOf, isRetryable, type FailureCode } from '../contract/failure.ts';
import type { CallUsage } from '../contract/budget.ts';
import { modelUsageSchema, type ModelReply } from '../contract/model.ts';
import { toApplicationFailure, toFailure } from '../temporal/failure-codec.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import type { ActivityFrame } from './cancellable.ts';
import { fitRequest, type FittedRequest } from './fit-request.ts';

/** Rides in the heartbeat from attempt to attempt. */
type Carry = {
  /** Attempts that sent nothing. */
  readonly deferred: number;
  /** Requests whose cost is known, failed ones included. */
  readonly known: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
  readonly requestTokens: number;
};

const nothing: Carry = { deferred: 0, known: 0, inputTokens: 0, outputTokens: 0, usd: 0, requestTokens: 0 };
/** These ended without our learning what the provider charged. */
const costUnknown: readonly FailureCode[] = ['MODEL_NETWORK', 'MODEL_BAD_RESPONSE'];

export class ModelAttempts {
  private carry: Carry;
  private readonly before: number;
  private inFlight = 0;
  private readonly frame: ActivityFrame;
  private readonly bounds: { readonly attempts: number; readonly maxSpendTokens: number };

  constructor(frame: ActivityFrame, bounds: { readonly attempts: number; readonly maxSpendTokens: number }) {
    this.frame = frame;
    this.bounds = bounds;
    this.carry = { ...nothing, ...(frame.carried as Partial<Carry> | undefined) };
    // A deferral is flushed with its failure, a crash is not: so a crash counts as a request.
    this.before = Math.max(0, frame.attempt - 1 - this.carry.deferred);
    frame.carry(this.carry);
  }

  /** What this call cost so far, lost and unfinished requests included. */
  usage(): CallUsage {
    const { inputTokens, outputTokens, usd, requestTokens } = this.carry;
    const requests = this.before + this.inFlight;
    return { requests, inputTokens, outputTokens, usd, lost: Math.max(0, requests - this.carry.known), requestTokens };
  }

  /** Details of an attempt that ends without a result. One that has sent nothing is no request of the next one's count. */
  detailsOnEnd(): [CallUsage] {
    if (this.inFlight === 0) {
      this.carry = { ...this.carry, deferred: this.carry.deferred + 1 };
      this.frame.carry(this.carry);
    }
    return [this.usage()];
  }

  /** Tokens of the reservation that earlier requests have not used up. */
  availableTokens(): number {
    const usage = this.usage();
    return this.bounds.maxSpendTokens - usage.inputTokens - usage.outputTokens - usage.lost * usage.requestTokens;
  }

  /**
   * The request as it fits what is left. Rejects with `MODEL_ATTEMPTS` when no attempt is left, and where lost requests
   * have used up the reservation: then nothing is cut, since the workflow can reserve again.
   */
  async fit(
    model: Model,
    request: ModelRequest,
    known: { readonly tokens: number; readonly messages: number } = { tokens: 0, messages: 0 },
  ): Promise<FittedRequest> {
    if (this.before >= this.bounds.attempts) {
      const made = this.before === 1 ? '1 request was' : `${this.before} requests were`;
      throw new TributaryError('MODEL_ATTEMPTS', `${made} made and none was answered`);
    }
    const mayShrink = this.usage().lost === 0;
    const availableTokens = this.availableTokens();
    const fitted = await fitRequest(model, request, { availableTokens, known, mayShrink, signal: this.frame.signal });
    if (fitted.kind === 'does-not-fit' && !mayShrink) {
      throw new TributaryError(
        'MODEL_ATTEMPTS',
        `${this.usage().lost} of the requests were lost; a further one may cost ${fitted.neededTokens} tokens, and ${availableTokens} of the reservation are left`,
      );
    }
    return fitted;
  }

  /** One request, after `fit`. A failed one becomes a Temporal retry while requests are left and a repeat can help. */
  async request(model: Model, request: ModelRequest, requestTokens: number): Promise<ModelReply> {
    this.frame.signal.throwIfAborted(); // nothing was sent yet, so nothing is charged
    if (requestTokens > this.availableTokens()) {
      throw new TributaryError(
        'MODEL_ATTEMPTS',
        `a further request may cost ${requestTokens} tokens; ${this.availableTokens()} of the reservation are left`,
      );
    }
    this.carry = { ...this.carry, requestTokens: Math.max(requestTokens, this.carry.requestTokens) };
    this.frame.carry(this.carry);
    this.inFlight = 1;
    try {
      const reply = withStatedUsage(await model.call(request, { signal: this.frame.signal }));
      this.settle(reply);
      return reply;
    } catch (error) {
      if (this.frame.signal.aborted) throw error;
      const code = failureCodeOf(error) ?? 'INTERNAL';
      if (!costUnknown.includes(code)) this.carry = { ...this.carry, known: this.carry.known + 1 };
      this.frame.carry(this.carry);
      const last = this.before + 1 >= this.bounds.attempts;
      throw toApplicationFailure(toFailure(error), {
        details: [this.usage()],
        nonRetryable: last || !isRetryable(code),
      });
    }
  }

  private settle(reply: ModelReply): void {
    if (!reply.usage) return; // not stated: the request stays "lost" and is charged at its reservation
    this.carry = {
      ...this.carry,
      known: this.carry.known + 1,
      inputTokens: this.carry.inputTokens + reply.usage.inputTokens,
      outputTokens: this.carry.outputTokens + reply.usage.outputTokens,
      usd: this.carry.usd === null || reply.usage.usd === null ? null : this.carry.usd + reply.usage.usd,
    };
    this.frame.carry(this.carry);
  }
}

/** Counts that cannot be true (none at all, negative, no numbers) count as not stated: they would make a budget inert. */
function withStatedUsage(reply: ModelReply): ModelReply {
  const { success, data } = modelUsageSchema.safeParse(reply.usage);
  return success && data.inputTokens + data.outputTokens > 0 ? reply : { ...reply, usage: null };
}
