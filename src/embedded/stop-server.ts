/** Stops a recorded server: it is asked first, and killed when it does not go. */
import { TributaryError } from '../contract/failure.ts';
import { pollUntil } from './poll-until.ts';
import { isAlive } from './server-record.ts';
import type { ServerRecord } from './server-record.ts';

const politeMs = 10_000;
const killMs = 5_000;

/** Resolves when the process is gone. @throws TributaryError SERVER_UNREACHABLE when it cannot be ended */
export async function stopServer(record: ServerRecord): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGTERM', politeMs],
    ['SIGKILL', killMs],
  ] as const) {
    // Asked again before each signal: a pid that went to another process is none of ours.
    if (!(await isAlive(record))) return;
    try {
      process.kill(record.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH')
        throw new TributaryError(
          'SERVER_UNREACHABLE',
          `the Temporal server (pid ${record.pid}) could not be stopped: ${(error as Error).message}`,
          { cause: error },
        );
    }
    if (await pollUntil(async () => !(await isAlive(record)), waitMs)) return;
  }
  throw new TributaryError('SERVER_UNREACHABLE', `the Temporal server (pid ${record.pid}) did not end when killed`);
}
