/** A PostgreSQL server of its own for a test: on a free port of the loopback, in a folder that goes with it. */
import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

export type Postgres = {
  /** Of a database that is empty at the start. */
  readonly url: string;
  stop(): Promise<void>;
};

/** Where PostgreSQL's programs are: its folder for Debian's packages, else the one of PATH; `null` = not installed. */
export function findPostgres(): string | null {
  const packaged = '/usr/lib/postgresql';
  const versions = existsSync(packaged) ? readdirSync(packaged).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(packaged, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) ?? null;
}

/** For the title of what is skipped without it. */
export const withoutPostgres = 'PostgreSQL is not installed (Debian: apt-get install postgresql)';

/** Resolves when it answers. */
export async function startPostgres(bin: string): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-postgres-'));
  const user = await findUser(folder);
  const data = join(folder, 'data');
  await run(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync'], { ...user, cwd: folder });
  const port = await findFreePort();
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  await waitUntilItAnswers(url, server);
  return {
    url,
    async stop() {
      server.kill('SIGINT'); // a fast shutdown: connections are closed
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package creates. */
async function findUser(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  const [uid, gid] = await Promise.all([idOf('-u'), idOf('-g')]);
  await chown(folder, uid, gid);
  await chmod(folder, 0o700);
  return { uid, gid };
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function waitUntilItAnswers(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode} before it answered`);
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    const answers = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (answers) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
