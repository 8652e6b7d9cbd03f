import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { joinServer, readServerState } from '../../src/embedded/join-server.ts';
import { isSameProcess, readProcessIdentity } from '../../src/embedded/process-identity.ts';
import { openDataDir, writeJson, writeServerRecord } from '../../src/embedded/server-record.ts';
import { addUser, listLivingUsers, removeUser } from '../../src/embedded/server-users.ts';
import { isServerAlive, makeDataDir } from './state-folders.ts';

test('a process has one identity for as long as it lives, and none afterwards', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const identity = (await readProcessIdentity(child.pid!))!;
  expect(await isSameProcess(child.pid!, identity)).toBe(true);
  expect(await isSameProcess(process.pid, identity)).toBe(false);
  child.stdin.end();
  await once(child, 'exit');
  expect(await readProcessIdentity(child.pid!)).toBeNull();
});

test('a claim whose pid belongs to another process now is removed and does not count', async () => {
  const dataDir = await makeDataDir();
  await openDataDir(dataDir);
  await writeJson(join(dataDir, 'users', '1-aaaaaaaa.json'), { pid: 1, identity: 'of an earlier process' });
  await writeJson(join(dataDir, 'users', 'broken.json'), 'not a claim');
  expect(await listLivingUsers(dataDir)).toEqual([]);
  const own = await addUser(dataDir);
  expect(await listLivingUsers(dataDir)).toEqual([process.pid]);
  await removeUser(own);
  expect(await listLivingUsers(dataDir)).toEqual([]);
});

test('a recorded server whose pid belongs to another process now is dead: a new one is started, the other spared', async () => {
  const dataDir = await makeDataDir();
  const bystander = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  await openDataDir(dataDir);
  await writeServerRecord({
    ...{ pid: bystander.pid!, identity: 'of an earlier process', ports: { grpc: 1, ui: 2, http: 3 } },
    ...{ namespace: 'tributary', version: '1.32.0', dataDir },
  });
  expect(await readServerState(dataDir)).toMatchObject({ alive: false });
  const lease = await joinServer({ dataDir });
  expect(lease.how).toBe('started');
  await lease.leave();
  expect(await isServerAlive(dataDir)).toBe(false);
  expect(bystander.exitCode).toBeNull();
  bystander.stdin.end();
  await once(bystander, 'exit');
});
