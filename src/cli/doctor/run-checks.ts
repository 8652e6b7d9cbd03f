/** The checks of `doctor`. Each says what it found; only a `failed` one makes the product unusable. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Backend, Installation } from '../cli-dependencies.ts';
import { raceSignal } from '../follow/race-signal.ts';
import { readLimitStates, tellServerState, type LimitState } from '../limits/read-limit-states.ts';
import type { ToCommand } from '../output/problem.ts';
import { formatBytes, formatPlural } from '../view/format.ts';

export type Check = {
  readonly name: string;
  readonly state: 'ok' | 'info' | 'warning' | 'failed';
  readonly text: string;
  readonly fix?: string;
};

export type CheckOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly nodeVersion: string;
  readonly signal: AbortSignal;
  readonly toCommand: ToCommand;
};

const minNode = [20, 19] as const;
const connectMs = 10_000;

export async function runChecks(installation: Installation, options: CheckOptions): Promise<Check[]> {
  return [
    { name: 'tributary', state: 'ok', text: options.version },
    checkNode(options.nodeVersion),
    ...(installation.cluster ? [] : [await attempt('binary', () => checkBinary(installation))]),
    ...(await checkServer(installation, options)),
    await attempt('state', () => checkState(installation)),
    await attempt('store', async () => {
      const id = await installation.readStoreId();
      if (id === null) return { state: 'info', text: 'none yet' };
      return { state: 'ok', text: `${id}, ${formatPlural(await installation.countRecords(), 'ended run')} kept` };
    }),
    await attempt('model', () => checkModel(installation.model)),
    checkKeys(installation),
    checkSearch(installation),
    checkEnvironment(options.env),
  ];
}

type Finding = Omit<Check, 'name'>;

async function attempt(name: string, check: () => Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    return { name, ...toFailure(error) };
  }
}

function toFailure(error: unknown): Finding {
  const [text, ...rest] = (error instanceof Error ? error.message : String(error))
    .split('\n')
    .map((line) => line.trim());
  return { state: 'failed', text: text ?? '', ...(rest.length > 0 && { fix: rest.join(' ') }) };
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > minNode[0] || (major === minNode[0] && minor >= minNode[1]);
  return {
    name: 'node',
    state: isNew ? 'ok' : 'failed',
    text: isNew ? version : `${version}; ${minNode.join('.')} or newer is needed`,
  };
}

async function checkBinary(installation: Installation): Promise<Finding> {
  const { path, version } = await installation.findBinary();
  return { state: 'ok', text: `Temporal ${version} at ${path}` };
}

async function checkServer(installation: Installation, options: CheckOptions): Promise<Check[]> {
  const { cluster } = installation;
  if (!cluster) {
    const server = await installation.readServer();
    if (!server?.alive) {
      return [{ name: 'server', state: 'info', text: 'not running; whoever needs it first starts it' }];
    }
    const text = `embedded ${server.version} at ${server.address} (pid ${server.pid}), page ${server.uiUrl}`;
    return [{ name: 'server', state: 'ok', text }, ...(await checkNamespace(installation, options))];
  }
  return checkNamespace(installation, options);
}

/** Connects, and asks who polls. A server that does not answer in time counts as unreachable. */
async function checkNamespace(installation: Installation, { signal, toCommand }: CheckOptions): Promise<Check[]> {
  const place = installation.cluster ? `cluster ${installation.cluster.address}` : 'the embedded server';
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
  const opening = installation.open(() => undefined);
  let backend: Backend | null = null;
  try {
    backend = await raceSignal(opening, bounded);
    const hasWorker = await raceSignal(backend.api.hasWorker({ signal: bounded }), bounded);
    const { namespace, taskQueue, address } = backend;
    return [
      { name: 'namespace', state: 'ok', text: `${namespace} at ${address}` },
      hasWorker
        ? { name: 'worker', state: 'ok', text: `polls task queue "${taskQueue}"` }
        : {
            name: 'worker',
            state: 'info',
            text: `none polls task queue "${taskQueue}"; run and watch bring their own`,
            fix: `start one:  ${toCommand('worker')}`,
          },
      await attempt('limits', async () => checkLimits(await readLimitStates(installation, backend))),
    ];
  } catch (error) {
    signal.throwIfAborted();
    const failure = bounded.aborted
      ? { state: 'failed' as const, text: `no answer within ${connectMs / 1_000} s` }
      : toFailure(error);
    return [{ name: 'namespace', ...failure, text: `${place}: ${failure.text}` }];
  } finally {
    if (backend) await backend.close();
    else void opening.then((late) => late.close()).catch(() => undefined);
  }
}

/** A limit that the server does not keep holds for each worker alone, or not at all. */
function checkLimits(states: readonly LimitState[]): Finding {
  if (states.length === 0) return { state: 'info', text: 'none set; runs work with all their subagents at once' };
  const told = states.map(({ name, server }) => [name, tellServerState(server)].filter(Boolean).join(': ')).join('; ');
  const isKept = states.every(({ server }) => server.kind === 'kept' || server.kind === 'not-asked');
  return { state: isKept ? 'ok' : 'warning', text: told };
}

async function checkState(installation: Installation): Promise<Finding> {
  if (!(await stat(installation.dataDir).catch(() => null))) {
    return { state: 'info', text: `${installation.dataDir} does not exist yet` };
  }
  const sizes = Object.entries(await installation.sizeOfState());
  const all = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  const parts = sizes.map(([name, bytes]) => `${name} ${formatBytes(bytes)}`).join(', ');
  return { state: 'ok', text: `${installation.dataDir}, ${formatBytes(all)} (${parts})` };
}

async function checkModel(model: string): Promise<Finding> {
  if (!model.startsWith('scripted:')) return { state: 'ok', text: model };
  const facts = await stat(resolve(model.slice('scripted:'.length))).catch(() => null);
  return facts?.isFile()
    ? { state: 'ok', text: model }
    : { state: 'failed', text: `${model}: the file does not exist` };
}

/** Whose key is set here, for a worker that is started here. Never a part of a key. */
function checkKeys({ keys, baseUrl }: Installation): Check {
  const set = keys.length === 0 ? 'none set; the extractive model needs none' : `set for ${keys.join(', ')}`;
  return { name: 'keys', state: 'info', text: baseUrl === null ? set : `${set}; compatible models at ${baseUrl}` };
}

function checkSearch({ search }: Installation): Check {
  const text = search ?? 'none; web_search needs TAVILY_API_KEY, BRAVE_API_KEY or SEARXNG_URL';
  return { name: 'web search', state: 'info', text };
}

/** Names alone: a value may be a secret. */
function checkEnvironment(env: CheckOptions['env']): Check {
  const set = Object.keys(env).filter((name) => /^(TRIBUTARY|TEMPORAL)_/.test(name) && env[name] !== '');
  return {
    name: 'environment',
    state: 'info',
    text: set.length === 0 ? 'nothing set' : `set: ${set.sort().join(', ')}`,
  };
}
