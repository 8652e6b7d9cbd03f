/** The same laws against a real PostgreSQL, and what only several connections can show. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { emptyBucket, takeTokens, toRefillTimes, type TokenBucket } from '../../../src/domain/token-bucket.ts';
import { createPostgresBuckets } from '../../../src/store/buckets/postgres-buckets.ts';
import type { RateBuckets } from '../../../src/store/buckets/rate-buckets.ts';
import { findPostgres, startPostgres, withoutPostgres, type Postgres } from '../../support/postgres.ts';
import { defineBucketLaws, takeStart } from './bucket-laws.ts';

const bin = findPostgres();
const describeWithPostgres = bin === null ? describe.skip : describe;

describeWithPostgres(bin === null ? withoutPostgres : 'with PostgreSQL', () => {
  let server: Postgres;
  let shared: RateBuckets;
  beforeAll(async () => {
    server = await startPostgres(bin!);
    shared = createPostgresBuckets(server.url);
  });
  afterAll(async () => {
    await shared.close();
    await server.stop();
  });

  test('eight workers that start at once create the table once, and all go on', async () => {
    const workers = Array.from({ length: 8 }, () => createPostgresBuckets(server.url));
    const turns = await Promise.all(workers.map((each) => takeStart(each, 'first', 1, { rpm: 60 })));
    expect(new Set(turns.map(({ start }) => start.startMs)).size).toBe(8);
    await Promise.all(workers.map((each) => each.close()));
  });

  defineBucketLaws(() => shared);

  test('B50 · two workers that race for 200 takes of one key are held to one limit', async () => {
    const workers = [createPostgresBuckets(server.url), createPostgresBuckets(server.url)];
    const limit = { rpm: 60, tpm: 6_000 };
    const turns = await Promise.all(
      Array.from({ length: 200 }, (_, index) => takeStart(workers[index % 2]!, 'raced', 100, limit)),
    );
    const starts = turns.map(({ start }) => start.startMs).sort((a, b) => a - b);
    for (const from of starts) {
      const inWindow = starts.filter((start) => start >= from && start <= from + 60_000).length;
      expect(inWindow).toBeLessThanOrEqual(60);
      expect(inWindow * 100).toBeLessThanOrEqual(6_000);
    }
    await Promise.all(workers.map((each) => each.close()));
  });

  test('its arithmetic is that of the domain: the same takes by the same clock leave the same row', async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const limits = [{ rpm: 60, tpm: 60_000 }, { tpm: 30_000 }, { rpm: 600 }, {}];
    let bucket: TokenBucket = emptyBucket;
    for (let step = 0; step < 40; step += 1) {
      const limit = limits[step % limits.length]!;
      const tokens = (step * 397) % 9_000;
      const { start, waitMs } = await takeStart(shared, 'compared', tokens, limit);
      const { rows } = await client.query<{ last_start_ms: number; paid_ms: number }>(
        `SELECT last_start_ms, paid_ms FROM tributary_rate_buckets WHERE key = 'compared'`,
      );
      // The first takes are at the database's own time; from then on there is debt, and the time no longer matters.
      const nowMs = start.startMs - waitMs;
      const taken = takeTokens(bucket, tokens, limit, nowMs);
      if (taken.kind !== 'granted') throw new Error('refused');
      expect(Math.abs(taken.bucket.lastStartMs - rows[0]!.last_start_ms)).toBeLessThanOrEqual(1);
      expect(Math.abs(taken.bucket.paidMs - rows[0]!.paid_ms)).toBeLessThanOrEqual(1);
      bucket = { ...bucket, lastStartMs: rows[0]!.last_start_ms, paidMs: rows[0]!.paid_ms };
    }
    expect(bucket.paidMs).toBeGreaterThan(0);
    expect(toRefillTimes(limits[0]!).intervalMs).toBeGreaterThan(0);
    await client.end();
  });

  test('a database that does not answer is a store that is away, and its password is not told', async () => {
    const away = createPostgresBuckets('postgresql://someone:secret@127.0.0.1:1/nowhere');
    const error = await away.take('k', 1, {}).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('127.0.0.1:1/nowhere') });
    expect(String(error)).not.toContain('secret');
    await away.close();
  });
});
