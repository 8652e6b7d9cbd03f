/** Stores what cannot be had again, such as an answer that was paid for: a store that is full or away is waited for. */
import { log } from '@temporalio/activity';
import { setTimeout as wait } from 'node:timers/promises';
import { failureCodeOf, TributaryError } from '../contract/failure.ts';

const firstPauseMs = 500;
const maxPauseMs = 5_000;
/** Time for a person to make room, and well below what an activity may take. */
const patienceMs = 5 * 60_000;

/** Rejects with a final `STORE_UNAVAILABLE` after `limitMs`: a repeat of the whole activity would do its work twice. */
export async function storePatiently<T>(
  signal: AbortSignal,
  store: () => Promise<T>,
  limitMs = patienceMs,
): Promise<T> {
  const startedAt = performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await store();
    } catch (error) {
      if (failureCodeOf(error) !== 'STORE_UNAVAILABLE') throw error;
      log.warn('the store takes nothing; it is tried again', { reason: (error as Error).message });
      if (performance.now() - startedAt + pauseMs > limitMs)
        throw new TributaryError('STORE_UNAVAILABLE', (error as Error).message, { cause: error, final: true });
    }
    await wait(pauseMs, undefined, { signal });
  }
}
