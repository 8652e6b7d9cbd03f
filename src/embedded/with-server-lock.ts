/** Only one program at a time starts, stops or counts: every change of the server happens under this lock. */
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import { TributaryError } from '../contract/failure.ts';
import { stateNames } from './server-record.ts';

/** A holder refreshes its lock every half of this; the lock of one that was killed is free after it. */
const staleMs = 10_000;
const waitMs = 200;
/** About ninety seconds: longer than the slowest start. */
const retries = 450;

/**
 * Runs `body` while this process alone holds the lock of `dataDir`. `assertHeld` throws when the lock was lost
 * because the process stood still for longer than a holder may: call it before what must not happen twice.
 *
 * @throws TributaryError SERVER_UNREACHABLE when the lock cannot be had, or was lost
 */
export async function withServerLock<T>(dataDir: string, body: (assertHeld: () => void) => Promise<T>): Promise<T> {
  let lost = false;
  const release = await lockfile
    .lock(join(dataDir, stateNames.record), {
      realpath: false,
      lockfilePath: join(dataDir, stateNames.lock),
      stale: staleMs,
      retries: { retries, factor: 1, minTimeout: waitMs, maxTimeout: waitMs },
      onCompromised: () => (lost = true),
    })
    .catch((cause: unknown) => {
      throw new TributaryError(
        'SERVER_UNREACHABLE',
        `the lock ${join(dataDir, stateNames.lock)} could not be had: ${(cause as Error).message}. Another program starts or stops the Temporal server there; try again.`,
        { cause },
      );
    });
  const assertHeld = (): void => {
    if (lost)
      throw new TributaryError(
        'SERVER_UNREACHABLE',
        'this program stood still for too long while it handled the Temporal server, and another one may have taken over; try again.',
      );
  };
  try {
    return await body(assertHeld);
  } finally {
    // A lost lock is another's: there is nothing to give back.
    if (!lost) await release().catch(() => undefined);
  }
}
