/** The forms of CASES B44, with a fixed clock. */
import { describe, expect, test } from '@jest/globals';
import { readRetryAfter } from '../../../src/models/vendor/wire/retry-after.ts';

const nowMs = Date.UTC(2026, 10, 30, 12, 0, 0, 500);
const inSeconds = (seconds: number) => new Date(nowMs + seconds * 1_000);
const wait = (headers: Record<string, string>, body: unknown = null, status = 429) =>
  readRetryAfter({ status, headers: new Headers(headers), body }, nowMs);

describe('B44 · how long a provider wants to be left alone', () => {
  test.each<[string, number | undefined]>([
    ['7', 7_000],
    [' 7 ', 7_000],
    ['0', 0],
    ['1.5', 1_500],
    ['-3', undefined],
    ['', undefined],
    ['soon', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['7abc', undefined],
    ['12 3', undefined],
    ['99999999999999999999', undefined],
    ['999999999', 24 * 60 * 60_000],
    [inSeconds(30).toUTCString(), 30_000],
    [inSeconds(-30).toUTCString(), undefined],
    [inSeconds(0).toUTCString(), undefined],
    ['Mon, 31 Feb 2026 25:00:00 GMT', undefined],
  ])('B44 · retry-after "%s"', (value, wanted) => {
    expect(wait({ 'Retry-After': value })).toBe(wanted);
    expect(wait({ 'RETRY-AFTER': value }, null, 500)).toBe(wanted);
  });

  test('retry-after-ms wins, unless it cannot be read', () => {
    expect(wait({ 'retry-after': '7', 'Retry-After-Ms': '4321' })).toBe(4_321);
    expect(wait({ 'retry-after': '7', 'retry-after-ms': '-1' })).toBe(7_000);
  });

  test("a date is measured against the answer's own clock", () => {
    const skewed = { date: inSeconds(-600).toUTCString(), 'retry-after': inSeconds(-570).toUTCString() };
    expect(wait(skewed)).toBe(30_000);
  });

  test.each<[string, number | undefined]>([
    ['6m0s', 360_000],
    ['76ms', 76],
    ['1.5s', 1_500],
    ['1h2m3.25s', 3_723_250],
    ['2d', 24 * 60 * 60_000],
    [new Date(nowMs + 2_000).toISOString(), 2_000],
    ['2026-11-30T14:00:02+02:00', 1_500],
    ['1764504000', undefined],
    ['-1s', undefined],
    ['6 m', undefined],
  ])('x-ratelimit-reset-requests "%s"', (value, wanted) => {
    expect(wait({ 'X-RateLimit-Reset-Requests': value })).toBe(wanted);
  });

  test('of several limits the latest that is used up counts', () => {
    const limits = {
      'x-ratelimit-reset-requests': '9s',
      'x-ratelimit-remaining-requests': '5',
      'x-ratelimit-reset-tokens': '2s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-project-tokens': '3s',
      'x-ratelimit-remaining-project-tokens': '0',
    };
    expect(wait(limits)).toBe(3_000);
    expect(wait({ ...limits, 'x-ratelimit-remaining-tokens': '1', 'x-ratelimit-remaining-project-tokens': '1' })).toBe(
      undefined,
    );
  });

  test("Anthropic's resets are times", () => {
    const limits = {
      'anthropic-ratelimit-input-tokens-reset': new Date(nowMs + 12_000).toISOString(),
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-requests-reset': new Date(nowMs + 50_000).toISOString(),
      'anthropic-ratelimit-requests-remaining': '49',
    };
    expect(wait(limits)).toBe(12_000);
    expect(wait({ ...limits, 'retry-after': '4' })).toBe(4_000);
  });

  test('a limit that is not reached delays no other failure', () => {
    expect(wait({ 'x-ratelimit-reset-requests': '9s' }, null, 500)).toBe(undefined);
  });

  test("Gemini's RetryInfo stands in the body", () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' }];
    expect(wait({}, { error: { code: 429, details } })).toBe(37_000);
    expect(wait({}, [{ error: { code: 429, details: [{ retryDelay: '0.25s' }] } }])).toBe(250);
    expect(wait({}, { error: { details: [{ retryDelay: 'soon' }, null, 7] } })).toBe(undefined);
  });
});
