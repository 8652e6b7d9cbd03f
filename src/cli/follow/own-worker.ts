/** The worker that a following command carries inside itself when nobody else works. */
import type { Backend, RunningWorker } from '../cli-dependencies.ts';

export type OwnWorker = {
  /** Whether this command works on the run itself. */
  isRunning(): boolean;
  /** Whether the run rests once this command has left. */
  willRest(): boolean;
  /** Starts one when no worker polls and one is allowed; says what it found either way, once. */
  ensure(): Promise<void>;
  /** Rejects when the own worker fails; never resolves. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
};

type Options = {
  readonly allowed: boolean;
  readonly verbose: boolean;
  readonly say: (line: string) => void;
  /** The command that starts a lasting worker. */
  readonly workerCommand: string;
};

export function createOwnWorker(backend: Backend, options: Options): OwnWorker {
  let worker: RunningWorker | null = null;
  let isMissing = false;
  let checking: Promise<void> | null = null;
  let stopped = false;
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);

  const check = async () => {
    if (worker || stopped) return;
    if (await backend.api.hasWorker()) {
      isMissing = false;
      return;
    }
    if (!options.allowed) {
      if (!isMissing) {
        options.say(
          `no worker polls task queue "${backend.taskQueue}": the run waits. start one:  ${options.workerCommand}`,
        );
      }
      isMissing = true;
      return;
    }
    options.say(`no worker polls task queue "${backend.taskQueue}": this command works on it itself`);
    // Nobody else may be there to bring the server back.
    backend.keepAlive(options.say);
    worker = await backend.startWorker({ verbose: options.verbose });
    worker.done.catch(fail);
  };
  return {
    isRunning: () => worker !== null,
    willRest: () => worker !== null || isMissing,
    failed,
    ensure: () => (checking ??= check().finally(() => (checking = null))),
    async stop() {
      stopped = true;
      await checking?.catch(() => undefined);
      await worker?.stop();
    },
  };
}
