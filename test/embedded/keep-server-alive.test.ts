import { expect, test } from '@jest/globals';
import { joinServer } from '../../src/embedded/join-server.ts';
import { pollUntil } from '../../src/embedded/poll-until.ts';
import { isServing } from '../../src/embedded/server-api.ts';
import { readServerRecord } from '../../src/embedded/server-record.ts';
import { isServerAlive, makeDataDir } from './state-folders.ts';

test('a server that is killed comes back at the same address, and leaving stops the new one', async () => {
  const dataDir = await makeDataDir();
  const lease = await joinServer({ dataDir });
  const before = lease.server;
  const events: string[] = [];
  lease.keepAlive((line) => events.push(line));
  lease.keepAlive(() => events.push('a second keeper'));
  process.kill(before.pid, 'SIGKILL');
  expect(await pollUntil(async () => lease.server.pid !== before.pid, 25_000)).toBe(true);
  expect(lease.server).toEqual({ ...before, pid: lease.server.pid });
  expect(await isServing((await readServerRecord(dataDir))!.ports.http)).toBe(true);
  expect(events).toEqual([
    `the Temporal server (pid ${before.pid}) is gone; starting it again`,
    `the Temporal server is back at ${before.address} (pid ${lease.server.pid})`,
  ]);
  await lease.leave();
  expect(await isServerAlive(dataDir)).toBe(false);
});

test('two programs that both keep a killed server alive have one server again', async () => {
  const dataDir = await makeDataDir();
  const leases = [await joinServer({ dataDir }), await joinServer({ dataDir })];
  for (const lease of leases) lease.keepAlive();
  const { pid } = leases[0]!.server;
  process.kill(pid, 'SIGKILL');
  expect(await pollUntil(async () => leases.every((lease) => lease.server.pid !== pid), 25_000)).toBe(true);
  expect(leases[0]!.server).toEqual(leases[1]!.server);
  for (const lease of leases) await lease.leave();
  expect(await isServerAlive(dataDir)).toBe(false);
});

test('a server that is killed without a keeper is started again by the next to join', async () => {
  const dataDir = await makeDataDir();
  const lease = await joinServer({ dataDir });
  process.kill(lease.server.pid, 'SIGKILL');
  expect(await pollUntil(async () => !(await isServerAlive(dataDir)), 5_000)).toBe(true);
  const next = await joinServer({ dataDir });
  expect(next).toMatchObject({ how: 'started', server: { address: lease.server.address } });
  await next.leave();
  await lease.leave();
  expect(await isServerAlive(dataDir)).toBe(false);
});
