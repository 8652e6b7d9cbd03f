/** The statements of the buckets in PostgreSQL: `domain/token-bucket` in SQL, under the lock of one row. */

/** Two workers that start at once both find no table: the lock lets one after the other look, until the end of this one query. */
export const createTable = `
SELECT pg_advisory_xact_lock(hashtext('tributary_rate_buckets'));
CREATE TABLE IF NOT EXISTS tributary_rate_buckets (
  key text PRIMARY KEY,
  last_start_ms double precision NOT NULL DEFAULT 0,
  paid_ms double precision NOT NULL DEFAULT 0,
  paused_until_ms double precision NOT NULL DEFAULT 0,
  paced_ms double precision NOT NULL DEFAULT 0
);`;

/** One reading for the whole statement. */
const clock = `clock AS MATERIALIZED (SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS now_ms)`;
const now = '(SELECT now_ms FROM clock)';
/** An exponent of years would not be a number any more. */
const paced = `b.paced_ms * power(0.5, least(60, floor(greatest(0, ${now} - b.paused_until_ms) / 60000)))`;

export type TakenRow = { readonly start_ms: number; readonly now_ms: number };
/** Key, interval, cost and burst in ms. A bucket that is not there is full. */
export const take = `
WITH ${clock}
INSERT INTO tributary_rate_buckets AS b (key, last_start_ms, paid_ms)
VALUES ($1::text, ${now}, ${now} - $4::float8 + $3::float8)
ON CONFLICT (key) DO UPDATE SET (last_start_ms, paid_ms) = (
  SELECT greatest(earliest_ms, floor_ms + least($3::float8, $4::float8)), floor_ms + $3::float8
  FROM (
    SELECT earliest_ms, greatest(b.paid_ms, earliest_ms - $4::float8) AS floor_ms
    FROM (
      SELECT greatest(
        ${now},
        b.last_start_ms + CASE WHEN $2::float8 > 0 THEN $2::float8 ELSE ${paced} END,
        b.paused_until_ms
      ) AS earliest_ms
    ) AS earliest
  ) AS floors
)
RETURNING b.last_start_ms AS start_ms, ${now} AS now_ms`;

export type CheckedRow = { readonly paused_until_ms: number; readonly now_ms: number };
export const check = `
WITH ${clock}
SELECT coalesce((SELECT paused_until_ms FROM tributary_rate_buckets WHERE key = $1::text), 0) AS paused_until_ms, now_ms
FROM clock`;

/** Key, and ms of refill that were debited too much; negative where too little was. */
export const settle = `UPDATE tributary_rate_buckets SET paid_ms = paid_ms - $2::float8 WHERE key = $1::text`;

/** Key, start, interval and cost in ms. */
export const giveBack = `
UPDATE tributary_rate_buckets SET
  last_start_ms = last_start_ms - CASE WHEN last_start_ms = $2::float8 THEN $3::float8 ELSE 0 END,
  paid_ms = paid_ms - $4::float8
WHERE key = $1::text`;

/** Key, and the pause in ms. */
export const slowDown = `
WITH ${clock}
INSERT INTO tributary_rate_buckets AS b (key, paused_until_ms, paced_ms)
VALUES ($1::text, ${now} + $2::float8, least(1000, $2::float8))
ON CONFLICT (key) DO UPDATE SET
  paused_until_ms = greatest(b.paused_until_ms, ${now} + $2::float8),
  paced_ms = CASE
    WHEN ${now} < b.paused_until_ms THEN b.paced_ms
    ELSE least(60000, greatest(2 * ${paced}, least(1000, greatest(0, $2::float8))))
  END`;
