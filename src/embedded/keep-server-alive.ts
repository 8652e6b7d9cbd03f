/** Watches the server's process and has it started again whenever it is gone. */
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './server-record.ts';
import type { ServerRecord } from './server-record.ts';

const watchMs = 500;
const maxPauseMs = 10_000;

type KeepOptions = {
  readonly current: () => ServerRecord;
  readonly restart: () => Promise<ServerRecord>;
  readonly onEvent: (line: string) => void;
};

/** Watches until `stop`, which waits for a restart under way. The timers keep no program from ending. */
export function keepServerAlive({ current, restart, onEvent }: KeepOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const pause = (ms: number): Promise<unknown> =>
    delay(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);

  const watch = async (): Promise<void> => {
    let pauseMs = watchMs;
    while (!stopping.signal.aborted) {
      await pause(pauseMs);
      if (stopping.signal.aborted || (await isAlive(current()))) continue;
      onEvent(`the Temporal server (pid ${current().pid}) is gone; starting it again`);
      try {
        const record = await restart();
        onEvent(`the Temporal server is back at 127.0.0.1:${record.ports.grpc} (pid ${record.pid})`);
        pauseMs = watchMs;
      } catch (error) {
        // Its port may be taken for a while, or the disk full: programs wait for it, so trying goes on.
        pauseMs = Math.min(pauseMs * 2, maxPauseMs);
        onEvent(`${(error as Error).message}\ntrying again in ${pauseMs / 1_000} s`);
      }
    }
  };
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
