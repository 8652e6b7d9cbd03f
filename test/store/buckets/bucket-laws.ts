/** What holds for every kind of buckets. The clock may be the database's own, so nothing here asks how late it is. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { toRefillTimes } from '../../../src/domain/token-bucket.ts';
import type { RateBuckets, Start } from '../../../src/store/buckets/rate-buckets.ts';
import type { RateLimit } from '../../../src/contract/rate-limits.ts';

export async function takeStart(buckets: RateBuckets, key: string, tokens: number, limit: RateLimit) {
  const turn = await buckets.take(key, tokens, limit);
  if (turn.kind !== 'start') throw new Error(`${tokens} tokens were refused`);
  return turn;
}

export function defineBucketLaws(open: () => RateBuckets): void {
  const key = () => `openai ${randomUUID()}`;
  /** Refills too slowly for the time that a test takes to matter. */
  const slow = { rpm: 2, tpm: 1_000 };

  test('a first request starts at once, the next ones after each other', async () => {
    const [buckets, name] = [open(), key()];
    const first = await takeStart(buckets, name, 0, slow);
    expect(first.waitMs).toBe(0);
    const second = await takeStart(buckets, name, 0, slow);
    const third = await takeStart(buckets, name, 0, slow);
    expect(second.start.startMs).toBeCloseTo(first.start.startMs + 30_500, 2);
    expect(third.start.startMs).toBeCloseTo(first.start.startMs + 61_000, 2);
    expect(third.waitMs).toBeGreaterThan(50_000);
  });

  test('tokens are debited before they are there, and what is over is waited for', async () => {
    const [buckets, name, limit] = [open(), key(), { tpm: 1_000 }];
    const { tokenMs } = toRefillTimes(limit);
    const first = await takeStart(buckets, name, 500, limit);
    const second = await takeStart(buckets, name, 10, limit);
    expect(first.waitMs).toBe(0);
    expect(second.start.startMs - first.start.startMs).toBeCloseTo(490 * tokenMs, 2);
  });

  test('keys do not know of each other', async () => {
    const buckets = open();
    await takeStart(buckets, key(), 900, slow);
    expect((await takeStart(buckets, key(), 900, slow)).waitMs).toBe(0);
  });

  test('more than the tokens of a minute are refused, and leave no debt', async () => {
    const [buckets, name] = [open(), key()];
    expect(await buckets.take(name, 1_001, slow)).toEqual({ kind: 'too-large', tpm: 1_000 });
    expect((await takeStart(buckets, name, 900, slow)).waitMs).toBe(0);
  });

  test('bad limits are refused', async () => {
    for (const bad of [0, -1, Number.NaN, Infinity, 1.5]) {
      await expect(open().take(key(), 1, { rpm: bad })).rejects.toThrow(RangeError);
      await expect(open().take(key(), 1, { tpm: bad })).rejects.toThrow(RangeError);
    }
  });

  test('real usage moves the start of the next, in both directions', async () => {
    const buckets = open();
    const limit = { tpm: 1_000 };
    const gapAfter = async (usedTokens: number) => {
      const name = key();
      const { start } = await takeStart(buckets, name, 500, limit);
      await buckets.settle(name, start, usedTokens, limit);
      return (await takeStart(buckets, name, 10, limit)).start.startMs - start.startMs;
    };
    const { tokenMs } = toRefillTimes(limit);
    expect(await gapAfter(300)).toBeCloseTo(290 * tokenMs, 2);
    expect(await gapAfter(700)).toBeCloseTo(690 * tokenMs, 2);
  });

  test('what was not sent gives its tokens back, and its start while it is the last', async () => {
    const [buckets, name] = [open(), key()];
    await takeStart(buckets, name, 100, slow);
    const second = await takeStart(buckets, name, 800, slow);
    await buckets.giveBack(name, second.start, slow);
    const third = await takeStart(buckets, name, 100, slow);
    expect(third.start.startMs).toBeCloseTo(second.start.startMs, 2);
    const fourth = await takeStart(buckets, name, 1, slow);
    await buckets.giveBack(name, third.start, slow);
    expect((await takeStart(buckets, name, 1, slow)).start.startMs).toBeGreaterThan(fourth.start.startMs);
  });

  test('a pause is for everybody: starts in it are lost, later ones stand, new ones begin behind it', async () => {
    const [buckets, name] = [open(), key()];
    const limit = { rpm: 6 };
    const starts: Start[] = [];
    for (let count = 0; count < 4; count += 1) starts.push((await takeStart(buckets, name, 0, limit)).start);
    await buckets.slowDown(name, 15_000);
    expect((await buckets.check(name, starts[1]!)).kind).toBe('lost');
    expect((await buckets.check(name, starts[3]!)).kind).toBe('wait');
    const { start } = await takeStart(buckets, name, 0, limit);
    expect(start.startMs).toBeGreaterThan(starts[3]!.startMs);
  });

  test('without a limit nobody waits, and after a refusal all start one after the other', async () => {
    const [buckets, name] = [open(), key()];
    const free = await takeStart(buckets, name, 1_000_000, {});
    expect((await takeStart(buckets, name, 1_000_000, {})).waitMs).toBe(0);
    expect(await buckets.check(name, free.start)).toEqual({ kind: 'go' });
    await buckets.slowDown(name, 20_000);
    await buckets.slowDown(name, 1_000);
    const [a, b] = [await takeStart(buckets, name, 1, {}), await takeStart(buckets, name, 1, {})];
    expect(a.waitMs).toBeGreaterThan(10_000);
    expect(b.start.startMs - a.start.startMs).toBeCloseTo(1_000, 2);
  });

  test('a key that was never used can be paused', async () => {
    const [buckets, name] = [open(), key()];
    await buckets.slowDown(name, 20_000);
    expect((await takeStart(buckets, name, 1, {})).waitMs).toBeGreaterThan(10_000);
  });

  test('200 takes at once are 200 different starts, none closer than the limit allows', async () => {
    const [buckets, name, limit] = [open(), key(), { rpm: 600, tpm: 1_000_000 }];
    const turns = await Promise.all(Array.from({ length: 200 }, () => takeStart(buckets, name, 10, limit)));
    const starts = turns.map(({ start }) => start.startMs).sort((a, b) => a - b);
    const gaps = starts.slice(1).map((start, index) => start - starts[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(61_000 / 600 - 0.01);
  });
}
