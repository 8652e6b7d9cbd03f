/**
 * Counts the requests of one model call over all attempts of its activity, so that N configured attempts are N requests
 * and no crash can spend more than the reservation (TEMPORAL 1).
 */
import { TributaryError } from '../contract/failure.ts';
import { failureCodeOf, isRetryable } from '../contract/failure.ts';
import type { CallUsage } from '../contract/budget.ts';
import { modelUsageSchema, type ModelReply, type ModelUsage } from '../contract/model.ts';
import { addUsd, boundMicroUsd, fromMicroUsd, tokensFor, toMicroUsd } from '../domain/money.ts';
import { toApplicationFailure, toFailure } from '../temporal/failure-codec.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import type { RateBuckets } from '../store/buckets/rate-buckets.ts';
import { noCarry, type AttemptCarry } from './attempt-carry.ts';
import { backoffMs } from './back-off.ts';
import type { ActivityFrame } from './cancellable.ts';
import { chargeLost, type SpendBounds } from './charge-lost.ts';
import { fitRequest, type FittedRequest } from './fit-request.ts';
import { waitForTurn, type TurnEnd } from './rate-turn.ts';
import { isCostUnknown, toTurnEnd, toTurnFailure, toUsed } from './turn-end.ts';

/** What a call may make and spend, and what its tokens cost. */
export type CallBounds = SpendBounds & { readonly attempts: number };

export class ModelAttempts {
  private carry: AttemptCarry;
  private readonly before: number;
  private inFlight = 0;
  private readonly frame: ActivityFrame;
  private readonly bounds: CallBounds;
  private readonly price: (usage: ModelUsage) => number | null;
  private readonly buckets: RateBuckets;

  /** `price`: USD of a usage, `null` where nobody knows it. */
  constructor(
    frame: ActivityFrame,
    bounds: CallBounds,
    price: (usage: ModelUsage) => number | null,
    buckets: RateBuckets,
  ) {
    this.frame = frame;
    this.bounds = bounds;
    this.price = price;
    this.buckets = buckets;
    this.carry = { ...noCarry, ...(frame.carried as Partial<AttemptCarry> | undefined) };
    // A deferral is flushed with its failure, a crash is not: so a crash counts as a request.
    this.before = Math.max(0, frame.attempt - 1 - this.carry.deferred) + this.carry.extra;
    frame.carry(this.carry);
  }

  /** What this call cost so far, lost and unfinished requests included. */
  usage(): CallUsage {
    const { inputTokens, outputTokens, usd } = this.carry;
    const requests = this.before + this.inFlight;
    const lost = this.countLost();
    return { requests, inputTokens, outputTokens, usd, lost, ...chargeLost(this.carry, lost, this.bounds) };
  }

  /** Details of an attempt that ends without a result. One that has sent nothing is no request of the next one's count. */
  detailsOnEnd(): [CallUsage] {
    if (this.inFlight === 0) {
      this.carry = { ...this.carry, deferred: this.carry.deferred + 1 };
      this.frame.carry(this.carry);
    }
    return [this.usage()];
  }

  /** Tokens of the reservation that earlier requests have not used up, and that there is money for. */
  availableTokens(): number {
    const { maxSpendTokens, maxSpendMicroUsd, maxOutputTokens, rates } = this.bounds;
    const { inputTokens, outputTokens, usd, requestTokens, requestUsd } = this.carry;
    const lost = this.countLost();
    const tokens = maxSpendTokens - inputTokens - outputTokens - lost * requestTokens;
    if (maxSpendMicroUsd === undefined) return tokens;
    const spent = toMicroUsd(usd) + lost * toMicroUsd(requestUsd);
    return Math.min(tokens, tokensFor(Math.max(0, maxSpendMicroUsd - spent), maxOutputTokens, rates));
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
    const lost = this.countLost();
    const isSized = lost === 0 || this.carry.requestTokens > 0;
    if (isSized) this.requireAttempt();
    const mayShrink = lost === 0;
    const availableTokens = this.availableTokens();
    const fitted = await fitRequest(model, request, { availableTokens, known, mayShrink, signal: this.frame.signal });
    // A crash took the size of its request along: it was this one, which as a whole would have been sent as it is.
    if (!isSized && fitted.kind === 'fits') this.carrySize(fitted.request, fitted.requestTokens);
    this.requireAttempt();
    if (fitted.kind === 'does-not-fit' && !mayShrink) {
      throw new TributaryError(
        'MODEL_ATTEMPTS',
        `${lost} of the requests were lost; a further one may cost ${fitted.neededTokens} tokens, and ${availableTokens} of the reservation are left`,
      );
    }
    return fitted;
  }

  /**
   * One call, after `fit`, when its turn at the rate limit has come. A failed one becomes a Temporal retry while requests
   * are left and a repeat can help; a turn that is far off becomes one that is no request.
   */
  async request(model: Model, request: ModelRequest, requestTokens: number): Promise<ModelReply> {
    const { signal } = this.frame;
    signal.throwIfAborted(); // nothing was sent yet, so nothing is charged
    this.requireRoom(requestTokens);
    const endTurn = await this.takeTurn(model, requestTokens);
    this.carrySize(request, requestTokens);
    try {
      const onRequest = () => this.countRequest(requestTokens);
      const reply = withStatedUsage(await model.call(request, { signal, onRequest }));
      this.settle(reply.usage);
      await endTurn(toUsed(reply.usage));
      return reply;
    } catch (error) {
      await endTurn(this.inFlight === 0 ? { kind: 'unsent' } : toTurnEnd(error));
      if (signal.aborted || this.inFlight === 0) throw error; // nothing was sent: nothing is charged
      const code = failureCodeOf(error) ?? 'INTERNAL';
      // Only the last request failed: those before it were answered, at a price that nobody told us.
      if (!isCostUnknown(code)) this.carry = { ...this.carry, known: this.carry.known + 1 };
      this.frame.carry(this.carry);
      const made = this.before + this.inFlight;
      const isLast = made >= this.bounds.attempts || isFinal(error);
      const failure = toFailure(error);
      throw toApplicationFailure(
        { ...failure, retryAfterMs: Math.max(failure.retryAfterMs ?? 0, backoffMs(made)) },
        { details: [this.usage()], nonRetryable: isLast || !isRetryable(code) },
      );
    }
  }

  /** Waits until the request may leave; what it resolves to says how it ended. */
  private async takeTurn(model: Model, requestTokens: number): Promise<(how: TurnEnd) => Promise<void>> {
    if (!model.rate) return async () => undefined;
    const { signal } = this.frame;
    const held = this.carry.start;
    const turn = await waitForTurn(this.buckets, model.rate, requestTokens, { held, signal });
    const start = turn.kind === 'defer' ? turn.start : null;
    if (start !== held) {
      this.carry = { ...this.carry, start };
      this.frame.carry(this.carry);
    }
    if (turn.kind === 'go') return turn.end;
    throw toTurnFailure(turn, { name: model.name, rate: model.rate, requestTokens, details: this.detailsOnEnd() });
  }

  /** Just before a request leaves. Throws where it would pass the number of attempts or the reservation. */
  private countRequest(requestTokens: number): void {
    this.requireAttempt();
    if (this.inFlight > 0) {
      this.requireRoom(requestTokens);
      this.carry = { ...this.carry, extra: this.carry.extra + 1 };
      this.frame.carry(this.carry);
    }
    this.inFlight += 1;
  }

  private countLost(): number {
    return Math.max(0, this.before + this.inFlight - this.carry.known);
  }

  /** Known to the next attempt before the request leaves, where its heartbeat arrives. */
  private carrySize(request: ModelRequest, requestTokens: number): void {
    const { rates } = this.bounds;
    const requestUsd = rates ? fromMicroUsd(boundMicroUsd(requestTokens, request.maxOutputTokens, rates)) : null;
    this.carry = {
      ...this.carry,
      requestTokens: Math.max(requestTokens, this.carry.requestTokens),
      requestUsd: requestUsd === null ? null : Math.max(requestUsd, this.carry.requestUsd ?? 0),
    };
    this.frame.carry(this.carry);
  }

  private requireRoom(requestTokens: number): void {
    const available = this.availableTokens();
    if (requestTokens <= available) return;
    throw new TributaryError(
      'MODEL_ATTEMPTS',
      `a further request may cost ${requestTokens} tokens; ${available} of the reservation are left`,
    );
  }

  /** Where a run reserves at rates that this worker does not know: a charge of nothing would make its limit inert. */
  private dearest({ inputTokens, outputTokens }: ModelUsage): number | null {
    const { rates } = this.bounds;
    return rates ? fromMicroUsd(boundMicroUsd(inputTokens + outputTokens, outputTokens, rates)) : null;
  }

  private requireAttempt(): void {
    const made = this.before + this.inFlight;
    if (made < this.bounds.attempts) return;
    const were = made === 1 ? '1 request was' : `${made} requests were`;
    throw new TributaryError('MODEL_ATTEMPTS', `${were} made and none was answered`);
  }

  private settle(usage: ModelUsage | null): void {
    if (!usage) return; // not stated: the requests stay "lost" and are charged at their reservation
    const usd = this.price(usage) ?? this.dearest(usage);
    this.carry = {
      ...this.carry,
      known: this.carry.known + this.inFlight,
      inputTokens: this.carry.inputTokens + usage.inputTokens,
      outputTokens: this.carry.outputTokens + usage.outputTokens,
      // Whole millionths, as the ledger charges them: then every sum is exact.
      usd: this.carry.usd === null || usd === null ? null : addUsd(this.carry.usd, fromMicroUsd(toMicroUsd(usd))),
    };
    this.frame.carry(this.carry);
  }
}

/** Counts that cannot be true (none at all, negative, no numbers) count as not stated: they would make a budget inert. */
function withStatedUsage(reply: ModelReply): ModelReply {
  const { success, data } = modelUsageSchema.safeParse(reply.usage);
  return success && data.inputTokens + data.outputTokens > 0 ? reply : { ...reply, usage: null };
}

/** The provider said that a repeat is pointless, whatever the class of its error. */
function isFinal(error: unknown): boolean {
  return (error as { final?: unknown } | null)?.final === true;
}
