/** Reads a run's events for as long as somebody looks, and takes them up again where they broke off. */
import type { WatchOptions } from '../../client/research-api.ts';
import { failureCodeOf, isRetryable } from '../../contract/failure.ts';
import type { RunEvent } from '../../contract/run-view.ts';
import type { PageRunHandle } from '../server/client-context.tsx';

const waitMs = { first: 500, most: 10_000 };

/** Resolves at the end of the events, or when the signal fires. Rejects where no repeat can help. */
export async function followEvents(
  handle: PageRunHandle,
  after: string | undefined,
  signal: AbortSignal,
  on: {
    readonly event: (event: RunEvent) => void;
    readonly connection: (state: 'live' | 'reconnecting') => void;
  },
): Promise<void> {
  let cursor = after;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const options: WatchOptions = {
        signal,
        onConnection: on.connection,
        ...(cursor !== undefined && { after: cursor }),
      };
      for await (const event of handle.watch(options)) {
        if (signal.aborted) return;
        failures = 0;
        cursor = event.cursor;
        on.connection('live');
        on.event(event);
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      const code = failureCodeOf(error);
      if (code !== null && !isRetryable(code)) throw error;
      on.connection('reconnecting');
      await delay(Math.min(waitMs.most, waitMs.first * 2 ** failures), signal);
      failures += 1;
    }
  }
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
