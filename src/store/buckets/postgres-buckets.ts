/**
 * Buckets in PostgreSQL, shared by every worker that names the same database. Each decision is one statement that locks
 * one row, by the database's clock; the arithmetic is that of `domain/token-bucket`, and one suite of laws holds for both.
 */
import pg from 'pg';
import { TributaryError } from '../../contract/failure.ts';
import { checkStart, toRefillTimes } from '../../domain/token-bucket.ts';
import type { RateBuckets } from './rate-buckets.ts';
import * as sql from './postgres-statements.ts';

/** A call waits for an answer no longer than this; then it is tried again later, as for a store that is away. */
const answerMs = 5_000;
/** Decisions are short, so that a few connections serve many calls. */
const maxConnections = 4;

/** Connects with the first call. The table is created where it is missing. */
export function createPostgresBuckets(url: string): RateBuckets {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  pool.on('error', () => undefined); // an idle connection broke: the next call opens another
  let ready: Promise<unknown> | undefined;

  async function run<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      ready ??= pool.query(sql.createTable);
      await ready;
      return (await pool.query<Row>(text, [...values])).rows;
    } catch (error) {
      ready = undefined;
      throw new TributaryError(
        'STORE_UNAVAILABLE',
        `the database of the rate limits ${toWhere(url)}: ${toWhy(error)}`,
        {
          cause: error,
        },
      );
    }
  }

  return {
    async take(key, tokens, limit) {
      const { intervalMs, tokenMs, burstMs } = toRefillTimes(limit);
      if (limit.tpm !== undefined && tokens > limit.tpm) return { kind: 'too-large', tpm: limit.tpm };
      const [row] = await run<sql.TakenRow>(sql.take, [key, intervalMs, tokens * tokenMs, burstMs]);
      const { start_ms: startMs, now_ms: nowMs } = row!;
      return { kind: 'start', start: { startMs, tokens }, waitMs: Math.ceil(startMs - nowMs) };
    },
    async check(key, { startMs }) {
      const [row] = await run<sql.CheckedRow>(sql.check, [key]);
      return checkStart({ pausedUntilMs: row!.paused_until_ms }, startMs, row!.now_ms);
    },
    async settle(key, { tokens }, usedTokens, limit) {
      await run(sql.settle, [key, (tokens - usedTokens) * toRefillTimes(limit).tokenMs]);
    },
    async giveBack(key, { startMs, tokens }, limit) {
      const { intervalMs, tokenMs } = toRefillTimes(limit);
      await run(sql.giveBack, [key, startMs, intervalMs, tokens * tokenMs]);
    },
    async slowDown(key, waitMs) {
      await run(sql.slowDown, [key, waitMs]);
    },
    close: () => pool.end(),
  };
}

/** Host, port and database: the rest of the address may hold a password. */
function toWhere(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `at ${host}${pathname}`;
  } catch {
    return 'in TRIBUTARY_DATABASE_URL';
  }
}

function toWhy(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? `${String(message)} (${code})` : String(message);
}
