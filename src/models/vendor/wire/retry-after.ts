/** When a provider wants to be asked again, out of every form in which providers say so (CASES B44). */

/** What is longer says nothing useful about the next attempt, and some timers cannot hold it. */
const maxWaitMs = 24 * 60 * 60_000;

type HeaderLookup = { readonly get: (name: string) => string | null; readonly names: readonly string[] };

/**
 * A floor for the wait in milliseconds, rounded up; `undefined` where nothing usable was said. The first of these that can
 * be read wins: `retry-after-ms`, `retry-after` (seconds or HTTP date), Gemini's `RetryInfo`, and for a rate limit the
 * latest reset among the limits that are used up. `nowMs` is used where the answer bears no date of its own.
 */
export function readRetryAfter(
  answer: { readonly status: number; readonly headers: Headers; readonly body: unknown },
  nowMs: number,
): number | undefined {
  const headers: HeaderLookup = {
    get: (name) => answer.headers.get(name)?.trim() ?? null,
    names: [...answer.headers.keys()],
  };
  // The other clock may be wrong, but both times are then wrong by the same amount.
  const baseMs = parseHttpDate(headers.get('date')) ?? nowMs;
  const waitMs =
    parseNumber(headers.get('retry-after-ms')) ??
    parseSeconds(headers.get('retry-after')) ??
    untilHttpDate(headers.get('retry-after'), baseMs) ??
    readRetryInfo(answer.body) ??
    (answer.status === 429 ? readResets(headers, baseMs) : undefined);
  return waitMs === undefined ? undefined : Math.min(Math.ceil(waitMs), maxWaitMs);
}

function readResets(headers: HeaderLookup, baseMs: number): number | undefined {
  const limits = headers.names
    .map((name) => /^(?:x-ratelimit-reset-(.+)|anthropic-ratelimit-(.+)-reset)$/.exec(name))
    .filter((match) => match !== null)
    .map(([name, x, anthropic]) => ({
      waitMs: parseReset(headers.get(name), baseMs),
      remaining: headers.get(x ? `x-ratelimit-remaining-${x}` : `anthropic-ratelimit-${anthropic}-remaining`),
    }))
    .filter((limit): limit is typeof limit & { waitMs: number } => limit.waitMs !== undefined);
  const usedUp = limits.filter(({ remaining }) => remaining !== null && Number(remaining) === 0);
  const relevant = usedUp.length > 0 ? usedUp : limits.filter(({ remaining }) => remaining === null);
  return relevant.length === 0 ? undefined : Math.max(...relevant.map(({ waitMs }) => waitMs));
}

/** A length such as `6m0s`, `1.5s` or `76ms`, or a time by RFC 3339. A bare number may be either, so it is neither. */
function parseReset(value: string | null, baseMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value)) {
    return untilDate(Date.parse(value), baseMs);
  }
  if (!/^(\d+(\.\d+)?(ms|[dhms]))+$/.test(value)) return undefined;
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  return [...value.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units],
    0,
  );
}

/** `google.rpc.RetryInfo` in the details of a Gemini error: `"37s"`. */
function readRetryInfo(body: unknown): number | undefined {
  const holder = (Array.isArray(body) ? body[0] : body) as { error?: { details?: unknown } } | null | undefined;
  const details = holder?.error?.details;
  if (!Array.isArray(details)) return undefined;
  const delays = (details as ({ retryDelay?: unknown } | null)[])
    .map((detail) => /^(\d+(?:\.\d+)?)s$/.exec(typeof detail?.retryDelay === 'string' ? detail.retryDelay : '')?.[1])
    .filter((seconds) => seconds !== undefined);
  return delays.length === 0 ? undefined : Math.max(...delays.map((seconds) => Number(seconds) * 1_000));
}

function parseNumber(value: string | null): number | undefined {
  return value !== null && /^\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function parseSeconds(value: string | null): number | undefined {
  const seconds = parseNumber(value);
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** The one form that HTTP sends. `Date.parse` alone would read `-3` and `120` as years. */
function parseHttpDate(value: string | null): number | undefined {
  if (value === null || !/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(value)) return undefined;
  const timeMs = Date.parse(value);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** Its seconds are whole, so the wait is rounded up to whole seconds. */
function untilHttpDate(value: string | null, baseMs: number): number | undefined {
  const waitMs = untilDate(parseHttpDate(value), baseMs);
  return waitMs === undefined ? undefined : Math.ceil(waitMs / 1_000) * 1_000;
}

/** A time that is past says nothing. */
function untilDate(timeMs: number | undefined, baseMs: number): number | undefined {
  return timeMs === undefined || Number.isNaN(timeMs) || timeMs <= baseMs ? undefined : timeMs - baseMs;
}
