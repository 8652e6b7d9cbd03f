/** A Temporal server of the test's own that cannot push cancels to a worker, as many clusters cannot: heartbeats bring them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { choosePorts } from '../../src/embedded/choose-ports.ts';
import { findTemporal } from '../../src/embedded/find-temporal.ts';
import { pollUntil } from '../../src/embedded/poll-until.ts';
import { ensureNamespace, isServing } from '../../src/embedded/server-api.ts';

export type PlainServer = { readonly address: string; readonly namespace: string; stop(): Promise<void> };

const namespace = 'tributary';

export async function startPlainServer(folder: string): Promise<PlainServer> {
  const [binary, ports] = await Promise.all([findTemporal(), choosePorts(null)]);
  const dynamicConfig = [
    'frontend.WorkerCommandsEnabled=false',
    'system.enableCancelActivityWorkerCommand=false',
    // All else as the embedded server has it.
    'matching.numTaskqueueReadPartitions=1',
    'matching.numTaskqueueWritePartitions=1',
    'history.timerProcessorMaxTimeShift="50ms"',
  ];
  const server = spawn(
    binary.path,
    [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--headless', '--log-level', 'never'],
      ...['--port', String(ports.grpc), '--http-port', String(ports.http)],
      ...['--db-filename', join(folder, 'plain.db')],
      ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal'],
      ...dynamicConfig.flatMap((value) => ['--dynamic-config-value', value]),
    ],
    { stdio: 'ignore' },
  );
  const exited = once(server, 'exit');
  await pollUntil(async () => server.exitCode !== null || (await isServing(ports.http)), 60_000);
  await ensureNamespace(ports.http, namespace);
  return {
    address: `127.0.0.1:${ports.grpc}`,
    namespace,
    async stop() {
      server.kill('SIGTERM');
      await exited;
    },
  };
}
