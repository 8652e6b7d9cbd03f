import { describe, expect, test } from '@jest/globals';
import type { ApplicationFailure } from '@temporalio/common';
import { CancelledFailure } from '@temporalio/common';
import { failureCodes, isRetryable, TributaryError, type FailureCode } from '../../src/contract/failure.ts';
import type { ActivityDependencies } from '../../src/activities/dependencies.ts';
import type { ModelReply, ModelUsage } from '../../src/contract/model.ts';
import type { ModelStep } from '../../src/contract/steps.ts';
import { toMicroUsd } from '../../src/domain/money.ts';
import { settleCall } from '../../src/domain/usage.ts';
import type { Model } from '../../src/models/model.ts';
import {
  createWorld,
  memoryStore,
  modelOf,
  modelStep,
  openEnvironment,
  reply,
  runAttempts,
  runOnce,
  type Answer,
} from './activity-world.ts';

/** Makes the call of `step` until it ends, with these answers of the model. */
async function call(
  answers: readonly Answer[],
  step: Partial<ModelStep> = {},
  options: { lostBeats?: boolean; priceUsage?: ActivityDependencies['priceUsage'] } = {},
) {
  const model = modelOf(answers);
  const { priceUsage } = options;
  const { activities } = createWorld({ model, ...(priceUsage && { priceUsage }) });
  const ending = await runAttempts(activities.callModelActivity, modelStep(step), options);
  return { ...ending, requests: model.requests.length, usage: ending.result?.usage ?? ending.usage };
}

const paid = { inputTokens: 100, outputTokens: 20, usd: 0.01 };

describe('requests are counted over all attempts', () => {
  test('an answer at once is one request of known cost', async () => {
    const { usage, attempts } = await call([reply()]);
    expect(usage).toMatchObject({ requests: 1, ...paid, lost: 0 });
    expect(attempts).toBe(1);
  });

  test('three configured attempts against a server that always fails are exactly three requests', async () => {
    const { requests, attempts, usage, failure } = await call(['MODEL_SERVER'], { attempts: 3 });
    expect({ requests, attempts }).toEqual({ requests: 3, attempts: 3 });
    expect(usage).toMatchObject({ requests: 3, lost: 0, inputTokens: 0 });
    expect(failure).toMatchObject({ type: 'MODEL_SERVER', nonRetryable: true });
  });

  test.each([1, 2, 5])(
    'a configured %i is the number of requests, whatever mix of failures comes',
    async (attempts) => {
      const { requests } = await call(['MODEL_SERVER', 'MODEL_RATE_LIMIT', 'MODEL_NETWORK'], {
        attempts,
        maxSpendTokens: 1_000_000,
      });
      expect(requests).toBe(attempts);
    },
  );

  test('a crash, then a failure, then an answer: three requests, one of them lost', async () => {
    const { requests, usage } = await call(['crash', 'MODEL_SERVER', reply()]);
    expect(requests).toBe(3);
    expect(usage).toMatchObject({ requests: 3, lost: 1, ...paid });
  });

  test('crashes count up to the configured number, and then no request is made', async () => {
    const { requests, attempts, failure, usage } = await call(['crash'], { attempts: 3, maxSpendTokens: 1_000_000 });
    expect({ requests, attempts }).toEqual({ requests: 3, attempts: 4 });
    expect(failure).toMatchObject({ type: 'MODEL_ATTEMPTS', nonRetryable: true });
    expect(usage).toMatchObject({ requests: 3, lost: 3 });
  });

  test('a crash whose last heartbeats were lost is a lost request all the same', async () => {
    const { usage } = await call(['MODEL_SERVER', 'crash', reply()], {}, { lostBeats: true });
    expect(usage).toMatchObject({ requests: 3, lost: 1, ...paid });
  });

  test('an attempt that ends before it has sent anything is no request and costs nothing', async () => {
    const store = memoryStore();
    let failing = 6;
    const model = modelOf(['MODEL_SERVER', reply()]);
    const { activities } = createWorld({
      model,
      store: {
        ...store,
        async id() {
          failing -= 1;
          if (failing > 0) throw new TributaryError('STORE_UNAVAILABLE', 'the disk is away');
          return store.id();
        },
      },
    });
    const { result, attempts } = await runAttempts(activities.callModelActivity, modelStep({ attempts: 2 }));
    expect(attempts).toBe(7);
    expect(model.requests).toHaveLength(2);
    expect(result!.usage).toMatchObject({ requests: 2, lost: 0, ...paid });
  });

  test('such an attempt between two crashes does not hide them', async () => {
    let counts = 0;
    const model = modelOf(['crash', 'crash', reply()], {
      countTokens: async () => {
        counts += 1;
        if (counts === 2) throw new TributaryError('MODEL_NETWORK', 'no connection to count with');
        return 100;
      },
    });
    const { activities } = createWorld({ model });
    // The byte bound does not fit, so that the model is asked to count.
    const step = modelStep({ maxSpendTokens: 1_800, attempts: 3 });
    const { usage, failure } = await runAttempts(activities.callModelActivity, step);
    expect(failure).toMatchObject({ type: 'MODEL_ATTEMPTS' });
    expect(usage!.requests).toBe(usage!.lost);
    expect(model.requests).toHaveLength(usage!.requests);
  });
});

describe('each failure of a model', () => {
  const codes = failureCodes.filter((code) => code.startsWith('MODEL_'));
  test.each(codes)('%s is repeated only where that can help', async (code) => {
    const { activities } = createWorld({ model: modelOf([code]) });
    const failure = await runOnce(activities.callModelActivity, modelStep()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ApplicationFailure', type: code, nonRetryable: !isRetryable(code) });
    expect((failure as ApplicationFailure).details).toEqual([expect.objectContaining({ requests: 1 })]);
  });

  test.each(codes)('%s ends the call on the last attempt', async (code) => {
    const { activities } = createWorld({ model: modelOf([code]) });
    const step = modelStep({ attempts: 1 });
    await expect(runOnce(activities.callModelActivity, step)).rejects.toMatchObject({ type: code, nonRetryable: true });
  });

  test('a wait that the provider asks for is the wait before the next attempt', async () => {
    const slowDown = new TributaryError('MODEL_RATE_LIMIT', 'slow down', { retryAfterMs: 7_000 });
    const { activities } = createWorld({ model: modelOf([slowDown]) });
    await expect(runOnce(activities.callModelActivity, modelStep())).rejects.toMatchObject({ nextRetryDelay: 7_000 });
  });

  test('that is to be repeated waits at least half a second, longer each time and never by the same beat', async () => {
    const waits = async (carriedRequests: number) => {
      const { activities } = createWorld({ model: modelOf(['MODEL_SERVER']) });
      const step = modelStep({ attempts: 20, maxSpendTokens: 1_000_000 });
      const info = { attempt: carriedRequests + 1 };
      const failures = await Promise.all(
        Array.from({ length: 40 }, () =>
          runOnce(activities.callModelActivity, step, info).catch((error: unknown) => error),
        ),
      );
      return failures.map((error) => (error as ApplicationFailure).nextRetryDelay as number);
    };
    for (const [made, most] of [
      [0, 1_000],
      [2, 4_000],
      [15, 60_000],
    ] as const) {
      const each = await waits(made);
      expect(Math.min(...each)).toBeGreaterThanOrEqual(500);
      expect(Math.max(...each)).toBeLessThanOrEqual(most);
      expect(new Set(each).size).toBeGreaterThan(10);
    }
  });

  test('that the provider calls final is not repeated, whatever its class', async () => {
    const error = new TributaryError('MODEL_SERVER', 'do not retry', { final: true });
    const { activities } = createWorld({ model: modelOf([error]) });
    await expect(runOnce(activities.callModelActivity, modelStep())).rejects.toMatchObject({ nonRetryable: true });
  });

  test('an error that is none of ours is not repeated', async () => {
    const model = { ...modelOf([]), call: () => Promise.reject(new TypeError('x is undefined')) };
    const { activities } = createWorld({ model });
    await expect(runOnce(activities.callModelActivity, modelStep())).rejects.toMatchObject({
      type: 'INTERNAL',
      message: 'x is undefined',
      nonRetryable: true,
    });
  });

  test('a connection that broke may have been paid for: it is charged as lost', async () => {
    const { usage } = await call(['MODEL_NETWORK', 'MODEL_BAD_RESPONSE', 'MODEL_OVERLOADED', reply()]);
    expect(usage).toMatchObject({ requests: 4, lost: 2 });
    expect(settleCall(usage!).usage.estimated).toBe(true);
  });
});

describe('the reservation', () => {
  const size = async () => (await call([reply()])).usage!.requestTokens;

  test.each([1, 2, 3, 4])('of %i whole requests is never passed by crashes', async (affordable) => {
    const requestTokens = await size();
    const maxSpendTokens = affordable * requestTokens + requestTokens - 1;
    const { requests, usage, failure } = await call(['crash'], { maxSpendTokens, attempts: 9 });
    expect(requests).toBe(affordable);
    expect(settleCall(usage!).tokens).toBe(affordable * requestTokens);
    expect(failure).toMatchObject({ type: 'MODEL_ATTEMPTS', nonRetryable: true });
    expect(failure!.message).toMatch(/of the reservation are left/);
  });

  test('refused and failed requests leave it untouched', async () => {
    const requestTokens = await size();
    const { result } = await call(['MODEL_RATE_LIMIT', 'MODEL_SERVER', reply()], { maxSpendTokens: requestTokens });
    expect(result).toMatchObject({ kind: 'reply' });
  });
});

describe('usage that a model does not state, or states wrongly, is charged at the reservation', () => {
  const wrong: [string, unknown][] = [
    ['null', null],
    ['undefined', undefined],
    ['all zero', { inputTokens: 0, outputTokens: 0, usd: 0 }],
    ['negative', { inputTokens: -5, outputTokens: 10, usd: 0 }],
    ['NaN', { inputTokens: Number.NaN, outputTokens: 10, usd: 0 }],
    ['fractions', { inputTokens: 1.5, outputTokens: 10, usd: 0 }],
    ['texts', { inputTokens: '12', outputTokens: '3', usd: 0 }],
    ['incomplete', { inputTokens: 12 }],
  ];
  test.each(wrong)('%s', async (_, usage) => {
    const { usage: charged, result } = await call([reply({ usage: usage as ModelUsage | null })]);
    expect(charged).toMatchObject({ requests: 1, lost: 1, inputTokens: 0, outputTokens: 0 });
    const { tokens, usage: settled } = settleCall(charged!);
    expect(tokens).toBe(charged!.requestTokens);
    expect(settled.estimated).toBe(true);
    expect(result).toMatchObject({ head: { knownTokens: charged!.requestTokens } });
  });

  test('a price that is not known stays unknown', async () => {
    const { usage } = await call(
      [reply({ usage: { inputTokens: 10, outputTokens: 1 } })],
      {},
      { priceUsage: () => null },
    );
    expect(usage).toMatchObject({ usd: null, lost: 0 });
  });
});

describe('money', () => {
  /** One millionth of a USD for a token of input, ten for one of output. */
  const rates = { input: 1, output: 10 };
  const priceUsage = (_: unknown, { inputTokens, outputTokens }: ModelUsage) => (inputTokens + 10 * outputTokens) / 1e6;
  const inMoney = (answers: readonly Answer[], step: Partial<ModelStep>) =>
    call(answers, { rates, maxSpendTokens: 1_000_000, attempts: 9, ...step }, { priceUsage });
  const ofOne = async () => toMicroUsd((await inMoney([reply()], {})).usage!.requestUsd);

  test('of an answer is what its usage costs, and of a lost request what it could have cost', async () => {
    const { usage } = await inMoney(['MODEL_NETWORK', reply()], {});
    expect(usage).toMatchObject({ requests: 2, lost: 1, usd: 0.0003 });
    // All of its input, and as much output as it might have written.
    const bound = usage!.requestTokens - 1_000 + 10 * 1_000;
    expect(usage!.requestUsd).toBe(bound / 1e6);
    expect(settleCall(usage!).usage).toMatchObject({ usd: (300 + bound) / 1e6, estimated: true });
  });

  test.each([1, 2, 3])('of %i whole requests is never passed by crashes', async (affordable) => {
    const one = await ofOne();
    const maxSpendMicroUsd = affordable * one + one - 1;
    const { requests, usage, failure } = await inMoney(['crash'], { maxSpendMicroUsd });
    expect(requests).toBe(affordable);
    expect(toMicroUsd(settleCall(usage!).usage.usd)).toBe(affordable * one);
    expect(failure).toMatchObject({ type: 'MODEL_ATTEMPTS', nonRetryable: true });
  });

  test('that pays for less output makes the reply shorter, and for less than a reply sends nothing', async () => {
    const model = modelOf([reply()], { countTokens: async () => 1_000 });
    const { activities } = createWorld({ model, priceUsage });
    const step = modelStep({ rates, maxOutputTokens: 4_000, maxSpendMicroUsd: 20_000 });
    expect(await runOnce(activities.callModelActivity, step)).toMatchObject({ kind: 'reply' });
    // With any split of its tokens the request costs at most 20,000: 2,000 tokens, all of them output.
    expect(model.requests[0]!.maxOutputTokens).toBe(1_000);
    const poor = { ...step, maxSpendMicroUsd: 15_000 };
    expect(await runOnce(activities.callModelActivity, poor)).toMatchObject({ kind: 'does-not-fit' });
    expect(model.requests).toHaveLength(1);
  });

  test('of an answer whose price this worker does not know is charged at the rates of the run', async () => {
    const { usage } = await call([reply()], { rates }, { priceUsage: () => null });
    expect(usage!.usd).toBe((100 + 10 * 20) / 1e6);
  });

  test('is whole millionths, rounded up', async () => {
    const { usage } = await call([reply()], { rates }, { priceUsage: () => 0.0000012 });
    expect(usage!.usd).toBe(0.000002);
  });
});

describe('requests that a provider makes by itself within one call', () => {
  /** Makes so many requests, and then ends as said. */
  const hidden = (counts: readonly number[], end: (call: number) => ModelReply | FailureCode) => {
    let calls = 0;
    let sent = 0;
    const model: Model = {
      ...modelOf([]),
      async call(_, { onRequest }) {
        calls += 1;
        for (let made = 0; made < (counts[calls - 1] ?? 1); made += 1) {
          onRequest();
          sent += 1;
        }
        const answer = end(calls);
        if (typeof answer === 'string') throw new TributaryError(answer, answer);
        return answer;
      },
    };
    return { model, sent: () => sent };
  };
  const run = async (model: Model, step: Partial<ModelStep> = {}) => {
    const { activities } = createWorld({ model });
    const ending = await runAttempts(activities.callModelActivity, modelStep({ maxSpendTokens: 1_000_000, ...step }));
    return { ...ending, usage: ending.result?.usage ?? ending.usage! };
  };

  test('are all counted, and known once the whole is answered', async () => {
    const { model } = hidden([3], () => reply());
    const { usage } = await run(model);
    expect(usage).toMatchObject({ requests: 3, lost: 0, ...paid });
  });

  test('end at the configured number, and what was answered until then is charged', async () => {
    const { model, sent } = hidden([100], () => reply());
    const { failure, usage } = await run(model, { attempts: 3 });
    expect(sent()).toBe(3);
    expect(failure).toMatchObject({ type: 'MODEL_ATTEMPTS', nonRetryable: true });
    expect(usage).toMatchObject({ requests: 3, lost: 3 });
  });

  test('end at the reservation', async () => {
    const { usage: one } = await run(hidden([1], () => reply()).model);
    const { model, sent } = hidden([100], () => reply());
    const { failure, usage } = await run(model, { attempts: 9, maxSpendTokens: 2 * one.requestTokens + 1 });
    expect(sent()).toBe(2);
    expect(failure).toMatchObject({ type: 'MODEL_ATTEMPTS' });
    expect(settleCall(usage).tokens).toBe(2 * one.requestTokens);
  });

  test('count over attempts, and only the one that failed is known to have cost nothing', async () => {
    const { model, sent } = hidden([2, 1], (calls) => (calls === 1 ? 'MODEL_SERVER' : reply()));
    const { usage } = await run(model, { attempts: 4 });
    expect(sent()).toBe(3);
    expect(usage).toMatchObject({ requests: 3, lost: 1, ...paid });
  });

  test('none at all: a failure before the first is no request, and charged for nothing', async () => {
    const model: Model = { ...modelOf([]), call: () => Promise.reject(new TributaryError('MODEL_AUTH', 'no key')) };
    const { failure, usage } = await run(model);
    expect(failure).toMatchObject({ type: 'MODEL_AUTH' });
    expect(usage).toMatchObject({ requests: 0, lost: 0 });
  });
});

describe('a cancelled call', () => {
  test('closes its request at once, and says what was out', async () => {
    const model = modelOf(['hang']);
    const { activities } = createWorld({ model });
    const environment = openEnvironment({ attempt: 2 });
    const running = environment.run(activities.callModelActivity, modelStep());
    const caught = running.catch((error: unknown) => error);
    while (model.requests.length === 0) await new Promise(setImmediate);
    environment.cancel();
    const error = await caught;
    expect(error).toBeInstanceOf(CancelledFailure);
    expect(model.signals[0]!.aborted).toBe(true);
    const [usage] = (error as CancelledFailure).details as [{ requestTokens: number }];
    expect(usage).toMatchObject({ requests: 2, lost: 2, inputTokens: 0 });
    expect(usage.requestTokens).toBeGreaterThan(1_000);
  });

  test('while its tokens are counted sends no request, and is charged for none', async () => {
    const environment = openEnvironment();
    const model = modelOf([reply()], {
      countTokens: async () => {
        environment.cancel();
        return 100;
      },
    });
    const { activities } = createWorld({ model });
    const running = environment.run(activities.callModelActivity, modelStep({ maxSpendTokens: 1_800 }));
    const error = await running.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CancelledFailure);
    expect((error as CancelledFailure).details).toMatchObject([{ requests: 0, lost: 0 }, { socketsClosed: 0 }]);
    expect(model.requests).toHaveLength(0);
  });

  test('before anything was sent it says that nothing was', async () => {
    const environment = openEnvironment();
    const { activities } = createWorld({
      openModel: () => {
        environment.cancel();
        return Promise.reject(new TypeError('interrupted'));
      },
    });
    const error = await environment.run(activities.callModelActivity, modelStep()).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CancelledFailure);
    expect((error as CancelledFailure).details).toMatchObject([{ requests: 0, lost: 0 }, { socketsClosed: 0 }]);
  });
});
