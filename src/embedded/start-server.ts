/** Starts the Temporal server as a process of its own and waits until it serves. Call it under the server's lock. */
import { spawn } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TributaryError } from '../contract/failure.ts';
import { choosePorts } from './choose-ports.ts';
import type { TemporalBinary } from './find-temporal.ts';
import { pollUntil } from './poll-until.ts';
import { readProcessIdentity } from './process-identity.ts';
import { apiHost, isServing } from './server-api.ts';
import { readStateVersion, stateNames, writeJson, writeServerRecord } from './server-record.ts';
import type { ServerPorts, ServerRecord } from './server-record.ts';
import { stopServer } from './stop-server.ts';

/** A start takes one to four seconds; this is for a machine that is very busy. */
const startMs = 60_000;
const maxLogBytes = 10 * 1024 * 1024;
const maxStarts = 3;

const dynamicConfig = [
  // Cancels reach a running activity at once instead of with its next heartbeat.
  'frontend.WorkerCommandsEnabled=true',
  'system.enableCancelActivityWorkerCommand=true',
  // One partition: a rate limit of a queue is divided by them, and one machine gains nothing from more.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'matching.enableFairness=true',
  // The HTTP API would take requests of any web page that the user has open, and cannot be switched off.
  `frontend.httpAllowedHosts=["${apiHost}"]`,
  // Without it every timer and retry below one second takes a whole second.
  'history.timerProcessorMaxTimeShift="50ms"',
];

export type StartOptions = {
  readonly dataDir: string;
  readonly namespace: string;
  readonly binary: TemporalBinary;
  /** The ports of last time. */
  readonly ports: ServerPorts | null;
  /** `true`: these ports or none, because programs are connected to them. */
  readonly keepPorts: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly assertHeld: () => void;
};

/** @throws TributaryError SERVER_STATE_VERSION, SERVER_UNREACHABLE with the end of the server's log */
export async function startServer(options: StartOptions): Promise<ServerRecord> {
  await claimStateVersion(options.dataDir, options.binary);
  for (let starts = 1; ; starts += 1) {
    const ports = options.keepPorts && options.ports ? options.ports : await choosePorts(options.ports);
    const started = await launch(options, ports);
    if (typeof started !== 'string') return started;
    // Between choosing a port and its use another program can take it.
    const again = /address already in use/i.test(started) && !options.keepPorts && starts < maxStarts;
    if (!again) throw new TributaryError('SERVER_UNREACHABLE', started);
  }
}

/** The server does not migrate a SQLite database, so a state folder belongs to the server version that made it. */
async function claimStateVersion(dataDir: string, binary: TemporalBinary): Promise<void> {
  const made = await readStateVersion(dataDir);
  if (made === binary.serverVersion) return;
  if (made === null) {
    const { serverVersion, cliVersion } = binary;
    return writeJson(join(dataDir, stateNames.version), { serverVersion, cliVersion });
  }
  throw new TributaryError(
    'SERVER_STATE_VERSION',
    [
      `the state in ${dataDir} was made by Temporal server ${made}; ${binary.path} is ${binary.serverVersion}, and its database is not migrated.`,
      `Name a binary of server ${made} in TEMPORAL_CLI_PATH, start clean with "tributary dev --reset", or move the folder away.`,
    ].join('\n'),
  );
}

function toServerArguments(dataDir: string, ports: ServerPorts): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1'],
    ...['--port', String(ports.grpc), '--ui-port', String(ports.ui), '--http-port', String(ports.http)],
    ...['--db-filename', join(dataDir, stateNames.database)],
    // Four times the throughput, and still safe when a process dies.
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal'],
    ...['--log-level', 'error', '--log-format', 'text'],
    ...dynamicConfig.flatMap((value) => ['--dynamic-config-value', value]),
  ];
}

/** Only what a server needs: no key of the first user stays in its environment, no TEMPORAL_* turns its flags. */
function toServerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'GOMAXPROCS', 'GOMEMLIMIT'];
  const picked = Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  return { ...picked, GOGC: env.GOGC ?? '400' };
}

/** The record of a server that serves, or the text that says why there is none. */
async function launch(options: StartOptions, ports: ServerPorts): Promise<ServerRecord | string> {
  const { dataDir, binary } = options;
  const logPath = join(dataDir, stateNames.serverLog);
  const logStart = await rotateLog(logPath);
  const log = await open(logPath, 'a', 0o600);
  options.assertHeld();
  const child = spawn(binary.path, toServerArguments(dataDir, ports), {
    cwd: dataDir,
    env: toServerEnvironment(options.env),
    // Its own session: a terminal that is closed or interrupted does not reach it.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  let ended: string | null = null;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended ??= code === null ? `ended by ${signal}` : `exit code ${code}`));
  child.unref();
  await log.close();
  const identity = child.pid === undefined ? null : await readProcessIdentity(child.pid);
  if (child.pid !== undefined && identity !== null) {
    const record: ServerRecord = {
      ...{ pid: child.pid, identity, ports, dataDir },
      ...{ namespace: options.namespace, version: binary.serverVersion },
    };
    // Written before it serves: if this program dies now, the next one finds the process and takes it over.
    await writeServerRecord(record);
    await pollUntil(async () => ended !== null || (await isServing(ports.http)), startMs);
    if (ended === null && (await isServing(ports.http))) return record;
    if (ended === null) await stopServer(record);
  }
  await pollUntil(async () => ended !== null, 1_000);
  const why = ended ?? `it did not answer within ${startMs / 1_000} s`;
  return `the Temporal server did not start (${why}). Its log, ${logPath}, ends with:\n${await readLogEnd(logPath, logStart)}`;
}

/** Moves a large log aside; yields where the next lines begin. */
async function rotateLog(path: string): Promise<number> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= maxLogBytes) return size;
  await rename(path, `${path}.1`);
  return 0;
}

async function readLogEnd(path: string, from: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(from, size - 8_192);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').trim().split('\n').slice(-10);
    return lines.map((line) => `  ${line}`).join('\n');
  } finally {
    await file.close();
  }
}
