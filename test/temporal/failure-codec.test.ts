import { describe, expect, test } from '@jest/globals';
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  defaultFailureConverter,
  defaultPayloadConverter,
  ServerFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { failureCodes, isRetryable, TributaryError, type Failure } from '../../src/contract/failure.ts';
import { fromTemporalFailure, toApplicationFailure, toFailure } from '../../src/temporal/failure-codec.ts';

/** As it comes out of a history. */
const travel = (error: unknown): Error =>
  defaultFailureConverter.failureToError(
    defaultFailureConverter.errorToFailure(error, defaultPayloadConverter),
    defaultPayloadConverter,
  );
const inActivity = (cause?: Error) =>
  new ActivityFailure('activity failed', 'callModelActivity', '1', 'RETRY_STATE_UNSPECIFIED' as never, 'worker', cause);
const inChild = (cause?: Error) =>
  new ChildWorkflowFailure('tributary', { workflowId: 'r/s1', runId: 'x' }, 'subagentWorkflow', 'TIMEOUT', cause);
const wrappings: [string, (cause: Error) => Error][] = [
  ['bare', (cause) => cause],
  ['from an activity', inActivity],
  ['from a child', inChild],
];

describe.each(wrappings)('%s', (_, wrap) => {
  test.each(failureCodes)('%s comes back as it was thrown, with its details', (code) => {
    const failure: Failure = { code, message: `what ${code} says` };
    const details = [{ usage: { tokens: 1 } }, 'more'];
    const arrived = fromTemporalFailure(travel(wrap(toApplicationFailure(failure, { details }))));
    expect(arrived).toEqual({ kind: 'failed', failure, details });
  });

  test('a cancellation is one, with what it carries', () => {
    const arrived = travel(wrap(new CancelledFailure('stopped', [{ requests: 1 }])));
    expect(fromTemporalFailure(arrived)).toEqual({ kind: 'cancelled', details: [{ requests: 1 }] });
    expect(fromTemporalFailure(wrap(new CancelledFailure('stopped')))).toEqual({ kind: 'cancelled', details: [] });
  });

  test('a termination is one', () => {
    expect(fromTemporalFailure(travel(wrap(new TerminatedFailure('by hand'))))).toEqual({ kind: 'terminated' });
  });

  test('a time-out comes with the last heartbeat, where there was one', () => {
    const timeout = (beat: unknown) => wrap(new TimeoutFailure('late', beat, 'HEARTBEAT'));
    expect(fromTemporalFailure(timeout({ known: 1 }))).toEqual({ kind: 'timed-out', details: [{ known: 1 }] });
    expect(fromTemporalFailure(timeout(undefined))).toEqual({ kind: 'timed-out', details: [] });
  });

  test('a failure that is none of ours is INTERNAL, with its words', () => {
    for (const cause of [ApplicationFailure.retryable('odd', 'SomethingElse'), ApplicationFailure.retryable('odd')]) {
      expect(fromTemporalFailure(travel(wrap(cause)))).toEqual({
        kind: 'failed',
        failure: { code: 'INTERNAL', message: 'odd' },
        details: [],
      });
    }
    expect(fromTemporalFailure(wrap(new ServerFailure('server', true)))).toMatchObject({
      kind: 'failed',
      failure: { code: 'INTERNAL', message: 'server' },
    });
  });
});

test('a failure whose type or message only speaks of cancelling is no cancellation', () => {
  const failure = ApplicationFailure.nonRetryable('cancelled by the provider', 'CancelledFailure');
  expect(fromTemporalFailure(failure)).toMatchObject({ kind: 'failed', failure: { code: 'INTERNAL' } });
});

describe('to a Temporal failure', () => {
  test.each(failureCodes)('%s is repeated where the table says so', (code) => {
    expect(toApplicationFailure({ code, message: 'm' })).toMatchObject({
      type: code,
      nonRetryable: !isRetryable(code),
    });
  });

  test('the caller may know better, and a wait becomes the delay before the next attempt', () => {
    const failure: Failure = { code: 'MODEL_RATE_LIMIT', message: 'm', retryAfterMs: 7_000 };
    expect(toApplicationFailure(failure, { nonRetryable: true })).toMatchObject({
      nonRetryable: true,
      nextRetryDelay: 7_000,
    });
    expect(toApplicationFailure({ code: 'MODEL_SERVER', message: 'm' }).nextRetryDelay ?? null).toBeNull();
  });
});

describe('any error as plain data', () => {
  test.each<[string, unknown, Failure]>([
    ['one of ours', new TributaryError('MODEL_AUTH', 'no key'), { code: 'MODEL_AUTH', message: 'no key' }],
    [
      'one of ours with a wait',
      new TributaryError('MODEL_RATE_LIMIT', 'm', { retryAfterMs: 5 }),
      { code: 'MODEL_RATE_LIMIT', message: 'm', retryAfterMs: 5 },
    ],
    ['a TypeError', new TypeError('x is undefined'), { code: 'INTERNAL', message: 'x is undefined' }],
    ['an error without words', new Error(''), { code: 'INTERNAL', message: 'INTERNAL' }],
    ['a text', 'words', { code: 'INTERNAL', message: 'words' }],
    ['null', null, { code: 'INTERNAL', message: 'null' }],
    ['undefined', undefined, { code: 'INTERNAL', message: 'undefined' }],
  ])('%s', (_, error, failure) => expect(toFailure(error)).toEqual(failure));

  test('keeps no property but the words: headers and bodies stay out of histories', () => {
    const error = Object.assign(new Error('401'), { headers: { 'x-api-key': 'sk-test-SECRET' }, body: 'SECRET' });
    expect(JSON.stringify(toFailure(error))).not.toContain('SECRET');
    expect(JSON.stringify(toApplicationFailure(toFailure(error)))).not.toContain('SECRET');
  });
});
