/** Money of one call where heartbeats are lost, a provider's client repeats by itself, and waits are asked for. */
import { describe, expect, test } from '@jest/globals';
import type { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { TributaryError } from '../../src/contract/failure.ts';
import type { ModelUsage } from '../../src/contract/model.ts';
import type { ModelStep } from '../../src/contract/steps.ts';
import { fromMicroUsd, toMicroUsd } from '../../src/domain/money.ts';
import { settleCall } from '../../src/domain/usage.ts';
import type { Model } from '../../src/models/model.ts';
import {
  createWorld,
  modelOf,
  modelStep,
  reply,
  runAttempts,
  runOnce,
  type Answer,
  type ListModel,
} from './activity-world.ts';

/** One millionth of a USD for a token of input, ten for one of output. */
const rates = { input: 1, output: 10 };
const priceUsage = (_: unknown, { inputTokens, outputTokens }: ModelUsage) =>
  fromMicroUsd(inputTokens + 10 * outputTokens);

async function call(model: Model, step: Partial<ModelStep> = {}, lostBeats = false) {
  const { activities } = createWorld({ model, priceUsage });
  const whole = modelStep({ rates, maxSpendTokens: 1_000_000, attempts: 9, ...step });
  const ending = await runAttempts(activities.callModelActivity, whole, { lostBeats });
  const usage = ending.result?.usage ?? ending.usage!;
  return { ...ending, usage, microUsd: toMicroUsd(settleCall(usage).usage.usd) };
}

/** A provider that keeps to the output it was allowed; one that does not is charged what it says. */
function keepingToOutput(model: ListModel): ListModel {
  const within = (usage: ModelUsage, most: number) => ({ ...usage, outputTokens: Math.min(usage.outputTokens, most) });
  return {
    ...model,
    async call(request, options) {
      const answer = await model.call(request, options);
      return { ...answer, usage: answer.usage && within(answer.usage, request.maxOutputTokens) };
    },
  };
}

/** What one request of `step` may cost at most. */
async function sizeOf(step: Partial<ModelStep> = {}) {
  const { usage } = await call(modelOf([reply()]), step);
  return { tokens: usage.requestTokens, microUsd: toMicroUsd(usage.requestUsd) };
}

describe('a crash that takes the heartbeats of its attempt with it', () => {
  test.each([1, 2, 3])('does not open a reservation of %i whole requests for one more', async (affordable) => {
    const one = await sizeOf();
    const inTokens = modelOf(['crash']);
    const maxSpendTokens = affordable * one.tokens + one.tokens - 1;
    const byTokens = await call(inTokens, { maxSpendTokens }, true);
    expect(inTokens.requests).toHaveLength(affordable);
    expect(settleCall(byTokens.usage).tokens).toBe(affordable * one.tokens);

    const inMoney = modelOf(['crash']);
    const maxSpendMicroUsd = affordable * one.microUsd + one.microUsd - 1;
    const byMoney = await call(inMoney, { maxSpendMicroUsd }, true);
    expect(inMoney.requests).toHaveLength(affordable);
    expect(byMoney.microUsd).toBe(affordable * one.microUsd);
  });
});

test('what was cut to fit, and was lost with its size, is charged the whole reservation', async () => {
  // Its bytes do not fit: the first attempt counts and sends less, the second may not cut.
  const model = modelOf(['crash'], { countTokens: async () => 100 });
  const { usage, failure } = await call(model, { maxSpendTokens: 900 }, true);
  expect(model.requests).toHaveLength(1);
  expect(failure).toMatchObject({ type: 'MODEL_ATTEMPTS', nonRetryable: true });
  expect(settleCall(usage)).toMatchObject({ tokens: 900, usage: { estimated: true } });
});

test('crashes before their requests count as requests, and cost no more than the reservation all the same', async () => {
  const one = await sizeOf();
  const step = modelStep({
    rates,
    attempts: 9,
    maxSpendTokens: one.tokens * 2,
    maxSpendMicroUsd: one.microUsd * 2,
  });
  const model = modelOf([reply()]);
  const { activities } = createWorld({ model, priceUsage });
  const error = await runOnce(activities.callModelActivity, step, { attempt: 5 }).catch((caught: unknown) => caught);
  const [usage] = (error as ApplicationFailure).details as [Parameters<typeof settleCall>[0]];
  expect(usage).toMatchObject({ requests: 4, lost: 4 });
  const settled = settleCall(usage);
  expect(settled.tokens).toBeLessThanOrEqual(step.maxSpendTokens);
  expect(toMicroUsd(settled.usage.usd)).toBeLessThanOrEqual(step.maxSpendMicroUsd!);
  expect(model.requests).toHaveLength(0);
});

test('over random answers, losses, crashes and heartbeats: the charge is at most the reservation, and at least the cost', async () => {
  const answer = fc.oneof(
    fc.constantFrom<Answer>('crash', 'MODEL_NETWORK', 'MODEL_SERVER', 'MODEL_RATE_LIMIT', 'MODEL_BAD_RESPONSE'),
    fc.constant<Answer>(reply({ usage: null })),
    fc.nat(100).map<Answer>((outputTokens) => reply({ usage: { inputTokens: 150, outputTokens } })),
  );
  const inputTokens = 150;
  let lost = 0;
  let limited = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(answer, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 300, max: 12_000 }),
      fc.integer({ min: 500, max: 60_000 }),
      fc.integer({ min: 50, max: 2_000 }),
      fc.boolean(),
      async (answers, attempts, maxSpendTokens, maxSpendMicroUsd, maxOutputTokens, lostBeats) => {
        const model = keepingToOutput(modelOf(answers, { countTokens: async () => inputTokens }));
        const bounds = { attempts, maxSpendTokens, maxSpendMicroUsd, maxOutputTokens };
        const { usage, microUsd, failure } = await call(model, bounds, lostBeats);
        expect(model.requests.length).toBeLessThanOrEqual(attempts);
        expect(microUsd).toBeLessThanOrEqual(maxSpendMicroUsd);
        expect(settleCall(usage).tokens).toBeLessThanOrEqual(maxSpendTokens);
        // What the provider may have charged: nothing for a refusal, and all that it was allowed to for what was lost.
        const cost = model.requests.reduce((sum, request, index) => {
          const given = answers[Math.min(index, answers.length - 1)]!;
          if (given === 'MODEL_SERVER' || given === 'MODEL_RATE_LIMIT') return sum;
          const stated = typeof given === 'object' && 'usage' in given ? given.usage : null;
          const { maxOutputTokens: most } = request;
          return sum + inputTokens + 10 * (stated ? Math.min(stated.outputTokens, most) : most);
        }, 0);
        expect(microUsd).toBeGreaterThanOrEqual(cost);
        lost += usage.lost;
        if (failure?.message.includes('reservation')) limited += 1;
      },
    ),
    { numRuns: 600 },
  );
  expect(lost).toBeGreaterThan(100);
  expect(limited).toBeGreaterThan(30);
});

describe('requests that a provider makes by itself within one call', () => {
  /** Calls `onRequest` until it is refused. */
  function repeating() {
    let sent = 0;
    const model: Model = {
      ...modelOf([]),
      async call(_, { onRequest }) {
        for (;;) {
          onRequest();
          sent += 1;
        }
      },
    };
    return { model, sent: () => sent };
  }

  test.each([1, 2, 3])('end at a reservation in money for %i of them', async (affordable) => {
    const one = await sizeOf();
    const { model, sent } = repeating();
    const { microUsd, failure } = await call(model, { maxSpendMicroUsd: affordable * one.microUsd + one.microUsd - 1 });
    expect(sent()).toBe(affordable);
    expect(failure).toMatchObject({ type: 'MODEL_ATTEMPTS', nonRetryable: true });
    expect(microUsd).toBe(affordable * one.microUsd);
  });

  test('end at the number of attempts, however much money there is', async () => {
    const { model, sent } = repeating();
    const { usage } = await call(model, { attempts: 4, maxSpendMicroUsd: 100_000_000 });
    expect(sent()).toBe(4);
    expect(usage.requests).toBe(4);
  });
});

describe('an error before any request', () => {
  test('costs nothing, however often it comes, and takes no attempt from those after it', async () => {
    let failing = 5;
    const answering = modelOf([reply()]);
    const model: Model = {
      ...answering,
      async call(request, options) {
        failing -= 1;
        if (failing >= 0) throw new TributaryError('MODEL_NETWORK', 'no connection');
        return answering.call(request, options);
      },
    };
    const { usage, microUsd, attempts } = await call(model, { attempts: 1 });
    expect(attempts).toBe(6);
    expect(usage).toMatchObject({ requests: 1, lost: 0 });
    expect(microUsd).toBe(300);
  });

  test('after a lost one leaves only that one charged', async () => {
    const one = await sizeOf();
    let calls = 0;
    const model: Model = {
      ...modelOf([]),
      async call(_, { onRequest }) {
        calls += 1;
        if (calls === 2) throw new TributaryError('MODEL_AUTH', 'the key is gone');
        onRequest();
        throw new TributaryError('MODEL_NETWORK', 'cut');
      },
    };
    const { usage, microUsd, failure } = await call(model);
    expect(failure).toMatchObject({ type: 'MODEL_AUTH', nonRetryable: true });
    expect(usage).toMatchObject({ requests: 1, lost: 1 });
    expect(microUsd).toBe(one.microUsd);
  });
});

describe('the wait before the next request', () => {
  const delayOf = async (retryAfterMs: number | undefined, attempt = 1) => {
    const error = new TributaryError('MODEL_RATE_LIMIT', 'later', retryAfterMs === undefined ? {} : { retryAfterMs });
    const { activities } = createWorld({ model: modelOf([error]), priceUsage });
    const step = modelStep({ attempts: 30, maxSpendTokens: 1_000_000 });
    const failure = await runOnce(activities.callModelActivity, step, { attempt }).catch((caught: unknown) => caught);
    return (failure as ApplicationFailure).nextRetryDelay as number;
  };

  test.each([1_001, 7_000, 90_000])('is %i ms where the provider asks for them and ours is shorter', async (asked) => {
    expect(await delayOf(asked)).toBe(asked);
  });

  test.each([0, 1, 100, undefined])('is ours where the provider asks for less: %p', async (asked) => {
    for (let sample = 0; sample < 20; sample += 1) {
      for (const attempt of [1, 3, 20]) {
        const delay = await delayOf(asked, attempt);
        expect(delay).toBeGreaterThanOrEqual(500);
        expect(delay).toBeLessThanOrEqual(60_000);
      }
    }
  });

  test('is none where the provider says that a repeat is pointless: one request, and no further attempt', async () => {
    const final = new TributaryError('MODEL_OVERLOADED', 'not today', { final: true, retryAfterMs: 1_000 });
    const model = modelOf([final, reply()]);
    const { attempts, failure, microUsd } = await call(model);
    expect({ attempts, requests: model.requests.length, microUsd }).toEqual({ attempts: 1, requests: 1, microUsd: 0 });
    expect(failure).toMatchObject({ type: 'MODEL_OVERLOADED', nonRetryable: true });
  });
});
