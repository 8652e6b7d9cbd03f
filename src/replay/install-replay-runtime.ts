/** The SDK's runtime for a process that only replays: its warnings go to a stream, or nowhere. */
import { DefaultLogger, Runtime } from '@temporalio/worker';

/** Once per process, before the first replay. What diverges is told by the replay itself. */
export function installReplayRuntime(log: NodeJS.WritableStream | null): void {
  Runtime.install({
    logger: new DefaultLogger(log ? 'WARN' : 'ERROR', ({ level, message }) => log?.write(`${level} ${message}\n`)),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
    shutdownSignals: [], // the programs decide what a signal means
  });
}
