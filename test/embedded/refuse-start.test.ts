import { expect, test } from '@jest/globals';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { joinServer } from '../../src/embedded/join-server.ts';
import { openDataDir, readServerRecord, writeJson, writeServerRecord } from '../../src/embedded/server-record.ts';
import { readProcessIdentity } from '../../src/embedded/process-identity.ts';
import { isServerAlive, makeDataDir } from './state-folders.ts';

test('state of another server version is refused with what to do, and no claim stays behind', async () => {
  const dataDir = await makeDataDir();
  await openDataDir(dataDir);
  await writeJson(join(dataDir, 'version.json'), { serverVersion: '1.99.0' });
  const refusal = joinServer({ dataDir });
  await expect(refusal).rejects.toMatchObject({ code: 'SERVER_STATE_VERSION' });
  await expect(refusal).rejects.toThrow(
    /made by Temporal server 1\.99\.0; .* is 1\.32\.0[^]*TEMPORAL_CLI_PATH[^]*dev --reset/,
  );
  expect(await readdir(join(dataDir, 'users'))).toEqual([]);
  expect(await isServerAlive(dataDir)).toBe(false);
});

test('a running server that is too old is not shared', async () => {
  const dataDir = await makeDataDir();
  await openDataDir(dataDir);
  const identity = (await readProcessIdentity(process.pid))!;
  const ports = { grpc: 1, ui: 2, http: 3 };
  const record = { pid: process.pid, identity, ports, namespace: 'tributary', version: '1.30.0', dataDir };
  await writeServerRecord(record);
  await expect(joinServer({ dataDir })).rejects.toMatchObject({ code: 'SERVER_STATE_VERSION' });
  // The record is of this test's own process, which must not be stopped as a server.
  await writeServerRecord({ ...record, identity: 'nobody' });
});

test('a server that does not start is refused with the end of its log', async () => {
  const dataDir = await makeDataDir();
  const binary = join(dataDir, 'broken-temporal');
  const script = [
    '#!/bin/sh',
    'if [ "$1" = --version ]; then echo "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"; exit 0; fi',
    'for line in $(seq 1 20); do echo "line $line" >&2; done',
    'echo "the disk is full" >&2; exit 7',
  ];
  await writeFile(binary, script.join('\n'));
  await chmod(binary, 0o755);
  const refusal = joinServer({ dataDir, binary });
  await expect(refusal).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  await expect(refusal).rejects.toThrow(/exit code 7[^]*line 20\n {2}the disk is full$/);
  await expect(refusal).rejects.not.toThrow(/line 5\n/);
  expect(await isServerAlive(dataDir)).toBe(false);
});

test('a binary that does not run is refused before anything starts', async () => {
  const dataDir = await makeDataDir();
  await expect(joinServer({ dataDir, binary: '/no/such/temporal' })).rejects.toMatchObject({ code: 'SERVER_BINARY' });
  await expect(joinServer({ dataDir, env: { TEMPORAL_CLI_PATH: '/no/such/temporal' } })).rejects.toMatchObject({
    code: 'SERVER_BINARY',
  });
  expect(await readServerRecord(dataDir)).toBeNull();
});
