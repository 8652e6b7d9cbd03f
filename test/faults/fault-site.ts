/** Where a drill takes place: a data folder, a server that the test holds on to, and workers in real processes. */
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { joinServer } from '../../src/embedded/join-server.ts';
import type { ServerLease } from '../../src/embedded/embedded-server.ts';
import { Installation, saysOnStderr } from '../support/built-cli.ts';

const preload = pathToFileURL(join(import.meta.dirname, 'preload.mjs')).href;

export type FaultSite = {
  readonly installation: Installation;
  readonly server: ServerLease;
  /** A worker of the built product, with the tools of the drills; resolves when it polls. */
  startWorker(options?: {
    readonly env?: NodeJS.ProcessEnv;
    readonly flags?: readonly string[];
  }): Promise<ChildProcess>;
  close(): Promise<void>;
};

export async function openFaultSite(): Promise<FaultSite> {
  const installation = await Installation.create();
  const server = await joinServer({ dataDir: installation.dataDir });
  return {
    installation,
    server,
    async startWorker({ env = {}, flags = [] } = {}) {
      const worker = installation.spawn(['worker', ...flags], { NODE_OPTIONS: `--import ${preload}`, ...env });
      await saysOnStderr(worker, /polls/);
      return worker;
    },
    async close() {
      await server.leave();
      await installation.destroy();
    },
  };
}

/** Resolves when the process is gone. */
export async function end(worker: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = worker.exitCode === null && worker.signalCode === null ? once(worker, 'exit') : null;
  worker.kill(signal);
  await ended;
}

/** A line of figures, where they are asked for. */
export function tellNumbers(line: string): void {
  if (process.env.DRILL_NUMBERS) process.stderr.write(`${line}\n`);
}
