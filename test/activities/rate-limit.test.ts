/** Model calls at the rate limit of their key: what waits, what goes back to the server, and what counts as a request. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ApplicationFailureCategory, CancelledFailure, type ApplicationFailure } from '@temporalio/common';
import type { AttemptCarry } from '../../src/activities/attempt-carry.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import type { RateLimit } from '../../src/contract/rate-limits.ts';
import type { ModelStep, ModelStepResult } from '../../src/contract/steps.ts';
import type { Model, ModelRate } from '../../src/models/model.ts';
import { createMemoryBuckets } from '../../src/store/buckets/memory-buckets.ts';
import type { RateBuckets } from '../../src/store/buckets/rate-buckets.ts';
import {
  createWorld,
  modelOf,
  modelStep,
  openEnvironment,
  reply,
  type Answer,
  type ListModel,
} from './activity-world.ts';

const tokens = 20_000;
const rateOf = (limit: RateLimit): ModelRate => ({ key: 'openai 00 gpt-5', limit, limitName: 'openai/gpt-5' });
const limited = (answers: readonly Answer[], limit: RateLimit): ListModel =>
  Object.assign(modelOf(answers), { rate: rateOf(limit) });

/** One attempt: its result or its failure, and the carry that it leaves behind. */
async function attempt(model: Model, buckets: RateBuckets, number = 1, carried?: unknown) {
  const { activities } = createWorld({ model, buckets });
  const environment = openEnvironment({ attempt: number, heartbeatDetails: carried });
  let carry: AttemptCarry | undefined;
  environment.on('heartbeat', (details: AttemptCarry | undefined) => {
    if (details) carry = JSON.parse(JSON.stringify(details)) as AttemptCarry;
  });
  const step = modelStep({ maxSpendTokens: tokens, attempts: 3 });
  const running = environment
    .run<[ModelStep], ModelStepResult, typeof activities.callModelActivity>(activities.callModelActivity, step)
    .then(
      (result) => ({ result, failure: undefined }),
      (error: unknown) => ({ result: undefined, failure: error as ApplicationFailure }),
    );
  return { environment, ended: running.then((ending) => ({ ...ending, carry: carry! })) };
}

beforeEach(() => void jest.useFakeTimers({ now: 1_800_000_000_000, doNotFake: ['nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

describe('a wait for the turn', () => {
  test('of at most two seconds is slept, with the heartbeat going on', async () => {
    const [buckets, limit] = [createMemoryBuckets(Date.now), { rpm: 61 }];
    await buckets.take('openai 00 gpt-5', 0, limit);
    const model = limited([reply()], limit);
    const { environment, ended } = await attempt(model, buckets);
    let beats = 0;
    environment.on('heartbeat', () => (beats += 1));
    await jest.advanceTimersByTimeAsync(990);
    expect(model.requests).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(20);
    expect(model.requests).toHaveLength(1);
    expect((await ended).result!.usage).toMatchObject({ requests: 1, lost: 0 });
    expect(beats).toBeGreaterThan(0);
  });

  test('that is longer goes back to the server for the whole of it, less a second, and is no request', async () => {
    const [buckets, limit] = [createMemoryBuckets(Date.now), { rpm: 6 }];
    await buckets.take('openai 00 gpt-5', 0, limit);
    const model = limited(['MODEL_SERVER', 'MODEL_SERVER', 'MODEL_SERVER', reply()], limit);
    const first = await (await attempt(model, buckets)).ended;
    expect(first.failure).toMatchObject({
      type: 'MODEL_RATE_LIMIT',
      nonRetryable: false,
      category: ApplicationFailureCategory.BENIGN,
      details: [{ requests: 0, lost: 0 }],
    });
    const delayMs = first.failure!.nextRetryDelay as number;
    expect(delayMs).toBe(Math.ceil(61_000 / 6) - 1_000);
    expect(first.carry).toMatchObject({ deferred: 1, start: { startMs: expect.any(Number) } });

    await jest.advanceTimersByTimeAsync(delayMs);
    const second = await attempt(model, buckets, 2, first.carry);
    await jest.advanceTimersByTimeAsync(0);
    expect(model.requests).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(model.requests).toHaveLength(1);
    const { failure, carry } = await second.ended;
    expect(failure).toMatchObject({ type: 'MODEL_SERVER', details: [{ requests: 1 }] });
    expect(carry.start).toBeNull();
  });

  test('that was missed by far is taken anew instead of being used late', async () => {
    const [buckets, limit] = [createMemoryBuckets(Date.now), { rpm: 6 }];
    await buckets.take('openai 00 gpt-5', 0, limit);
    const model = limited([reply()], limit);
    const { carry } = await (await attempt(model, buckets)).ended;
    for (let count = 0; count < 3; count += 1) await buckets.take('openai 00 gpt-5', 0, limit);
    await jest.advanceTimersByTimeAsync(15_000);
    const { failure } = await (await attempt(model, buckets, 2, carry)).ended;
    expect(failure).toMatchObject({ type: 'MODEL_RATE_LIMIT', details: [{ requests: 0 }] });
    expect(model.requests).toHaveLength(0);
  });

  test('ends at once when the run is cancelled, and gives back what it had debited', async () => {
    const [buckets, limit] = [createMemoryBuckets(Date.now), { rpm: 61, tpm: 1_000_000 }];
    await buckets.take('openai 00 gpt-5', 0, limit);
    const model = limited([reply()], limit);
    const { environment, ended } = await attempt(model, buckets);
    await jest.advanceTimersByTimeAsync(100);
    environment.cancel();
    const { failure } = await ended;
    expect(failure).toBeInstanceOf(CancelledFailure);
    expect((failure as CancelledFailure).details).toEqual([
      expect.objectContaining({ requests: 0, lost: 0 }),
      expect.objectContaining({ socketsClosed: 0, lastSocketClosedAt: null }),
    ]);
    expect(model.requests).toHaveLength(0);
    expect(await buckets.take('openai 00 gpt-5', 20_000, limit)).toMatchObject({ waitMs: 900 });
  });

  test('B50 · for more tokens than a minute has is refused at once, in words', async () => {
    const model = limited([reply()], { tpm: 1_000 });
    const { failure } = await (await attempt(model, createMemoryBuckets(Date.now))).ended;
    expect(failure).toMatchObject({ type: 'MODEL_RATE_LIMIT', nonRetryable: true });
    expect(failure!.message).toMatch(/may use \d+ tokens, and the limit "openai\/gpt-5" is 1000 a minute/);
    expect(model.requests).toHaveLength(0);
  });

  test('for buckets that do not answer is tried again, and is no request', async () => {
    const away: RateBuckets = {
      ...createMemoryBuckets(Date.now),
      take: () => Promise.reject(new TributaryError('STORE_UNAVAILABLE', 'no database')),
    };
    const { failure } = await (await attempt(limited([reply()], { rpm: 5 }), away)).ended;
    expect(failure).toMatchObject({ type: 'STORE_UNAVAILABLE', nonRetryable: false, details: [{ requests: 0 }] });
  });
});

describe('after a request', () => {
  const limit = { tpm: 60_000 };
  const waitAfter = async (answer: Answer) => {
    const buckets = createMemoryBuckets(Date.now);
    await (
      await attempt(limited([answer], limit), buckets)
    ).ended;
    const turn = await buckets.take('openai 00 gpt-5', 1_200, limit);
    return turn.kind === 'start' ? turn.waitMs : null;
  };

  test('its real usage counts instead of its reservation', async () => {
    expect(await waitAfter(reply({ usage: { inputTokens: 100, outputTokens: 20 } }))).toBeLessThan(200);
    expect(await waitAfter(reply({ usage: { inputTokens: 50_000, outputTokens: 20 } }))).toBeGreaterThan(50_000);
  });

  test('whose usage nobody states, its reservation stands; one that failed for nothing has used nothing', async () => {
    expect(await waitAfter(reply({ usage: null }))).toBeGreaterThan(1_000);
    expect(await waitAfter('MODEL_NETWORK')).toBeGreaterThan(1_000);
    expect(await waitAfter('MODEL_SERVER')).toBe(0);
  });

  test('a count that cannot be settled does not lose the answer', async () => {
    const broken: RateBuckets = {
      ...createMemoryBuckets(Date.now),
      settle: () => Promise.reject(new TributaryError('STORE_UNAVAILABLE', 'no database')),
    };
    const { result } = await (await attempt(limited([reply()], limit), broken)).ended;
    expect(result).toMatchObject({ kind: 'reply', usage: { requests: 1 } });
  });
});

describe('B47 · one that is refused', () => {
  test.each(['MODEL_RATE_LIMIT', 'MODEL_OVERLOADED'] as const)(
    'with %s slows its siblings on the key',
    async (code) => {
      const buckets = createMemoryBuckets(Date.now);
      const refusal = new TributaryError(code, 'slow down', { retryAfterMs: 8_000 });
      await (
        await attempt(limited([refusal], {}), buckets)
      ).ended;
      const sibling = limited([reply()], {});
      const { failure } = await (await attempt(sibling, buckets)).ended;
      expect(failure).toMatchObject({ type: 'MODEL_RATE_LIMIT', details: [{ requests: 0 }] });
      expect(failure!.nextRetryDelay).toBeGreaterThanOrEqual(7_000);
      expect(sibling.requests).toHaveLength(0);
    },
  );

  test('also those that already sleep until their turn', async () => {
    const [buckets, limit] = [createMemoryBuckets(Date.now), { rpm: 61 }];
    await buckets.take('openai 00 gpt-5', 0, limit);
    const sibling = limited([reply()], limit);
    const { ended } = await attempt(sibling, buckets);
    await jest.advanceTimersByTimeAsync(500);
    await buckets.slowDown('openai 00 gpt-5', 5_000);
    await jest.advanceTimersByTimeAsync(1_000);
    expect((await ended).failure).toMatchObject({ type: 'MODEL_RATE_LIMIT' });
    expect(sibling.requests).toHaveLength(0);
  });

  test('other failures slow nobody', async () => {
    const buckets = createMemoryBuckets(Date.now);
    await (
      await attempt(limited(['MODEL_SERVER'], {}), buckets)
    ).ended;
    expect(await buckets.take('openai 00 gpt-5', 0, {})).toMatchObject({ waitMs: 0 });
  });
});

describe('B47 · ten callers of three calls each on one key and a provider that answers one request a second', () => {
  /** Refuses with `retry-after: 1` what comes within a second of the last that it took. */
  function oneASecond() {
    const seen = { taken: [] as number[], refused: [] as number[] };
    const model: Model = {
      name: 'openai/gpt-5',
      rate: rateOf({}),
      countTokens: async () => null,
      async call(_, { onRequest }) {
        onRequest();
        if (Date.now() - (seen.taken.at(-1) ?? 0) < 1_000) {
          seen.refused.push(Date.now());
          throw new TributaryError('MODEL_RATE_LIMIT', 'one a second', { retryAfterMs: 1_000 });
        }
        seen.taken.push(Date.now());
        return reply();
      },
    };
    return { seen, model };
  }

  /** Attempts as the server makes them, after the delays that they ask for. */
  async function call(model: Model, buckets: RateBuckets) {
    let carried: unknown;
    for (let number = 1; ; number += 1) {
      const { result, failure, carry } = await (await attempt(model, buckets, number, carried)).ended;
      if (result || failure.nonRetryable) return { result, failure };
      carried = carry;
      await new Promise((resolve) => setTimeout(resolve, failure.nextRetryDelay as number));
    }
  }

  test('all 30 succeed, at most ten are refused, and none is sent in a pause', async () => {
    const { seen, model } = oneASecond();
    const buckets = createMemoryBuckets(Date.now);
    const callers = Array.from({ length: 10 }, async () => {
      const results = [];
      for (let count = 0; count < 3; count += 1) results.push(await call(model, buckets));
      return results;
    });
    let isDone = false;
    const all = Promise.all(callers).finally(() => (isDone = true));
    while (!isDone) await jest.advanceTimersByTimeAsync(50);
    const results = (await all).flat();
    expect(results.filter(({ result }) => result)).toHaveLength(30);
    expect(seen.refused.length).toBeLessThanOrEqual(10);
    const firstRefusal = seen.refused[0]!;
    const sentInPause = [...seen.taken, ...seen.refused].filter(
      (each) => each > firstRefusal && each < firstRefusal + 1_000,
    );
    expect(sentInPause).toEqual([]);
    // No standstill either: one a second is what there is.
    expect(seen.taken.at(-1)! - seen.taken[0]!).toBeLessThan(60_000);
  });
});
