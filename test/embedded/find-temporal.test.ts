import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTemporal, parseTemporalVersion, toCachedBinaryPath } from '../../src/embedded/find-temporal.ts';
import { isAtLeast } from '../../src/embedded/temporal-pin.ts';

let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-find-'));
  env = { PATH: join(folder, 'bin'), XDG_CACHE_HOME: join(folder, 'cache') };
});
afterEach(() => rm(folder, { recursive: true }));

async function putBinary(path: string, says: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho '${says}'\n`);
  await chmod(path, 0o755);
  return path;
}
const says = (cli: string, server: string): string => `temporal version ${cli} (Server ${server}, UI 2.54.1)`;

test('TEMPORAL_CLI_PATH goes before the PATH, the PATH before the cache', async () => {
  const cached = await putBinary(toCachedBinaryPath(env), says('1.9.1', '1.32.0'));
  expect(await findTemporal({ env })).toEqual({
    path: cached,
    cliVersion: '1.9.1',
    serverVersion: '1.32.0',
    from: 'cache',
  });
  const onPath = await putBinary(join(folder, 'bin', 'temporal'), says('1.10.0', '1.33.2'));
  expect(await findTemporal({ env })).toEqual({
    path: onPath,
    cliVersion: '1.10.0',
    serverVersion: '1.33.2',
    from: 'PATH',
  });
  env.TEMPORAL_CLI_PATH = await putBinary(join(folder, 'mine'), says('1.9.0', '1.32.1'));
  expect(await findTemporal({ env })).toMatchObject({ path: env.TEMPORAL_CLI_PATH, from: 'TEMPORAL_CLI_PATH' });
});

test('an old or foreign program on the PATH is passed over', async () => {
  await putBinary(toCachedBinaryPath(env), says('1.9.1', '1.32.0'));
  await putBinary(join(folder, 'bin', 'temporal'), says('1.5.1', '1.29.1'));
  expect(await findTemporal({ env })).toMatchObject({ from: 'cache' });
  await putBinary(join(folder, 'bin', 'temporal'), 'time flies');
  expect(await findTemporal({ env })).toMatchObject({ from: 'cache' });
});

test('TEMPORAL_CLI_PATH is final: one that does not do is refused and nothing else is taken', async () => {
  await putBinary(toCachedBinaryPath(env), says('1.9.1', '1.32.0'));
  env.TEMPORAL_CLI_PATH = await putBinary(join(folder, 'old'), says('1.5.1', '1.29.1'));
  await expect(findTemporal({ env })).rejects.toThrow(/TEMPORAL_CLI_PATH: .*old is version 1\.5\.1 .*too old/);
  env.TEMPORAL_CLI_PATH = join(folder, 'missing');
  await expect(findTemporal({ env })).rejects.toMatchObject({ code: 'SERVER_BINARY' });
});

test('the binary of the wanted server version goes before a newer one', async () => {
  await putBinary(toCachedBinaryPath(env), says('1.9.1', '1.32.0'));
  await putBinary(join(folder, 'bin', 'temporal'), says('1.10.0', '1.33.2'));
  expect(await findTemporal({ env, serverVersion: '1.32.0' })).toMatchObject({ from: 'cache' });
  expect(await findTemporal({ env, serverVersion: '1.31.0' })).toMatchObject({ from: 'PATH' });
});

test('with no binary anywhere the refusal names every place and what to do', async () => {
  await expect(findTemporal({ env })).rejects.toThrow(/PATH: no program[^]*cache: no .*temporal[^]*npm run setup/);
});

test('versions are read from the CLI’s own line and compared by number', () => {
  expect(parseTemporalVersion('temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)\n')).toEqual({
    cliVersion: '1.9.1',
    serverVersion: '1.32.0',
  });
  expect(parseTemporalVersion('temporal version v1.10.0-rc.1 (Server 1.33.0-150.0)')).toEqual({
    cliVersion: '1.10.0-rc.1',
    serverVersion: '1.33.0-150.0',
  });
  expect(parseTemporalVersion('tctl version 1.18.0')).toBeNull();
  expect([isAtLeast('1.10.0', '1.9.0'), isAtLeast('1.9.0', '1.9.0'), isAtLeast('1.8.9', '1.9.0')]).toEqual([
    true,
    true,
    false,
  ]);
});
