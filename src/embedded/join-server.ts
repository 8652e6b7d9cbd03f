/** Gives a program the embedded server: a running one where there is one, else a new one. The last to leave stops it. */
import { resolve } from 'node:path';
import { names } from '../contract/defaults.ts';
import { TributaryError } from '../contract/failure.ts';
import type { EmbeddedServer, ServerLease } from './embedded-server.ts';
import { findTemporal, inspectTemporal } from './find-temporal.ts';
import { keepServerAlive } from './keep-server-alive.ts';
import { pollUntil } from './poll-until.ts';
import { ensureNamespace, isServing } from './server-api.ts';
import { isAlive, openDataDir, readServerRecord, readStateVersion, toEmbeddedServer } from './server-record.ts';
import type { ServerRecord } from './server-record.ts';
import { addUser, listLivingUsers, removeUser } from './server-users.ts';
import { startServer } from './start-server.ts';
import { stopServer } from './stop-server.ts';
import { isAtLeast, temporalPin } from './temporal-pin.ts';
import { withServerLock } from './with-server-lock.ts';

/** How long a process that lives may take to answer before it is replaced. */
const answerMs = 30_000;

export type JoinOptions = {
  /** Folder of the server's state; created for its owner alone. */
  readonly dataDir: string;
  /** Default `tributary`; made where it does not exist, with 30 days' retention. */
  readonly namespace?: string;
  /** Path of the Temporal CLI; default: found as `findTemporal` says. */
  readonly binary?: string;
  /** One line per step that takes time. */
  readonly onProgress?: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
};

/**
 * Starts or shares the server of `dataDir`. A program that dies without `leave` loses its claim at the next join or
 * leave of any other; a server that it leaves behind is shared by the next.
 *
 * @throws TributaryError SERVER_BINARY (no usable binary), SERVER_STATE_VERSION (state of another server version),
 *   SERVER_UNREACHABLE (it does not start; the message holds the end of its log)
 */
export async function joinServer(options: JoinOptions): Promise<ServerLease> {
  const dataDir = resolve(options.dataDir);
  const namespace = options.namespace ?? names.namespace;
  await openDataDir(dataDir);
  const joined = await withServerLock(dataDir, async (assertHeld) => {
    const user = await addUser(dataDir);
    let started: ServerRecord | null = null;
    try {
      const { record, how } = await shareOrStart({ ...options, dataDir, namespace, keepPorts: false, assertHeld });
      if (how === 'started') started = record;
      await ensureNamespace(record.ports.http, namespace);
      return { user, record, how };
    } catch (error) {
      await removeUser(user);
      if (started) await stopServer(started);
      throw error;
    }
  });
  return createLease(joined, { ...options, dataDir, namespace });
}

/** What is recorded of the server of `dataDir`, and whether its process lives; `null` = none was ever started. */
export async function readServerState(
  dataDir: string,
): Promise<{ readonly server: EmbeddedServer; readonly alive: boolean } | null> {
  const record = await readServerRecord(resolve(dataDir));
  return record && { server: toEmbeddedServer(record), alive: await isAlive(record) };
}

type Joined = { readonly user: string; readonly record: ServerRecord; readonly how: 'started' | 'shared' };
type Settings = JoinOptions & { readonly namespace: string };

function createLease({ user, record, how }: Joined, settings: Settings): ServerLease {
  const { dataDir, namespace } = settings;
  let current = record;
  let keeper: { stop(): Promise<void> } | null = null;
  let left: Promise<void> | null = null;

  const restart = async (): Promise<ServerRecord> =>
    withServerLock(dataDir, async (assertHeld) => {
      const next = await shareOrStart({ ...settings, keepPorts: true, assertHeld });
      current = next.record;
      return current;
    });
  const leave = async (): Promise<void> => {
    await keeper?.stop();
    await withServerLock(dataDir, async () => {
      await removeUser(user);
      if ((await listLivingUsers(dataDir)).length > 0) return;
      const last = await readServerRecord(dataDir);
      if (last) await stopServer(last);
    });
  };
  return {
    get server() {
      return toEmbeddedServer(current, namespace);
    },
    how,
    keepAlive(onEvent = () => undefined) {
      if (left === null) keeper ??= keepServerAlive({ current: () => current, restart, onEvent });
    },
    leave: () => (left ??= leave()),
  };
}

async function shareOrStart(
  options: Settings & { readonly keepPorts: boolean; readonly assertHeld: () => void },
): Promise<{ readonly record: ServerRecord; readonly how: 'started' | 'shared' }> {
  const { dataDir, namespace, keepPorts, assertHeld, onProgress, env = process.env } = options;
  const record = await readServerRecord(dataDir);
  if (record && (await isAlive(record))) {
    refuseOldServer(record);
    const answers = await pollUntil(
      async () => (await isServing(record.ports.http)) || !(await isAlive(record)),
      answerMs,
    );
    if (answers && (await isAlive(record))) return { record, how: 'shared' };
    onProgress?.(`the Temporal server (pid ${record.pid}) does not answer; replacing it`);
    assertHeld();
    await stopServer(record);
  }
  const wanted = (await readStateVersion(dataDir)) ?? undefined;
  const binary =
    options.binary === undefined
      ? await findTemporal({ env, serverVersion: wanted })
      : await inspectTemporal(options.binary);
  onProgress?.(`starting the Temporal server ${binary.serverVersion}`);
  const ports = record?.ports ?? null;
  return {
    record: await startServer({ dataDir, namespace, binary, ports, keepPorts, env, assertHeld }),
    how: 'started',
  };
}

function refuseOldServer(record: ServerRecord): void {
  if (isAtLeast(record.version, temporalPin.minServerVersion)) return;
  throw new TributaryError(
    'SERVER_STATE_VERSION',
    `a Temporal server ${record.version} runs on ${record.dataDir} (pid ${record.pid}); ${temporalPin.minServerVersion} or newer is wanted. End the programs that use it, then move the folder away or start clean with "tributary dev --reset".`,
  );
}
