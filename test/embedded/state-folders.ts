/** State folders and second processes for these tests, and their end, whatever became of the test. */
import { afterEach } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { EmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { isAlive, readServerRecord } from '../../src/embedded/server-record.ts';
import { stopServer } from '../../src/embedded/stop-server.ts';

const folders: string[] = [];
const programs: ChildProcess[] = [];

export async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-state-'));
  folders.push(dataDir);
  return dataDir;
}

export async function isServerAlive(dataDir: string): Promise<boolean> {
  const record = await readServerRecord(dataDir);
  return record !== null && (await isAlive(record));
}

export type JoinedProgram = { readonly how: string; readonly server: EmbeddedServer; readonly process: ChildProcess };

/** A second process that has joined. It leaves when its stdin ends. */
export async function startJoinedProgram(dataDir: string): Promise<JoinedProgram> {
  const file = (name: string): string => join(import.meta.dirname, name);
  const args = ['--import', file('run-typescript.mjs'), file('join-and-wait.ts'), dataDir];
  const program = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  programs.push(program);
  const line = await once(createInterface(program.stdout), 'line', { signal: AbortSignal.timeout(60_000) });
  return { ...JSON.parse(String(line[0])), process: program };
}

afterEach(async () => {
  for (const program of programs.splice(0)) program.kill('SIGKILL');
  for (const dataDir of folders.splice(0)) {
    const record = await readServerRecord(dataDir);
    if (record) await stopServer(record);
    await rm(dataDir, { recursive: true, force: true });
  }
});
