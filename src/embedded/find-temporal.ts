/** Finds the Temporal binary on this machine; never downloads (`npm run setup` does, into the cache looked at here). */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { TributaryError } from '../contract/failure.ts';
import { isAtLeast, temporalPin } from './temporal-pin.ts';

const run = promisify(execFile);

export type TemporalBinary = {
  readonly path: string;
  readonly cliVersion: string;
  readonly serverVersion: string;
  readonly from: 'given' | 'TEMPORAL_CLI_PATH' | 'PATH' | 'cache';
};

/** Versions in the output of `temporal --version`; `null` where it is not the Temporal CLI's. */
export function parseTemporalVersion(text: string): { cliVersion: string; serverVersion: string } | null {
  const match = /^temporal version v?(\d+\.\d+\.\d+\S*) \(Server v?(\d+\.\d+\.\d+[^,)\s]*)/m.exec(text);
  return match ? { cliVersion: match[1]!, serverVersion: match[2]! } : null;
}

/** Where set-up puts the pinned binary: under XDG_CACHE_HOME, else the platform's folder for caches. */
export function toCachedBinaryPath(env: NodeJS.ProcessEnv = process.env): string {
  const home = env.HOME || homedir();
  const caches =
    env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)
      ? env.XDG_CACHE_HOME
      : process.platform === 'darwin'
        ? join(home, 'Library', 'Caches')
        : join(home, '.cache');
  return join(
    caches,
    'tributary',
    `temporal-${temporalPin.cliVersion}-${process.platform}-${process.arch}`,
    'temporal',
  );
}

/**
 * The first usable binary of: TEMPORAL_CLI_PATH, `temporal` on the PATH, the cache of set-up. TEMPORAL_CLI_PATH is
 * final: what it names is used or refused. With `serverVersion`, a binary of exactly that server goes before a newer one.
 *
 * @throws TributaryError SERVER_BINARY; the message lists each place with what was wrong there
 */
export async function findTemporal(
  options: { readonly env?: NodeJS.ProcessEnv; readonly serverVersion?: string } = {},
): Promise<TemporalBinary> {
  const env = options.env ?? process.env;
  const tried: string[] = [];
  const found: TemporalBinary[] = [];
  for await (const candidate of candidates(env)) {
    if (typeof candidate === 'string') tried.push(candidate);
    else if (options.serverVersion === undefined || candidate.serverVersion === options.serverVersion) return candidate;
    else found.push(candidate);
  }
  if (found[0]) return found[0];
  throw new TributaryError(
    'SERVER_BINARY',
    [
      `wanted the Temporal CLI ${temporalPin.minCliVersion} or newer, found none:`,
      ...tried.map((line) => `  ${line}`),
      `Run "npm run setup" to fetch version ${temporalPin.cliVersion}, or name a binary in TEMPORAL_CLI_PATH.`,
    ].join('\n'),
  );
}

/** What the binary at `path` is. @throws TributaryError SERVER_BINARY when it does not run or is too old */
export async function inspectTemporal(path: string): Promise<TemporalBinary> {
  const found = await inspect(resolve(path), 'given');
  if (typeof found !== 'string') return found;
  throw new TributaryError(
    'SERVER_BINARY',
    `${found}. Name another one in TEMPORAL_CLI_PATH, or leave it out and run "npm run setup".`,
  );
}

/** Usable binaries in order, and a line for each place that has none. */
async function* candidates(env: NodeJS.ProcessEnv): AsyncGenerator<TemporalBinary | string> {
  if (env.TEMPORAL_CLI_PATH) {
    yield await labelled(resolve(env.TEMPORAL_CLI_PATH), 'TEMPORAL_CLI_PATH');
    return;
  }
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = await firstExecutable(folders.map((folder) => join(folder, 'temporal')));
  yield onPath === null ? 'PATH: no program named temporal' : await labelled(onPath, 'PATH');
  // Set-up moved it there whole and verified: asking it for its version would only cost time.
  const cached = toCachedBinaryPath(env);
  yield (await firstExecutable([cached])) === null
    ? `cache: no ${cached}`
    : { path: cached, cliVersion: temporalPin.cliVersion, serverVersion: temporalPin.serverVersion, from: 'cache' };
}

async function labelled(path: string, from: TemporalBinary['from']): Promise<TemporalBinary | string> {
  const found = await inspect(path, from);
  return typeof found === 'string' ? `${from}: ${found}` : found;
}

/** The binary, or a line that says what is wrong with it. */
async function inspect(path: string, from: TemporalBinary['from']): Promise<TemporalBinary | string> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 15_000 });
    const versions = parseTemporalVersion(stdout);
    if (versions === null) return `${path} is not the Temporal CLI: it says ${JSON.stringify(head(stdout))}`;
    const { minCliVersion, minServerVersion } = temporalPin;
    if (!isAtLeast(versions.cliVersion, minCliVersion) || !isAtLeast(versions.serverVersion, minServerVersion))
      return `${path} is version ${versions.cliVersion} with server ${versions.serverVersion}, too old: server ${minServerVersion} is needed`;
    return { path, ...versions, from };
  } catch (error) {
    return `${path} does not run: ${head((error as Error).message)}`;
  }
}

const head = (text: string): string => text.trim().split('\n')[0]!.slice(0, 200);

async function firstExecutable(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return path;
  }
  return null;
}
