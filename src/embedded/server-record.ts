/** What is written down about the server, so that any program can find, share, restart and stop it. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddedServer } from './embedded-server.ts';
import { isSameProcess } from './process-identity.ts';

/** Names of everything that the state folder holds, also of what others keep there beside the server's own files. */
export const stateNames = {
  database: 'temporal.db',
  record: 'server.json',
  version: 'version.json',
  lock: 'server.lock',
  users: 'users',
  logs: 'logs',
  serverLog: join('logs', 'server.log'),
  blobs: 'blobs',
  records: 'records',
  storeId: 'store-id',
  indexes: 'indexes',
  lastRun: 'last-run',
} as const;

export type ServerPorts = { readonly grpc: number; readonly ui: number; readonly http: number };

/** `server.json`. It outlives the process: the ports are taken again by the next start. */
export type ServerRecord = {
  readonly pid: number;
  /** See `readProcessIdentity`. */
  readonly identity: string;
  readonly ports: ServerPorts;
  readonly namespace: string;
  readonly version: string;
  readonly dataDir: string;
};

/** The record of `dataDir`; `null` where there is none, or one of a folder that was copied from elsewhere. */
export async function readServerRecord(dataDir: string): Promise<ServerRecord | null> {
  const record = await readJson<ServerRecord>(join(dataDir, stateNames.record));
  return record?.dataDir === dataDir && Number.isInteger(record.pid) && record.ports ? record : null;
}

export async function writeServerRecord(record: ServerRecord): Promise<void> {
  await writeJson(join(record.dataDir, stateNames.record), record);
}

/** Version of the server that made the database of `dataDir`; `null` = none has yet. */
export async function readStateVersion(dataDir: string): Promise<string | null> {
  const made = await readJson<{ serverVersion?: unknown }>(join(dataDir, stateNames.version));
  return typeof made?.serverVersion === 'string' ? made.serverVersion : null;
}

/** Whether the recorded process still lives; a recycled pid does not count. */
export async function isAlive(record: ServerRecord): Promise<boolean> {
  return isSameProcess(record.pid, record.identity);
}

export function toEmbeddedServer(record: ServerRecord, namespace = record.namespace): EmbeddedServer {
  return {
    address: `127.0.0.1:${record.ports.grpc}`,
    namespace,
    uiUrl: `http://127.0.0.1:${record.ports.ui}`,
    pid: record.pid,
    version: record.version,
    dataDir: record.dataDir,
  };
}

/** Creates the state folder, for its owner alone. */
export async function openDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await mkdir(join(dataDir, stateNames.users), { recursive: true, mode: 0o700 });
  await mkdir(join(dataDir, stateNames.logs), { recursive: true, mode: 0o700 });
}

/** `null` = no such file, or not JSON. */
export async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return null;
  }
}

/** Whole or not at all: a reader never sees half a file. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
