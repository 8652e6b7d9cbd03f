/** One POST of a notice to a webhook. Redirects are refused, and of the answer only its status is looked at. */
import { TributaryError } from '../contract/failure.ts';
import type { RunNotice } from '../contract/run-notice.ts';
import { toApplicationFailure } from '../temporal/failure-codec.ts';

/**
 * Resolves on a status of 2xx.
 *
 * @throws NOTICE_FAILED, repeatable where the next attempt may fare better: no answer, 408, 429, 5xx
 */
export async function postNotice(
  url: string,
  notice: RunNotice,
  options: { readonly fetch: typeof globalThis.fetch; readonly limitMs: number; readonly signal: AbortSignal },
): Promise<void> {
  // Some services have their secret in the path.
  const whose = `the webhook at ${new URL(url).origin}`;
  const status = await post(url, notice, whose, options);
  if (status >= 200 && status <= 299) return;
  const isRedirect = status >= 300 && status <= 399;
  const message = `${whose} answered ${status}${isRedirect ? '; redirects are not followed' : ''}`;
  if (status === 408 || status === 429 || status >= 500) throw new TributaryError('NOTICE_FAILED', message);
  throw toApplicationFailure({ code: 'NOTICE_FAILED', message }, { nonRetryable: true });
}

async function post(
  url: string,
  notice: RunNotice,
  whose: string,
  { fetch, limitMs, signal }: Parameters<typeof postNotice>[2],
): Promise<number> {
  const deadline = AbortSignal.timeout(limitMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'tributary' },
      body: JSON.stringify(notice),
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted)
      throw new TributaryError('NOTICE_FAILED', `${whose} did not answer within ${limitMs / 1_000} s`);
    throw new TributaryError('NOTICE_FAILED', `${whose} could not be reached: ${toReason(error)}`);
  }
}

/** `fetch` says "fetch failed", and why in the cause; its message may name the address. */
function toReason(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'the connection failed';
}
