import { describe, expect, test } from '@jest/globals';
import {
  exitCodeOfFailure,
  exitCodeOfStatus,
  failureCodeOf,
  failureCodes,
  failureSchema,
  isRetryable,
  toOutcomeReason,
  TributaryError,
} from '../../src/contract/failure.ts';
import { outcomeReasons } from '../../src/contract/outcome.ts';
import { terminalRunStatuses } from '../../src/contract/result.ts';

test.each(failureCodes)('%s has an exit code, an outcome reason and a place in the recorded shape', (code) => {
  expect(exitCodeOfFailure[code]).toBeGreaterThan(0);
  expect(exitCodeOfFailure[code]).toBeLessThanOrEqual(10);
  expect(outcomeReasons).toContain(toOutcomeReason(code));
  expect(failureSchema.parse({ code, message: 'm' })).toEqual({ code, message: 'm' });
});

test('the exit codes that people script against', () => {
  expect(exitCodeOfStatus).toEqual({
    completed: 0,
    partial: 5,
    failed: 3,
    cancelled: 6,
    terminated: 3,
    'timed-out': 3,
  });
  expect(Object.keys(exitCodeOfStatus).sort()).toEqual([...terminalRunStatuses].sort());
  expect(exitCodeOfFailure).toMatchObject({
    INVALID_REQUEST: 2,
    CORPUS_UNREADABLE: 2,
    JOIN_UNMET: 3,
    MODEL_AUTH: 4,
    WAIT_TIMEOUT: 8,
    RUN_NOT_FOUND: 9,
    RUN_ENDED: 10,
  });
});

test('only what may be different next time is retryable', () => {
  expect(failureCodes.filter(isRetryable).sort()).toEqual(
    [
      'MODEL_BAD_RESPONSE',
      'MODEL_NETWORK',
      'MODEL_OVERLOADED',
      'MODEL_RATE_LIMIT',
      'MODEL_SERVER',
      'NOTICE_FAILED',
      'NO_WORKER',
      'SERVER_UNREACHABLE',
      'STORE_UNAVAILABLE',
      'TOOL_FAILED',
      'WAIT_TIMEOUT',
    ].sort(),
  );
});

describe('an error is known by its code', () => {
  test('whatever class or realm it comes from', () => {
    expect(failureCodeOf(new TributaryError('MODEL_QUOTA', 'm'))).toBe('MODEL_QUOTA');
    expect(failureCodeOf({ code: 'MODEL_QUOTA' })).toBe('MODEL_QUOTA');
  });

  test.each([
    null,
    undefined,
    'MODEL_QUOTA',
    {},
    { code: 5 },
    { code: 'ENOENT' },
    { code: 'toString' },
    new Error('x'),
  ])('%p is none of ours', (error) => expect(failureCodeOf(error)).toBeNull());
});

test('a failure without a known code, or with a wait that is no count, is not a record', () => {
  for (const failure of [
    { code: 'NEW', message: 'm' },
    { code: 'INTERNAL' },
    { code: 'INTERNAL', message: 'm', retryAfterMs: Number.NaN },
    { code: 'INTERNAL', message: 'm', retryAfterMs: -1 },
  ]) {
    expect(failureSchema.safeParse(failure).success).toBe(false);
  }
});
