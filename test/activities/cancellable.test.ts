import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Info } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';

import { runCancellable, type ActivityFrame } from '../../src/activities/cancellable.ts';
import { defaults } from '../../src/contract/defaults.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import { openEnvironment } from './activity-world.ts';

afterEach(() => void jest.useRealTimers());

/** Runs `body` in an environment whose heartbeats are kept. */
function start<T>(
  body: (frame: ActivityFrame) => Promise<T>,
  options: { info?: Partial<Info>; details?: () => unknown[] } = {},
) {
  const environment = openEnvironment(options.info);
  const beats: unknown[] = [];
  environment.on('heartbeat', (details) => beats.push(details));
  const running = environment.run(() => runCancellable(body, options.details));
  running.catch(() => undefined);
  return { environment, beats, running };
}

const untilAborted = ({ signal }: ActivityFrame): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('heartbeat', () => {
  test('B34 · the first one leaves before the body has done anything, with what an earlier attempt carried', async () => {
    const log: unknown[] = [];
    const environment = openEnvironment({ attempt: 2, heartbeatDetails: { known: 1 } });
    environment.on('heartbeat', (details) => log.push(details));
    await environment.run(() => runCancellable(async () => void log.push('body')));
    expect(log).toEqual([{ known: 1 }, 'body']);
  });

  test('B34 · they go on by a timer, whatever the body does, with what it carries; and stop with it', async () => {
    jest.useFakeTimers();
    const { environment, beats, running } = start(async (frame) => {
      frame.carry('progress');
      return untilAborted(frame);
    });
    await jest.advanceTimersByTimeAsync(3 * defaults.heartbeatIntervalMs);
    expect(beats).toEqual([undefined, 'progress', 'progress', 'progress', 'progress']);
    environment.cancel();
    await expect(running).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(3 * defaults.heartbeatIntervalMs);
    expect(beats).toHaveLength(5);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('B34 · they are twice as frequent as a dead worker needs to be noticed, and throttled no further than that', () => {
    expect(defaults.heartbeatIntervalMs * 2).toBeLessThanOrEqual(defaults.heartbeatTimeoutMs);
    expect(defaults.maxHeartbeatThrottleIntervalMs * 2).toBeLessThanOrEqual(defaults.heartbeatTimeoutMs);
  });
});

describe('cancellation', () => {
  test('arrives as a cancellation with the details of the body', async () => {
    const { environment, running } = start(untilAborted, { details: () => [{ requests: 1 }] });
    environment.cancel();
    const error = await running.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CancelledFailure);
    expect((error as CancelledFailure).details).toMatchObject([{ requests: 1 }, { lastSocketClosedAt: null }]);
  });

  test('without details of the body the proof is still the second one', async () => {
    const { environment, running } = start(untilAborted);
    environment.cancel();
    const error = await running.catch((caught: unknown) => caught);
    expect((error as CancelledFailure).details).toMatchObject([null, { socketsClosed: 0, socketsOpen: 0 }]);
  });

  test.each([
    ['a TypeError', () => new TypeError('fetch failed')],
    ['one of our errors', () => new TributaryError('MODEL_NETWORK', 'socket closed')],
    ['a failure in its Temporal form', () => ApplicationFailure.nonRetryable('no', 'MODEL_AUTH')],
    ['something that is no error', () => 'stopped'],
  ])('beats %s that the body throws because of it', async (_, toError) => {
    const { environment, running } = start(async (frame) => {
      await untilAborted(frame).catch(() => undefined);
      throw toError() as Error;
    });
    environment.cancel();
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
  });

  test('does not take away a result that was there in time', async () => {
    const { environment, running } = start(async (frame) => {
      await untilAborted(frame).catch(() => undefined);
      return 'done';
    });
    environment.cancel();
    expect(await running).toBe('done');
  });

  test('a worker that shuts down is not a cancel: its own reason goes through, and the work goes on elsewhere', async () => {
    const { environment, running } = start(untilAborted, { details: () => [{ requests: 1 }] });
    environment.cancel('WORKER_SHUTDOWN');
    const error = await running.catch((caught: unknown) => caught);
    expect(error).toBe(environment.context.cancellationSignal.reason);
    expect((error as Error).message).toContain('WORKER_SHUTDOWN');
  });
});

describe('failures', () => {
  const failureOf = async (error: unknown): Promise<ApplicationFailure> => {
    const { running } = start(
      async () => {
        throw error;
      },
      { details: () => [{ requests: 1 }] },
    );
    return (await running.catch((caught: unknown) => caught)) as ApplicationFailure;
  };

  test('one of ours keeps its code, its words and whether a repeat can help, with the details of the body', async () => {
    expect(await failureOf(new TributaryError('STORE_UNAVAILABLE', 'disk full'))).toMatchObject({
      name: 'ApplicationFailure',
      type: 'STORE_UNAVAILABLE',
      message: 'disk full',
      nonRetryable: false,
      details: [{ requests: 1 }],
    });
    expect(await failureOf(new TributaryError('STORE_MISMATCH', 'other store'))).toMatchObject({ nonRetryable: true });
  });

  test('a programming error is INTERNAL and not repeated; nothing but its message is kept', async () => {
    const error = Object.assign(new TypeError('x is undefined'), { headers: { authorization: 'sk-test-SECRET' } });
    const failure = await failureOf(error);
    expect(failure).toMatchObject({ type: 'INTERNAL', message: 'x is undefined', nonRetryable: true });
    expect(JSON.stringify(failure)).not.toContain('SECRET');
  });

  test('one that is in its Temporal form already is not wrapped again', async () => {
    const failure = ApplicationFailure.retryable('slow down', 'MODEL_RATE_LIMIT', { mine: true });
    expect(await failureOf(failure)).toBe(failure);
  });
});
