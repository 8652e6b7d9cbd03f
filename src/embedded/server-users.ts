/** Who uses the server: one file per claim, named after the process; a process that is gone has no claim. */
import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSameProcess, readProcessIdentity } from './process-identity.ts';
import { readJson, stateNames, writeJson } from './server-record.ts';

type UserFile = { readonly pid: number; readonly identity: string };

/** Registers this process and yields the path of the claim, for `removeUser`. Two claims of one process are two files. */
export async function addUser(dataDir: string): Promise<string> {
  const path = join(dataDir, stateNames.users, `${process.pid}-${randomUUID().slice(0, 8)}.json`);
  const identity = (await readProcessIdentity(process.pid)) ?? '';
  await writeJson(path, { pid: process.pid, identity } satisfies UserFile);
  return path;
}

export async function removeUser(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Pids of the living users, each once. Removes the claims of the dead: call it under the server's lock. */
export async function listLivingUsers(dataDir: string): Promise<number[]> {
  const folder = join(dataDir, stateNames.users);
  const names = await readdir(folder).catch(() => []);
  const pids = new Set<number>();
  for (const name of names) {
    const path = join(folder, name);
    const user = await readJson<UserFile>(path);
    if (user !== null && (await isSameProcess(user.pid, user.identity))) pids.add(user.pid);
    else await removeUser(path);
  }
  return [...pids];
}
